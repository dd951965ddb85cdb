// How an operation of its own is put on the tape: a forward, a backward, and what it is called.
//
//     Var<T, As...> y = detail::result<T, As...>(extents, x);        // uninitialised, like its inputs differentiated or not
//     kernels::softmax(layout, x.value, y.value);                    // forward
//     return detail::record("softmax(%0)", where, y, [=] {           // backward: adds to x.gradient
//       kernels::softmax_backward(layout, y.value, y.gradient, x.gradient);
//     }, x);
//
// The backward runs only if something reached y, and with the inputs' gradients cleared once.
#pragma once

#include "autodiff/contract.hpp"

namespace hindsight::detail {

/// An operation's entry: its result, its backward and its inputs.
template <class Out, class Backward, class... In>
struct OperationEntry {
  const char* name;
  Out out;
  Backward run;
  std::tuple<In...> inputs;

  void backward(std::uint64_t pass) const {
    std::apply([&](const auto&... in) { (in.reach(pass), ...); }, inputs);
    run();
  }
  void describe(StatementText& text) const {
    std::apply([&](const auto&... in) { (text.operand(in.value, In::Shape::spelled), ...); }, inputs);
    text.operation(name, sizeof...(In));
    text.result(Out::Shape::spelled, out.extents, sizeof(typename Out::Scalar));
  }
};

/// A tensor for the result of an operation. It has a gradient if one of the inputs has, and the tape
/// records.
template <class T, IsAxis... As, class... In>
Var<T, As...> result(const Extents<sizeof...(As)>& extents, const In&... inputs) {
  (inputs.check(), ...);
  Var<T, As...> out = allocate<T, As...>(extents);
  Tape& tape = Tape::current();
  if (tape.recording() && (inputs.gradient || ...)) out.gradient = tape.allocate<T>(out.size());
  return out;
}

/// The same, of x's shape.
template <class T, IsAxis... As>
Var<T, As...> like(const Var<T, As...>& x) {
  return result<T, As...>(x.extents, x);
}

/// Puts the operation on the tape, once `out` has its value. `name` lives as long as the program;
/// `where` is the line that called the operation.
template <class T, IsAxis... As, class Backward, class... In>
Var<T, As...> record(const char* name, Where where, Var<T, As...> out, Backward backward, const In&... inputs) {
  Tape& tape = Tape::current();
  if (tape.recording())
    out.node = tape.record(out.value, out.size(), out.gradient, where,
                           OperationEntry<Var<T, As...>, Backward, In...>{name, out, backward, {inputs...}});
  return out;
}

/// The same of what only moves values: it makes no NaN that one would look for the line of.
template <class T, IsAxis... As, class Backward, class... In>
Var<T, As...> record(const char* name, Var<T, As...> out, Backward backward, const In&... inputs) {
  return record(name, Where{}, out, backward, inputs...);
}

/// The same tensor row-major in memory: itself, or a recorded copy of a view.
template <class T, IsAxis... As>
Var<T, As...> contiguous(const Var<T, As...>& x) {
  x.check();
  if (x.is_contiguous()) return x;
  Var<T, As...> y = result<T, As...>(x.extents, x);
  const auto each = [x](auto move) {
    std::size_t i = 0;
    each_offset(x.extents, x.strides, [&](std::size_t at) { move(at, i++); });
  };
  each([&](std::size_t at, std::size_t i) { y.value[i] = x.value[at]; });
  return record("copy(%0)", y, [=] { each([&](std::size_t at, std::size_t i) { x.gradient[at] += y.gradient[i]; }); }, x);
}

/// A tensor spread over the axes of another: a mask as the kernels want it. No gradient.
template <IsAxis... As, class T, IsAxis... Ms>
Var<T, As...> spread_over(const Extents<sizeof...(As)>& extents, const Var<T, Ms...>& mask) {
  const NoRecording guard;
  if constexpr (std::same_as<Axes<As...>, Axes<Ms...>>)
    if (mask.is_contiguous()) return mask;
  return Expr<Leaf<T, Ms...>, T, As...>{{mask}, extents};
}

}  // namespace hindsight::detail
