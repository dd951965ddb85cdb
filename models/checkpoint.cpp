#include "models/checkpoint.hpp"

#include <charconv>

#include "models/strict_json.hpp"

namespace hindsight {
namespace detail {
namespace {

std::string shape_text(const std::vector<std::size_t>& shape) {
  std::string text = "[";
  for (std::size_t extent : shape) text += (text.size() > 1 ? ", " : "") + std::to_string(extent);
  return text + "]";
}

}  // namespace

const TensorData& find(const SafeTensors& file, const std::string& name, const std::string& where) {
  const auto found = file.tensors.find(name);
  if (found == file.tensors.end())
    throw Error(where + ": no tensor " + in_quotes(name) + "; it was saved from another model");
  return found->second;
}

const TensorData& find(const SafeTensors& file, const std::string& name, const std::vector<std::size_t>& shape,
                       const std::string& where) {
  const TensorData& tensor = find(file, name, where);
  if (tensor.shape != shape)
    throw Error(where + ": tensor " + in_quotes(name) + " has shape " + shape_text(tensor.shape) +
                ", the model needs " + shape_text(shape));
  return tensor;
}

void refuse_others(const SafeTensors& file, const std::string& name, const std::set<std::string>& known,
                   const std::string& where) {
  const std::string prefix = name + ".";
  for (auto each = file.tensors.lower_bound(prefix); each != file.tensors.end(); ++each) {
    if (!each->first.starts_with(prefix)) return;
    if (!known.contains(each->first))
      throw Error(where + ": tensor " + in_quotes(each->first) + " is not in the model; it was saved from another one");
  }
}

}  // namespace detail

const std::string& SavedCheckpoint::text(const std::string& name) const {
  const auto found = file_.metadata.find(name);
  if (found == file_.metadata.end())
    throw Error(path_ + ": it has no " + in_quotes(name) + "; it was not saved by this program");
  return found->second;
}

std::uint64_t SavedCheckpoint::number(const std::string& name) const {
  const std::string& digits = text(name);
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc() || end != digits.data() + digits.size())
    throw Error(path_ + ": " + in_quotes(name) + " is " + in_quotes(digits) + ", a whole number was expected");
  return value;
}

}  // namespace hindsight
