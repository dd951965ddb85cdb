// Random numbers as a function of (seed, stream, index), with no state that advances.
//
// The generator is Philox4x32-10 (J. Salmon, M. Moraes, R. Dror, D. Shaw, "Parallel random numbers:
// as easy as 1, 2, 3", SC 2011): ten rounds that scramble a 128-bit counter under a 64-bit key.
// The standard library of C++20 has no counter-based generator, and its distributions differ from
// one library to the next; hence our own. The key is the seed, the counter is (index, stream).
//
// What is drawn depends on the seed, the name of the stream and the index alone: not on the order
// of the calls, threads, or the platform. `normal` goes through std::log and
// std::cos and may differ in its last bits between C libraries; all else is exact everywhere.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>

namespace hindsight {

/// Philox4x32-10 of one counter: four words from four words and a key of two.
std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter,
                                    std::array<std::uint32_t, 2> key);

inline constexpr std::uint64_t hash_basis = 0xcbf29ce484222325;

/// The 64-bit FNV-1a hash of a path (G. Fowler, L. C. Noll, K.-P. Vo), going on from `hash`.
constexpr std::uint64_t hash_path(std::string_view path, std::uint64_t hash = hash_basis) {
  for (const char c : path) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

/// A stream of random numbers. Cheap to copy; every function is pure. An index gives one draw: its
/// `uniform`, `normal` and `below` come from the same bits and are not independent of each other.
struct Random {
  std::uint64_t seed = 0;
  std::uint64_t stream = hash_basis;

  /// The stream of a part: child("encoder").child("cell") is the stream hash_path("encoder/cell/").
  constexpr Random child(std::string_view name) const {
    return {seed, hash_path("/", hash_path(name, stream))};
  }

  /// The stream of a numbered part, a step or an epoch: the hash goes on over the number's 8 bytes.
  Random child(std::uint64_t number) const;

  /// 64 random bits.
  std::uint64_t bits(std::uint64_t index) const;

  /// Uniform in [0, 1), a multiple of 2^-53.
  double uniform(std::uint64_t index) const;

  /// lo + (hi - lo) uniform(index), computed in double; rounding may reach hi.
  template <class T>
  T uniform(T lo, T hi, std::uint64_t index) const {
    const double low = lo;
    return static_cast<T>(low + (static_cast<double>(hi) - low) * uniform(index));
  }

  /// Normal with mean 0 and variance 1: sqrt(-2 log u1) cos(2 pi u2)
  /// (G. Box, M. Muller, "A note on the generation of random normal deviates", 1958).
  double normal(std::uint64_t index) const;

  /// One of 0..n-1, each likelier than another by less than n / 2^64. Throws Error if n is 0.
  std::uint64_t below(std::uint64_t n, std::uint64_t index) const;
};

/// Fisher and Yates: for i from the last down to 1, item i changes places with one of 0..i.
template <class T>
void shuffle(std::span<T> items, const Random& random) {
  for (std::size_t i = items.size(); i-- > 1;) std::swap(items[i], items[random.below(i + 1, i)]);
}

/// out_i = random.uniform<T>(lo, hi, i)
template <class T>
void fill_uniform(std::size_t n, T lo, T hi, const Random& random, T* out);

/// out_i = 1 / keep_probability where random.uniform(first_index + i) < keep_probability, else 0:
/// inverted dropout, whose mean is 1. Throws Error unless 0 <= keep_probability <= 1.
template <class T>
void dropout_mask(std::size_t n, double keep_probability, const Random& random,
                  std::uint64_t first_index, T* out);

}  // namespace hindsight
