#include "autodiff/random.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <string>
#include <type_traits>

#include "autodiff/error.hpp"

namespace hindsight {
namespace {

/// `count` counters side by side: word[j][k] is word j of counter k.
template <std::size_t count>
struct Counters {
  std::uint32_t word[4][count];
};

/// Philox4x32-10 in place. With L_j, H_j the halves of M_j times word 2j, a round is
/// (w0, w1, w2, w3) <- (H1 ^ w1 ^ k0, L1, H0 ^ w3 ^ k1, L0), and the key grows by (W0, W1).
/// The loop over k has no dependence and becomes vector code.
template <std::size_t count>
void philox_rounds(Counters<count>& c, std::array<std::uint32_t, 2> key) {
  constexpr std::uint64_t m0 = 0xD2511F53, m1 = 0xCD9E8D57;
  constexpr std::uint32_t w0 = 0x9E3779B9, w1 = 0xBB67AE85;
  for (int round = 0; round < 10; ++round) {
    for (std::size_t k = 0; k < count; ++k) {
      const std::uint64_t p0 = m0 * c.word[0][k], p1 = m1 * c.word[2][k];
      c.word[0][k] = static_cast<std::uint32_t>(p1 >> 32) ^ c.word[1][k] ^ key[0];
      c.word[1][k] = static_cast<std::uint32_t>(p1);
      c.word[2][k] = static_cast<std::uint32_t>(p0 >> 32) ^ c.word[3][k] ^ key[1];
      c.word[3][k] = static_cast<std::uint32_t>(p0);
    }
    key = {key[0] + w0, key[1] + w1};
  }
}

constexpr std::uint64_t join(std::uint32_t low, std::uint32_t high) {
  return std::uint64_t{high} << 32 | low;
}
constexpr std::uint32_t low_half(std::uint64_t x) { return static_cast<std::uint32_t>(x); }
constexpr std::uint32_t high_half(std::uint64_t x) { return static_cast<std::uint32_t>(x >> 32); }

/// The 128 bits of `count` indices from `first`.
template <std::size_t count>
Counters<count> blocks(const Random& random, std::uint64_t first) {
  Counters<count> c;
  for (std::size_t k = 0; k < count; ++k) {
    c.word[0][k] = low_half(first + k);
    c.word[1][k] = high_half(first + k);
    c.word[2][k] = low_half(random.stream);
    c.word[3][k] = high_half(random.stream);
  }
  philox_rounds(c, {low_half(random.seed), high_half(random.seed)});
  return c;
}

/// A multiple of 2^-53 in [0, 1).
constexpr double to_unit(std::uint64_t bits) { return static_cast<double>(bits >> 11) * 0x1p-53; }

/// Calls f(i, uniform(first + i)) for i in 0..n, in runs long enough for vectors.
template <class F>
void for_each_uniform(std::size_t n, const Random& random, std::uint64_t first, F f) {
  constexpr std::size_t run = 32;
  for (std::size_t i = 0; i < n; i += run) {
    const auto c = blocks<run>(random, first + i);
    double u[run];
    for (std::size_t k = 0; k < run; ++k) u[k] = to_unit(join(c.word[0][k], c.word[1][k]));
    for (std::size_t k = 0; k < std::min(run, n - i); ++k) f(i + k, u[k]);
  }
}

}  // namespace

std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter,
                                    std::array<std::uint32_t, 2> key) {
  Counters<1> c{{{counter[0]}, {counter[1]}, {counter[2]}, {counter[3]}}};
  philox_rounds(c, key);
  return {c.word[0][0], c.word[1][0], c.word[2][0], c.word[3][0]};
}

Random Random::child(std::uint64_t number) const {
  char bytes[8];
  for (int i = 0; i < 8; ++i) bytes[i] = static_cast<char>(number >> (8 * i) & 0xff);
  return child(std::string_view(bytes, 8));
}

std::uint64_t Random::bits(std::uint64_t index) const {
  const auto c = blocks<1>(*this, index);
  return join(c.word[0][0], c.word[1][0]);
}

double Random::uniform(std::uint64_t index) const { return to_unit(bits(index)); }

double Random::normal(std::uint64_t index) const {
  const auto c = blocks<1>(*this, index);
  const double u1 = 1 - to_unit(join(c.word[0][0], c.word[1][0]));  // in (0, 1]: log u1 is finite
  const double u2 = to_unit(join(c.word[2][0], c.word[3][0]));
  return std::sqrt(-2 * std::log(u1)) * std::cos(2 * std::numbers::pi * u2);
}

std::uint64_t Random::below(std::uint64_t n, std::uint64_t index) const {
  if (n == 0) throw Error("Random::below: n is 0, expected at least 1");
  return bits(index) % n;
}

template <class T>
void fill_uniform(std::size_t n, T lo, T hi, const Random& random, T* out) {
  using Wide = std::conditional_t<std::is_same_v<T, float>, double, T>;
  const Wide low = lo, range = static_cast<Wide>(hi) - low;
  for_each_uniform(n, random, 0, [=](std::size_t i, double u) {
    out[i] = static_cast<T>(low + range * u);
  });
}

template <class T>
void dropout_mask(std::size_t n, double keep_probability, const Random& random,
                  std::uint64_t first_index, T* out) {
  if (!(keep_probability >= 0 && keep_probability <= 1))
    throw Error("dropout_mask: keep probability is " + std::to_string(keep_probability) +
                ", expected 0 to 1");
  const T kept = static_cast<T>(1 / keep_probability);
  for_each_uniform(n, random, first_index, [=](std::size_t i, double u) {
    out[i] = u < keep_probability ? kept : T(0);
  });
}

template void fill_uniform(std::size_t, float, float, const Random&, float*);
template void fill_uniform(std::size_t, double, double, const Random&, double*);
template void fill_uniform(std::size_t, std::complex<double>, std::complex<double>, const Random&,
                           std::complex<double>*);
template void dropout_mask(std::size_t, double, const Random&, std::uint64_t, float*);
template void dropout_mask(std::size_t, double, const Random&, std::uint64_t, double*);
template void dropout_mask(std::size_t, double, const Random&, std::uint64_t, std::complex<double>*);

}  // namespace hindsight
