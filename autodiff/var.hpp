// Var: a handle to a tensor on the tape.
//
// It is small, trivially copyable and knows where its value and its gradient lie; copying it copies
// no numbers. A slice, a gate or a transposed view is a Var too, with other strides.
#pragma once

#include <algorithm>
#include <cstring>
#include <initializer_list>
#include <span>
#include <vector>

#include "autodiff/shape.hpp"
#include "autodiff/tape.hpp"

namespace hindsight {

template <class T>
struct ParameterCore;
template <class T, IsAxis... As>
class Var;

template <class Node_, class T, IsAxis... As>
struct Expr;

namespace detail {
template <class T, class Shape, class... Terms>
struct LinearSum;
template <class T, IsAxis... As, class... Terms>
Var<T, As...> recorded(const LinearSum<T, Axes<As...>, Terms...>& sum, const char* file, int line);
}  // namespace detail

template <class>
struct tensor_has_an_axis_twice;
template <class, class>
struct extent_axis_not_in_tensor;
template <class, class>
struct assignment_needs_the_same_axes;

template <class T, IsAxis... As>
class Var {
  static_assert(
      sizeof(std::conditional_t<detail::distinct<Axes<As...>>, char, tensor_has_an_axis_twice<Tensor<As...>>>));

 public:
  using Scalar = T;
  using Shape = Axes<As...>;
  static constexpr std::size_t rank = sizeof...(As);

  Var() = default;

  /// Records an expression as one statement: `Var c = sigmoid(f) * s.c + sigmoid(i) * tanh(g);`
  template <class Node_>
  Var(const Expr<Node_, T, As...>& expression, const char* file = __builtin_FILE(), int line = __builtin_LINE());

  /// Records a sum of products and biases as one statement: `Var z = from_input(x) + from_hidden(h) + bias;`
  template <class... Terms>
  Var(const detail::LinearSum<T, Axes<As...>, Terms...>& sum, const char* file = __builtin_FILE(),
      int line = __builtin_LINE())
      : Var(detail::recorded(sum, file, line)) {}

  // A variable has the axes of what it is made of, in their order. Anything else is told.
  template <class Other>
    requires(!std::same_as<typename Other::Shape, Axes<As...>> || !std::same_as<typename Other::Scalar, T>)
  Var(const Other&);

  /// How long axis A is.
  template <IsAxis A>
  std::size_t extent() const {
    if constexpr (!contains<A, Shape>)
      return sizeof(extent_axis_not_in_tensor<A, Tensor<As...>>);
    else
      return extents[index_in<A, Shape>];
  }

  std::size_t size() const { return detail::count(extents); }

  /// The value of a scalar.
  T item() const
    requires(rank == 0)
  {
    check();
    return *value;
  }

  /// The value at an index, given in the order of the axes.
  template <class... Index>
    requires(sizeof...(Index) == rank)
  T at(Index... index) const {
    check();
    return value[offset({static_cast<std::size_t>(index)...})];
  }

  /// The gradient at an index after a backward pass; 0 where nothing reached it.
  template <class... Index>
    requires(sizeof...(Index) == rank)
  T gradient_at(Index... index) const {
    reach_gradient();
    return gradient[offset({static_cast<std::size_t>(index)...})];
  }

  /// All values, row-major, copied out of the tape.
  std::vector<T> values() const {
    check();
    return gathered(value);
  }

  /// All gradients after a backward pass, row-major; zeros where nothing reached them.
  std::vector<T> gradients() const {
    reach_gradient();
    return gathered(gradient);
  }

  bool has_gradient() const { return gradient != nullptr; }
  bool is_contiguous() const { return strides == detail::row_major(extents); }

  /// Refuses a handle of another recording, and one that was never given a value.
  void check() const {
    if (generation != 0)
      Tape::current().check(generation);
    else if (!value)
      Tape::empty_handle();
  }

  // What the engine works with.
  T* value = nullptr;
  T* gradient = nullptr;           // null where nothing is to be differentiated
  Node* node = nullptr;            // the block of gradients it is part of
  std::uint64_t generation = 0;    // of the recording it belongs to; 0: a parameter
  ParameterCore<T>* parameter = nullptr;
  Extents<rank> extents{};
  Extents<rank> strides{};

 private:
  std::size_t offset(const Extents<rank>& index) const {
    std::size_t at = 0;
    for (std::size_t d = 0; d < rank; ++d) {
      if (index[d] >= extents[d]) throw Error("at: index " + std::to_string(index[d]) + " on an axis that is " +
                                              std::to_string(extents[d]) + " long");
      at += index[d] * strides[d];
    }
    return at;
  }

  void reach_gradient() const {
    check();
    if (!gradient) throw TapeError("gradient: this variable is not differentiated (a constant, or detached)");
    node->reach(generation == 0 ? 0 : Tape::current().pass());
  }

  std::vector<T> gathered(const T* from) const {
    std::vector<T> all;
    all.reserve(size());
    detail::each_offset(extents, strides, [&](std::size_t at) { all.push_back(from[at]); });
    return all;
  }
};

template <class Node_, class T, IsAxis... As>
Var(const Expr<Node_, T, As...>&, const char* = "", int = 0) -> Var<T, As...>;

template <class V>
inline constexpr bool is_var = false;
template <class T, IsAxis... As>
inline constexpr bool is_var<Var<T, As...>> = true;

namespace detail {

template <class T, class List>
struct VarWith;
template <class T, IsAxis... As>
struct VarWith<T, Axes<As...>> {
  using type = Var<T, As...>;
};
template <class T, class List>
using VarOver = typename VarWith<T, List>::type;

/// An uninitialised tensor on the current tape, without a gradient.
template <class T, IsAxis... As>
Var<T, As...> allocate(const Extents<sizeof...(As)>& extents) {
  Tape& tape = Tape::current();
  Var<T, As...> v;
  v.extents = extents;
  v.strides = row_major(extents);
  v.generation = tape.generation();
  v.value = tape.allocate<T>(v.size());
  return v;
}

/// The names of a shape's axes, for messages: "Source x Batch".
template <IsAxis... As>
std::string shape_name(Axes<As...>) {
  std::string text;
  ((text += (text.empty() ? "" : " x ") + axis_name<As>()), ...);
  return text.empty() ? "scalar" : text;
}

/// A variable as a statement's operand.
template <class T, IsAxis... As>
Statement::Operand operand_of(const Var<T, As...>& x) {
  return {x.value, shape_name(Axes<As...>{})};
}

/// A leaf's entry: it has a gradient and nothing before it.
template <class T, IsAxis... As>
struct LeafEntry {
  Var<T, As...> leaf;
  void backward(std::uint64_t) const {}
  void describe(Statement& s) const {
    s.axes = shape_name(Axes<As...>{});
    s.extents.assign(leaf.extents.begin(), leaf.extents.end());
    s.value = leaf.value;
    s.scalar_bytes = sizeof(T);
  }
};

template <class T, IsAxis... As>
Var<T, As...> copied_in(std::span<const T> values, Extents<sizeof...(As)> extents) {
  Var<T, As...> v = allocate<T, As...>(extents);
  if (values.size() != v.size())
    throw Error("variable: " + std::to_string(values.size()) + " values for a tensor of " + std::to_string(v.size()) +
                " (" + shape_name(Axes<As...>{}) + ")");
  std::copy(values.begin(), values.end(), v.value);
  return v;
}

template <class T, IsAxis... As>
void give_gradient(Var<T, As...>& v) {
  Tape& tape = Tape::current();
  if (!tape.recording()) return;
  v.gradient = tape.allocate<T>(v.size());
  v.node = tape.record(v.value, v.size() * sizeof(T), v.gradient, {}, LeafEntry<T, As...>{v});
}

}  // namespace detail

/// A tensor to differentiate by: `variable<Batch, In>(values)`; dynamic axes take their extents:
/// `variable<Source>(values, extent<Source>(7))`. The values are copied onto the tape, row-major.
template <IsAxis... As, class T, class... Given>
Var<T, As...> variable(std::span<const T> values, Extent<Given>... given) {
  Var<T, As...> v = detail::copied_in<T, As...>(values, detail::extents_of(Axes<As...>{}, given...));
  detail::give_gradient(v);
  return v;
}
template <IsAxis... As, class T, class... Given>
Var<T, As...> variable(const std::vector<T>& values, Extent<Given>... given) {
  return variable<As...>(std::span<const T>(values), given...);
}
template <IsAxis... As, class T, class... Given>
Var<T, As...> variable(std::initializer_list<T> values, Extent<Given>... given) {
  return variable<As...>(std::span<const T>(values.begin(), values.size()), given...);
}
/// A scalar to differentiate by.
template <std::floating_point T>
Var<T> variable(T value) {
  return variable<>(std::span<const T>(&value, 1));
}

/// A tensor that is not differentiated: data, masks, targets.
template <IsAxis... As, class T, class... Given>
Var<T, As...> constant(std::span<const T> values, Extent<Given>... given) {
  return detail::copied_in<T, As...>(values, detail::extents_of(Axes<As...>{}, given...));
}
template <IsAxis... As, class T, class... Given>
Var<T, As...> constant(const std::vector<T>& values, Extent<Given>... given) {
  return constant<As...>(std::span<const T>(values), given...);
}
template <IsAxis... As, class T, class... Given>
Var<T, As...> constant(std::initializer_list<T> values, Extent<Given>... given) {
  return constant<As...>(std::span<const T>(values.begin(), values.size()), given...);
}

/// A tensor filled with one value, not differentiated: an initial state.
template <class T, IsAxis... As, class... Given>
Var<T, As...> filled(T fill, Extent<Given>... given) {
  Var<T, As...> v = detail::allocate<T, As...>(detail::extents_of(Axes<As...>{}, given...));
  std::fill_n(v.value, v.size(), fill);
  return v;
}

/// The same value, cut off from what made it: no gradient passes.
template <class T, IsAxis... As>
Var<T, As...> detach(Var<T, As...> v) {
  v.check();
  v.gradient = nullptr;
  v.node = nullptr;
  v.parameter = nullptr;
  return v;
}

/// Calls a variable by a name in graphs and messages.
template <class T, IsAxis... As>
Var<T, As...> named(std::string name, Var<T, As...> v) {
  Tape::current().name(v.value, std::move(name));
  return v;
}

}  // namespace hindsight
