#include "models/vocabulary.hpp"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "autodiff/error.hpp"
#include "models/atomic_file.hpp"
#include "models/strict_json.hpp"
#include "models/text.hpp"

namespace hindsight {
namespace {

using nlohmann::json;

constexpr std::array<std::string_view, 4> special_names = {"pad", "unk", "bos", "eos"};
constexpr std::array<std::string_view, 4> special_spellings = {"<pad>", "<unk>", "<bos>", "<eos>"};

std::string_view name(Special special) { return special_names[static_cast<std::size_t>(special)]; }

std::vector<std::string> strings_at(const json& object, const char* key, const std::string& where) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_array()) {
    throw Error(where + ": no array \"" + key + "\" in the vocabulary");
  }
  std::vector<std::string> strings;
  for (const json& element : *found) {
    if (!element.is_string()) {
      throw Error(where + ": \"" + key + "\" holds a " + element.type_name() +
                  ", strings were expected");
    }
    strings.push_back(element.get<std::string>());
  }
  return strings;
}

}  // namespace

Vocabulary::Vocabulary(std::vector<std::string> tokens, std::vector<Special> specials)
    : specials_(std::move(specials)), tokens_(std::move(tokens)) {
  for (auto special = specials_.begin(); special != specials_.end(); ++special) {
    if (std::find(specials_.begin(), special, *special) != special) {
      throw Error("vocabulary: the special " + std::string(name(*special)) + " is given twice");
    }
  }
  for (const std::string& token : tokens_) {
    check_utf8(token, "vocabulary: token " + in_quotes(token));
    const int id = static_cast<int>(specials_.size() + ids_.size());
    if (!ids_.emplace(token, id).second) {
      throw Error("vocabulary: the token " + in_quotes(token) + " is given twice");
    }
  }
}

bool Vocabulary::contains(Special special) const {
  return std::find(specials_.begin(), specials_.end(), special) != specials_.end();
}

int Vocabulary::id(std::string_view token) const {
  const auto found = ids_.find(token);
  if (found != ids_.end()) return found->second;
  if (contains(Special::unk)) return id(Special::unk);
  throw Error("the vocabulary has no token " + in_quotes(token) + " and no <unk> to stand for it");
}

int Vocabulary::id(Special special) const {
  const auto found = std::find(specials_.begin(), specials_.end(), special);
  if (found != specials_.end()) return static_cast<int>(found - specials_.begin());
  throw Error("the vocabulary was made without <" + std::string(name(special)) + ">");
}

std::string_view Vocabulary::spelling(int id) const {
  if (id < 0 || static_cast<std::size_t>(id) >= size()) {
    throw Error("id " + std::to_string(id) + " is not in a vocabulary of " +
                std::to_string(size()) + " tokens");
  }
  const std::size_t index = static_cast<std::size_t>(id);
  if (index >= specials_.size()) return tokens_[index - specials_.size()];
  return special_spellings[static_cast<std::size_t>(specials_[index])];
}

std::string Vocabulary::decode(std::span<const int> ids, std::string_view separator) const {
  std::string text;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (i > 0) text += separator;
    text += spelling(ids[i]);
  }
  return text;
}

std::string Vocabulary::to_json() const {
  json special_list = json::array();
  for (Special special : specials_) special_list.push_back(name(special));
  return json{{"specials", special_list}, {"tokens", tokens_}}.dump();
}

Vocabulary Vocabulary::from_json(std::string_view text, const std::string& where) {
  const json object = parse_strict_json(text, 2, where);
  std::vector<Special> specials;
  for (const std::string& special : strings_at(object, "specials", where)) {
    const auto found = std::find(special_names.begin(), special_names.end(), special);
    if (found == special_names.end()) {
      throw Error(where + ": " + in_quotes(special) + " is not a special, pad, unk, bos or eos is");
    }
    specials.push_back(static_cast<Special>(found - special_names.begin()));
  }
  try {
    return Vocabulary(strings_at(object, "tokens", where), std::move(specials));
  } catch (const Error& error) {
    throw Error(where + ": " + error.what());
  }
}

void Vocabulary::save(const std::string& path) const { write_file_atomically(path, to_json()); }

Vocabulary Vocabulary::load(const std::string& path) { return from_json(read_file(path), path); }

void TokenCounts::add(std::string_view token) {
  const auto found = counts_.find(token);
  if (found != counts_.end()) {
    ++found->second;
  } else {
    counts_.emplace(token, 1);
  }
}

Vocabulary TokenCounts::vocabulary(std::vector<Special> specials, VocabularyLimits limits) const {
  std::vector<std::pair<std::string, std::size_t>> kept;
  for (const auto& entry : counts_) {
    if (entry.second >= limits.minimum_count) kept.push_back(entry);
  }
  std::sort(kept.begin(), kept.end(), [](const auto& a, const auto& b) {
    return a.second != b.second ? a.second > b.second : a.first < b.first;
  });
  if (kept.size() > limits.maximum_tokens) kept.resize(limits.maximum_tokens);

  std::vector<std::string> tokens;
  for (auto& entry : kept) tokens.push_back(std::move(entry.first));
  return Vocabulary(std::move(tokens), std::move(specials));
}

}  // namespace hindsight
