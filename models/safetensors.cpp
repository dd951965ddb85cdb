#include "models/safetensors.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>
#include <type_traits>
#include <utility>

#include "autodiff/error.hpp"
#include "models/atomic_file.hpp"
#include "models/strict_json.hpp"

namespace hindsight {
namespace {

static_assert(std::endian::native == std::endian::little);

using nlohmann::json;

constexpr std::uint64_t max_header_bytes = 100'000'000;  // the reference implementation's limit
constexpr const char* metadata_key = "__metadata__";

constexpr std::array<std::pair<std::string_view, std::size_t>, 17> element_sizes = {{
    {"BOOL", 1}, {"U8", 1},  {"I8", 1},  {"F8_E5M2", 1}, {"F8_E4M3", 1}, {"F8_E8M0", 1},
    {"I16", 2},  {"U16", 2}, {"F16", 2}, {"BF16", 2},    {"I32", 4},     {"U32", 4},
    {"F32", 4},  {"I64", 8}, {"U64", 8}, {"F64", 8},     {"C64", 8},
}};

/// Bytes of one element. `where` begins the message for an unknown dtype.
std::size_t element_size(const std::string& dtype, const std::string& where) {
  for (const auto& [name, size] : element_sizes) {
    if (name == dtype) return size;
  }
  throw Error(where + ": unknown dtype " + in_quotes(dtype));
}

/// Bytes of an array: dtype size x product of the shape, checked against wrapping around.
std::size_t byte_count(const std::string& dtype, const std::vector<std::size_t>& shape,
                       const std::string& where) {
  std::size_t bytes = element_size(dtype, where);
  for (const std::size_t extent : shape) {
    if (extent != 0 && bytes > std::numeric_limits<std::size_t>::max() / extent) {
      throw Error(where + ": the product of its shape is out of range");
    }
    bytes *= extent;
  }
  return bytes;
}

/// The array of non-negative integers at `key`.
std::vector<std::size_t> integers_at(const json& entry, const char* key, const std::string& where) {
  const json& list = entry.at(key);
  const bool integers = list.is_array() && std::all_of(list.begin(), list.end(), [](const json& n) {
                          return n.is_number_unsigned();
                        });
  if (!integers) {
    throw Error(where + ": \"" + key + "\" must be a list of whole numbers from 0");
  }
  return list.get<std::vector<std::size_t>>();
}

/// Where an array lies in the data.
struct Span {
  std::size_t begin, end;
  auto operator<=>(const Span&) const = default;
};

/// Checks one entry of the header and cuts its array out of `data`.
TensorData read_tensor(const json& entry, std::string_view data, Span& span,
                       const std::string& where) {
  if (!entry.is_object() || entry.size() != 3 || !entry.contains("dtype") ||
      !entry.contains("shape") || !entry.contains("data_offsets") || !entry["dtype"].is_string()) {
    throw Error(where + ": an object of dtype, shape and data_offsets was expected");
  }
  TensorData tensor;
  tensor.dtype = entry["dtype"].get<std::string>();
  tensor.shape = integers_at(entry, "shape", where);

  const std::vector<std::size_t> offsets = integers_at(entry, "data_offsets", where);
  if (offsets.size() != 2 || offsets[0] > offsets[1] || offsets[1] > data.size()) {
    throw Error(where + ": data_offsets must be [begin, end] within the " +
                std::to_string(data.size()) + " bytes of data");
  }
  span = {offsets[0], offsets[1]};
  const std::size_t expected = byte_count(tensor.dtype, tensor.shape, where);
  if (span.end - span.begin != expected) {
    throw Error(where + ": " + std::to_string(span.end - span.begin) +
                " bytes of data, its dtype and shape need " + std::to_string(expected));
  }
  tensor.bytes = data.substr(span.begin, expected);
  return tensor;
}

std::map<std::string, std::string> read_metadata(const json& entry, const std::string& where) {
  const bool strings =
      entry.is_object() &&
      std::all_of(entry.begin(), entry.end(), [](const json& v) { return v.is_string(); });
  if (!strings) throw Error(where + ": " + metadata_key + " must be an object of strings");
  return entry.get<std::map<std::string, std::string>>();
}

/// Every byte of the data belongs to exactly one array.
void check_no_holes(std::vector<Span> spans, std::size_t data_size, const std::string& where) {
  std::sort(spans.begin(), spans.end());
  spans.push_back({data_size, data_size});
  std::size_t covered = 0;
  for (const Span& span : spans) {
    if (span.begin != covered) {
      throw Error(where + ": the data at offset " + std::to_string(std::min(covered, span.begin)) +
                  " belongs to " + (span.begin > covered ? "no array" : "two arrays"));
    }
    covered = span.end;
  }
}

/// Elements of type From, wherever they lie (files need not align them), as type To.
template <class From, class To>
std::vector<To> converted(const std::string& bytes, const std::string& name) {
  std::vector<To> values(bytes.size() / sizeof(From));
  for (std::size_t i = 0; i < values.size(); ++i) {
    From element;
    std::memcpy(&element, bytes.data() + i * sizeof(From), sizeof(From));
    values[i] = static_cast<To>(element);
    if (std::isfinite(element) && !std::isfinite(values[i])) {
      throw Error("tensor " + in_quotes(name) + ": element " + std::to_string(i) +
                  " is too large for float");
    }
  }
  return values;
}

}  // namespace

SafeTensors parse_safetensors(std::string_view file, const std::string& where) {
  std::uint64_t header_bytes;
  if (file.size() < sizeof header_bytes) {
    throw Error(where + ": " + std::to_string(file.size()) +
                " bytes, a safetensors file begins with a length of 8");
  }
  std::memcpy(&header_bytes, file.data(), sizeof header_bytes);
  file.remove_prefix(sizeof header_bytes);
  if (header_bytes > max_header_bytes || header_bytes > file.size()) {
    throw Error(where + ": a header of " + std::to_string(header_bytes) + " bytes, the file has " +
                std::to_string(file.size()) + " left and the format allows " +
                std::to_string(max_header_bytes));
  }
  const std::string_view header = file.substr(0, header_bytes);
  const std::string_view data = file.substr(header_bytes);
  if (!header.starts_with('{')) throw Error(where + ": the header does not begin with {");

  SafeTensors content;
  std::vector<Span> spans;
  const json entries = parse_strict_json(header, 3, where);
  for (const auto& [name, entry] : entries.items()) {
    if (name == metadata_key) {
      content.metadata = read_metadata(entry, where);
    } else {
      const std::string tensor = where + ": tensor " + in_quotes(name);
      content.tensors[name] = read_tensor(entry, data, spans.emplace_back(), tensor);
    }
  }
  check_no_holes(std::move(spans), data.size(), where);
  return content;
}

SafeTensors read_safetensors(const std::string& path) {
  return parse_safetensors(read_file(path), path);
}

std::string serialise(const SafeTensors& content) {
  using Entry = std::pair<std::size_t, const std::pair<const std::string, TensorData>*>;
  std::vector<Entry> entries;  // with their element sizes
  for (const auto& entry : content.tensors) {
    const std::string where = "tensor " + in_quotes(entry.first);
    const TensorData& tensor = entry.second;
    if (entry.first == metadata_key) throw Error(where + ": the format keeps this name for itself");
    const std::size_t expected = byte_count(tensor.dtype, tensor.shape, where);
    if (tensor.bytes.size() != expected) {
      throw Error(where + ": " + std::to_string(tensor.bytes.size()) +
                  " bytes, its dtype and shape need " + std::to_string(expected));
    }
    entries.emplace_back(element_size(tensor.dtype, where), &entry);
  }
  std::stable_sort(entries.begin(), entries.end(),
                   [](const Entry& a, const Entry& b) { return a.first > b.first; });

  json header = json::object();
  std::string data;
  if (!content.metadata.empty()) header[metadata_key] = content.metadata;
  for (const auto& [size, entry] : entries) {
    const auto& [name, tensor] = *entry;
    const std::size_t begin = data.size();
    data += tensor.bytes;
    header[name] = {
        {"dtype", tensor.dtype}, {"shape", tensor.shape}, {"data_offsets", {begin, data.size()}}};
  }

  std::string text;
  try {
    text = header.dump();
  } catch (const json::exception&) {
    throw Error("safetensors: a tensor's name or the metadata is not UTF-8");
  }
  text.append((8 - text.size() % 8) % 8, ' ');
  const std::uint64_t header_bytes = text.size();
  std::string file(sizeof header_bytes, '\0');
  std::memcpy(file.data(), &header_bytes, sizeof header_bytes);
  return file + text + data;
}

void write_safetensors(const std::string& path, const SafeTensors& content) {
  write_file_atomically(path, serialise(content));
}

template <class T>
std::vector<T> to_values(const TensorData& tensor, const std::string& name) {
  if (tensor.dtype == "F32") return converted<float, T>(tensor.bytes, name);
  if (tensor.dtype == "F64") return converted<double, T>(tensor.bytes, name);
  throw Error("tensor " + in_quotes(name) + " is " + in_quotes(tensor.dtype) +
              ", F32 or F64 was expected");
}

template <class T>
TensorData from_values(std::span<const T> values, std::vector<std::size_t> shape) {
  TensorData tensor{std::is_same_v<T, float> ? "F32" : "F64", std::move(shape),
                    std::string(values.size_bytes(), '\0')};
  if (byte_count(tensor.dtype, tensor.shape, "tensor") != tensor.bytes.size()) {
    throw Error("tensor: " + std::to_string(values.size()) + " values do not fill its shape");
  }
  if (!values.empty()) std::memcpy(tensor.bytes.data(), values.data(), values.size_bytes());
  return tensor;
}

template std::vector<float> to_values<float>(const TensorData&, const std::string&);
template std::vector<double> to_values<double>(const TensorData&, const std::string&);
template TensorData from_values<float>(std::span<const float>, std::vector<std::size_t>);
template TensorData from_values<double>(std::span<const double>, std::vector<std::size_t>);

}  // namespace hindsight
