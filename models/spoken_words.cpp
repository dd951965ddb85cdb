#include "models/spoken_words.hpp"

#include <algorithm>
#include <map>

#include "autodiff/error.hpp"
#include "models/text.hpp"

namespace hindsight {
namespace {

SpokenWords encoded(std::span<const Pronounced> words, const Vocabulary& letters, const Vocabulary& phonemes) {
  SpokenWords out;
  for (const Pronounced& w : words) {
    try {
      out.letters.push_back(letters.encode(characters(w.word)));
      out.spoken.emplace_back();
      for (const auto& p : w.phonemes) out.spoken.back().push_back(phonemes.encode(p));
    } catch (const Error& e) {
      throw Error("the word \"" + w.word + "\": " + e.what());
    }
  }
  return out;
}

}  // namespace

SpokenWords::Pairs SpokenWords::pairs() const {
  Pairs out;
  for (std::size_t w = 0; w < size(); ++w)
    for (const auto& p : spoken[w]) {
      out.letters.push_back(letters[w]);
      out.phonemes.push_back(p);
    }
  return out;
}

std::vector<std::size_t> SpokenWords::with_letters(std::size_t least, std::size_t end) const {
  std::vector<std::size_t> places;
  for (std::size_t w = 0; w < size(); ++w)
    if (letters[w].size() >= least && letters[w].size() < end) places.push_back(w);
  return places;
}

SpokenWordData SpokenWordData::of(std::span<const Pronounced> words, std::uint64_t seed) {
  const PronouncedParts parts = split(words, seed);
  TokenCounts letters, phonemes;
  for (const Pronounced& w : parts.training) {
    letters.add_all(characters(w.word));
    for (const auto& p : w.phonemes) phonemes.add_all(p);
  }
  const std::vector<Special> specials{Special::pad, Special::bos, Special::eos};
  SpokenWordData data{letters.vocabulary(specials), phonemes.vocabulary(specials), {}, {}, {}};
  data.training = encoded(parts.training, data.letters, data.phonemes);
  data.validation = encoded(parts.validation, data.letters, data.phonemes);
  data.test = encoded(parts.test, data.letters, data.phonemes);
  return data;
}

std::vector<std::vector<int>> letter_by_letter(const SpokenWords& training, std::span<const std::vector<int>> words) {
  std::map<int, std::map<int, std::size_t>> counts;
  const auto [letters, phonemes] = training.pairs();
  for (std::size_t n = 0; n < letters.size(); ++n)
    if (letters[n].size() == phonemes[n].size())
      for (std::size_t i = 0; i < letters[n].size(); ++i) ++counts[letters[n][i]][phonemes[n][i]];
  std::vector<std::vector<int>> said;
  for (const std::vector<int>& word : words) {
    said.emplace_back();
    for (const int letter : word) {
      const auto found = counts.find(letter);
      if (found == counts.end()) continue;
      const auto rarer = [](const auto& a, const auto& b) { return a.second < b.second; };
      said.back().push_back(std::max_element(found->second.begin(), found->second.end(), rarer)->first);
    }
  }
  return said;
}

}  // namespace hindsight
