// First values for parameters, from (seed, path, element) alone.
//
// `initialise(module, seed)` walks the module; a part that has a member
// `initialise(const Random& random)` sets its own parameters, with a stream of its own, after its
// members have set theirs.
#pragma once

#include <cmath>

#include "autodiff/module.hpp"
#include "autodiff/random.hpp"

namespace hindsight {


/// Uniform in [-limit, limit).
template <class T, IsAxis... As>
void initialise_uniform(Parameter<T, As...>& p, double limit, const Random& random) {
  auto edit = p.edit();
  fill_uniform<T>(edit.size(), static_cast<T>(-limit), static_cast<T>(limit), random, edit.begin());
}

/// Uniform with variance 2 / (fan in + fan out) (Glorot and Bengio 2010), for an In x Out matrix.
template <class T, IsAxis In, IsAxis Out>
void initialise_glorot(Parameter<T, In, Out>& p, const Random& random) {
  const double in = static_cast<double>(p.extents()[0]), out = static_cast<double>(p.extents()[1]);
  initialise_uniform(p, std::sqrt(6.0 / (in + out)), random);
}

namespace detail {

/// Orthonormal rows or columns, whichever are fewer, times gain; row-major rows x cols.
template <class T>
void fill_orthogonal(std::size_t rows, std::size_t cols, std::size_t row_stride, double gain, const Random& random,
                     T* values);

}  // namespace detail

/// A random orthogonal matrix times `gain` (Saxe 2014): W^T W = gain^2 I, so that it neither shrinks
/// nor stretches what passes through. A block of gates gets one such matrix a gate.
template <class T, IsAxis In, IsAxis Out>
void initialise_orthogonal(Parameter<T, In, Out>& p, double gain, const Random& random) {
  std::size_t gates = 1;
  if constexpr (is_gates<Out>) gates = detail::gate_count(static_cast<Out*>(nullptr));
  const std::size_t rows = p.extents()[0], cols = p.extents()[1], each = cols / gates;
  auto edit = p.edit();
  for (std::size_t g = 0; g < gates; ++g)
    detail::fill_orthogonal(rows, each, cols, gain, random.child(g), edit.begin() + g * each);
}

/// Every element the same.
template <class T, IsAxis... As>
void initialise_constant(Parameter<T, As...>& p, double value) {
  for (T& x : p.edit()) x = static_cast<T>(value);
}

template <class, class>
struct initialise_gate_is_not_one_of_the_gates;

/// One gate's part of a bias: `initialise_gate<Forget>(bias, 1)`.
template <class Name, class T, IsAxis H, class... Names>
void initialise_gate(Parameter<T, Gates<H, Names...>>& bias, double value) {
  if constexpr (!(std::same_as<Name, Names> || ...)) {
    (void)sizeof(initialise_gate_is_not_one_of_the_gates<Name, Gates<H, Names...>>);
  } else {
    constexpr std::size_t gate = detail::gate_index<Name>(static_cast<Gates<H, Names...>*>(nullptr));
    auto edit = bias.edit();
    const std::size_t each = edit.size() / sizeof...(Names);
    std::fill_n(edit.begin() + gate * each, each, static_cast<T>(value));
  }
}

/// Gives every part of the module its first values. The same seed gives the same values, whatever
/// else the module holds and in whatever order.
template <class M>
void initialise(M& module, std::uint64_t seed) {
  walk(module, [&](const Path& path, auto& part) {
    if constexpr (requires(const Random& random) { part.initialise(random); })
      part.initialise(Random{seed, hash_path(path.text())});
  });
}

}  // namespace hindsight
