// Var: a handle to a tensor on the tape.
//
// It is small, trivially copyable and knows where its value and its gradient lie; copying it copies
// no numbers. A slice, a gate or a transposed view is a Var too, with other strides.
#pragma once

#include <concepts>
#include <string>
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

/// A tensor of T with the axes As, in memory that a tape or a parameter owns.
template <class T, IsAxis... As>
class Var {
  static_assert(
      sizeof(std::conditional_t<detail::distinct<Axes<As...>>, char, tensor_has_an_axis_twice<Tensor<As...>>>));

 public:
  using Scalar = T;
  using Shape = Axes<As...>;
  static constexpr std::size_t rank = sizeof...(As);

  /// Stands for nothing: every use throws TapeError until it is assigned.
  Var() = default;

  /// Records an expression as one statement: `Var c = sigmoid(f) * s.c + sigmoid(i) * tanh(g);`
  template <class Node_>
  Var(const Expr<Node_, T, As...>& expression, const char* file = __builtin_FILE(), int line = __builtin_LINE());

  /// Records a sum of products and biases as one statement: `Var z = from_input(x) + from_hidden(h) + bias;`
  template <class... Terms>
  Var(const detail::LinearSum<T, Axes<As...>, Terms...>& sum, const char* file = __builtin_FILE(),
      int line = __builtin_LINE())
      : Var(detail::recorded(sum, file, line)) {}

  /// Does not compile: a variable has the axes of what it is made of, in their order, and its scalar.
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

  /// How many elements there are.
  std::size_t size() const { return detail::count(extents); }

  /// The value of a scalar. Throws TapeError, as all below, for a handle of another recording.
  T item() const
    requires(rank == 0)
  {
    check();
    return *value;
  }

  /// The value at an index, given in the order of the axes. Throws Error outside.
  template <class... Index>
    requires(sizeof...(Index) == rank)
  T at(Index... index) const {
    check();
    return value[offset({static_cast<std::size_t>(index)...})];
  }

  /// The gradient at an index after a backward pass; 0 where nothing reached it. Throws TapeError where
  /// nothing is differentiated.
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

  /// Whether it is differentiated.
  bool has_gradient() const { return gradient != nullptr; }
  /// Whether it is row-major in memory without gaps.
  bool is_contiguous() const {
    std::size_t below = 1;
    for (std::size_t d = rank; d-- > 0; below *= extents[d])
      if (strides[d] != below) return false;
    return true;
  }

  /// Whether it is all of the block that its gradient belongs to, row-major.
  bool is_whole() const { return node && is_contiguous() && size() * sizeof(T) == node->bytes; }

  /// Refuses a handle of another recording, and one that was never given a value.
  void check() const {
    if (generation != 0)
      Tape::current().check(generation);
    else if (!value)
      Tape::empty_handle();
  }

  /// What a backward does first with an operand: refuses a parameter that was edited since it was read, and
  /// clears the gradient if this pass did not yet.
  void reach(std::uint64_t pass) const {
    if (node) node->check_unedited(version);
    if (gradient) node->reach(pass);
  }
  /// The same of a backward that writes to each element once. True: the gradient was not cleared, and is to be
  /// assigned rather than added to.
  bool reach_whole(std::uint64_t pass) const {
    if (!gradient || !is_whole()) return reach(pass), false;
    node->check_unedited(version);
    return node->reach_whole(pass);
  }

  // What the engine works with.
  T* value = nullptr;
  T* gradient = nullptr;           // null where nothing is to be differentiated
  Node* node = nullptr;            // the block of gradients it is part of
  std::uint64_t generation = 0;    // of the recording it belongs to; 0: a parameter
  std::uint32_t version = 0;       // of the parameter, when it was read
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

template <IsAxis... As>
std::string shape_name(Axes<As...>) {
  return shape_name(Axes<As...>::spelled);
}

}  // namespace detail
}  // namespace hindsight
