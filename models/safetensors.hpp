// The safetensors weight file: named arrays and nothing that could run.
//
//   8 bytes   N, the length of the header, little endian
//   N bytes   header, JSON with spaces at its end:
//             {"name": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]}, ...}
//             and, if wanted, "__metadata__": {"key": "text", ...}
//   the rest  data: the arrays, row by row, little endian; offsets count from its start
//
// Source: https://github.com/huggingface/safetensors, section "Format". The reader believes no
// number of the file before it has checked it, and refuses what the format forbids: keys given
// twice, data that belongs to no array or to two. Needs a little-endian machine.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hindsight {

/// One array as it lies in the file.
struct TensorData {
  std::string dtype;               ///< BOOL, U8, I8, ..., I64, F16, BF16, F32, F64
  std::vector<std::size_t> shape;  ///< outermost extent first; empty for a single number
  std::string bytes;               ///< its elements, row by row, little endian

  bool operator==(const TensorData&) const = default;
};

/// The content of a file.
struct SafeTensors {
  std::map<std::string, TensorData> tensors;
  std::map<std::string, std::string> metadata;

  bool operator==(const SafeTensors&) const = default;
};

/// Reads the bytes of a file. Throws Error, its message beginning with `where`, unless they are a
/// safetensors file without a fault; allocates no more than a small multiple of their size.
SafeTensors parse_safetensors(std::string_view file, const std::string& where);

/// Reads the file at `path`.
SafeTensors read_safetensors(const std::string& path);

/// The bytes of a file with this content: wider types first and the header padded to a multiple of
/// 8, so that every array is aligned. The same content gives the same bytes. Throws Error on an
/// unknown dtype, bytes that do not match dtype and shape, and the name "__metadata__".
std::string serialise(const SafeTensors& content);

/// Writes the file at `path`, whole or not at all (see models/atomic_file.hpp).
void write_safetensors(const std::string& path, const SafeTensors& content);

/// The elements of `tensor` as T (float or double). F32 and F64 convert into each other, F64 to
/// float by rounding to nearest; NaN and infinity stay what they are. Throws Error, naming `name`,
/// on any other dtype, and on a finite F64 too large for float.
template <class T>
std::vector<T> to_values(const TensorData& tensor, const std::string& name);

/// The array of these values: F32 for float, F64 for double. Throws Error when the number of values
/// is not the product of `shape`.
template <class T>
TensorData from_values(std::span<const T> values, std::vector<std::size_t> shape);

}  // namespace hindsight
