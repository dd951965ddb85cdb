// checkpoint(f, x...): y = f(x...), without keeping what f records.
//
//     const auto segment = [&](const auto& state, std::size_t begin) {
//       const auto run = unroll(cell, inputs(begin), state);                  // is recorded, and forgotten
//       return std::tuple(run.last, Var(sum(square(run.outputs))));          // is kept
//     };
//     const auto [next, loss] = checkpoint(segment, state, begin);
//
// Only f's results stay. When a backward pass comes to them, f runs a second time and is recorded again, that
// recording is run backwards, and it is forgotten too. A sequence of T steps in segments of n holds n recorded steps
// and T / n states; n = sqrt(T) makes that 2 sqrt(T), for one more run forwards (Chen, Xu, Zhang and Guestrin,
// "Training deep nets with sublinear memory cost", 2016; through time: Gruslys et al., "Memory-efficient
// backpropagation through time", 2016). Checkpoints may stand in each other.
//
// Values are those of f alone, bit for bit. Gradients are equal up to rounding: what is a sum over the whole sequence,
// as a weight's gradient is, is added up a segment at a time.
#pragma once

#include <cmath>
#include <cstring>

#include "autodiff/contract.hpp"
#include "autodiff/stretch.hpp"
#include "autodiff/zip.hpp"

namespace hindsight {

template <class F>
struct checkpoint_keeps_a_copy_of_the_function_so_it_must_own_nothing_and_capture_modules_by_reference;
template <class X>
struct checkpoint_keeps_a_copy_of_an_argument_so_it_must_own_nothing;
template <class R>
struct checkpoint_needs_a_function_that_returns_variables;

/// The length of segments that holds least of T steps: n recorded steps and T / n states, n = sqrt(T). At least 1.
inline std::size_t segment_for(std::size_t steps) {
  const double root = std::ceil(std::sqrt(static_cast<double>(steps)));
  return steps == 0 ? 1 : static_cast<std::size_t>(root);
}

namespace detail {

/// An argument as it is kept: expressions and parameters are variables then; states, numbers and views are copied.
template <class X>
auto kept_argument(const X& x) {
  if constexpr (TensorLike<X>) {
    const auto v = as_var(x);
    v.check();
    return v;
  } else {
    if constexpr (MadeOfVariables<X>) each_variable([](const auto& v) { v.check(); }, x);
    return x;
  }
}

template <class X>
using KeptArgument = decltype(kept_argument(std::declval<const X&>()));
template <class X>
inline constexpr bool owns_nothing = std::is_trivially_destructible_v<KeptArgument<X>>;

/// An argument as the function sees it on the current tape: the same memory, also of the gradient.
template <class X>
X as_seen_inside(const X& x) {
  if constexpr (MadeOfVariables<X>)
    return zip(
        [](auto v) {
          if (v.generation != 0) v.generation = Tape::current().generation();
          return v;
        },
        x);
  else
    return x;
}

/// What a function returns for arguments as they are kept.
template <class F, class... In>
using Returned = std::remove_cvref_t<decltype(std::declval<const F&>()(std::declval<const KeptArgument<In>&>()...))>;
template <class R>
concept Result = std::is_trivially_destructible_v<R> && (TensorLike<R> || MadeOfVariables<R>);

/// A result as a variable or as what is made of them: an expression is computed.
template <Result R>
auto as_result(const R& r) {
  if constexpr (TensorLike<R>)
    return as_var(r);
  else
    return r;
}

/// Calls move(i, offset) for each element of v, i counting them row-major.
template <class V, class Move>
void each_element(const V& v, Move move) {
  std::size_t i = 0;
  each_offset(v.extents, v.strides, [&](std::size_t at) { move(i++, at); });
}

/// A function, its arguments, and what else it takes to have the same values again.
template <class F, class... In>
struct Segment {
  F f;
  std::tuple<In...> arguments;
  Circumstances circumstances;

  auto run() const {
    auto results = std::apply([&](const In&... in) { return as_result(f(as_seen_inside(in)...)); }, arguments);
    each_variable([](const auto& v) { v.check(); }, results);
    return results;
  }
  void describe(StatementText& text) const {
    std::size_t count = 0;
    const auto add = [&](const auto& x) {
      if constexpr (MadeOfVariables<std::remove_cvref_t<decltype(x)>>)
        each_variable(
            [&](const auto& v) {
              text.operand(v.value, std::remove_cvref_t<decltype(v)>::Shape::spelled);
              ++count;
            },
            x);
    };
    std::apply([&](const In&... in) { (add(in), ...); }, arguments);
    text.call("checkpoint", count);
  }
};

/// The entry of a segment. Its results lie one after the other in one block.
template <class Out, class F, class... In>
struct CheckpointEntry {
  Segment<F, In...> segment;
  Out out;
  std::uint64_t versions;  // of the parameters that f read, added up

  void backward(std::uint64_t pass) const {
    Stretch again(segment.circumstances, true);
    const Out inside = segment.run();
    if (again.versions_read() != versions) Node::edited();
    each_variable([](const auto& a, const auto& b) { check_same(a, b); }, out, inside);
    each_variable(
        [pass](const auto& y, const auto& in) {
          if (!y.gradient || !in.gradient) return;
          in.reach(pass);
          each_element(in, [&](std::size_t i, std::size_t at) { in.gradient[at] += y.gradient[i]; });
        },
        out, inside);
    again.run_backward(pass);
  }
  /// Several results are described together, without axes of the whole.
  void describe(StatementText& text) const {
    segment.describe(text);
    each_variable(
        [&](const auto& v) {
          text.result(std::remove_cvref_t<decltype(v)>::Shape::spelled, v.extents, sizeof(*v.value));
        },
        out);
  }

 private:
  /// A function that has other values when it runs again has another gradient.
  template <class V>
  static void check_same(const V& before, const V& now) {
    bool same = before.extents == now.extents;
    if (same)
      each_element(now, [&](std::size_t i, std::size_t at) {
        same = same && std::memcmp(before.value + i, now.value + at, sizeof *now.value) == 0;
      });
    if (!same)
      throw TapeError(
          "checkpoint(f, ..): f gave other values when it ran again for the backward pass: what it reads besides its "
          "arguments has changed or is gone, as a loop's counter that is captured by reference");
  }
};

/// Results in one block of values and one of gradients, which is null where nothing is differentiated.
template <class Out>
struct Block {
  Out results;
  std::size_t bytes = 0, scalar_bytes = 0;
  std::byte *values = nullptr, *gradients = nullptr;

  /// Copies what a segment gave to the tape outside of it.
  Block(Tape& tape, const Out& inside) {
    bool differentiated = false;
    each_variable(
        [&](const auto& v) {
          if (scalar_bytes != 0 && scalar_bytes != sizeof *v.value)
            throw Error("checkpoint(f, ..): f returns numbers of several types, float and double");
          scalar_bytes = sizeof *v.value;
          bytes += v.size() * scalar_bytes;
          differentiated = differentiated || v.gradient;
        },
        inside);
    values = tape.allocate<std::byte>(bytes);
    if (differentiated) gradients = tape.allocate<std::byte>(bytes);
    std::size_t begin = 0;
    results = zip(
        [&]<class T, IsAxis... As>(const Var<T, As...>& v) {
          Var<T, As...> y;
          y.extents = v.extents;
          y.strides = row_major(v.extents);
          y.generation = tape.generation();
          y.value = reinterpret_cast<T*>(values + begin);
          if (v.gradient) y.gradient = reinterpret_cast<T*>(gradients + begin);
          each_element(v, [&](std::size_t i, std::size_t at) { y.value[i] = v.value[at]; });
          begin += v.size() * sizeof(T);
          return y;
        },
        inside);
  }
};

/// Runs a segment beneath the current tape, and records it there as one statement.
template <class F, class... In>
auto checkpointed(const Segment<F, In...>& segment) {
  using Out = decltype(segment.run());
  Tape& tape = Tape::current();
  std::uint64_t versions = 0;
  const Block<Out> block = [&] {
    const Stretch stretch(segment.circumstances, tape.recording());
    const Out inside = segment.run();
    versions = stretch.versions_read();
    return Block<Out>(tape, inside);
  }();
  if (!tape.recording()) return block.results;
  Entry* entry = nullptr;
  each_variable(
      [&]<class T, IsAxis... As>(const Var<T, As...>&) {
        if (!entry)
          entry = tape.record(reinterpret_cast<T*>(block.values), block.bytes / sizeof(T),
                              reinterpret_cast<T*>(block.gradients), {},
                              CheckpointEntry<Out, F, In...>{segment, block.results, versions});
      },
      block.results);
  return zip([&](auto y) { return y.node = entry, y; }, block.results);
}

}  // namespace detail

/// y = f(x...), computed again for the backward pass instead of being kept: see the top of this file.
///
/// The arguments are variables, expressions, parameters, states or tuples of those, which f takes as variables and
/// through which gradients pass; and numbers and views, which it takes as they are. f returns a variable, an
/// expression, a state or a tuple of those. It is copied, and captures by reference the modules and the data that it
/// reads: these must live until the backward pass has run. Gradients of the parameters that it reads are added as ever.
///
/// f sees the tape's occasion as it is now, so that dropout drops the same elements again. What it records is not seen
/// by drawings and by the search for a NaN: it is one statement.
///
/// Throws TapeError for a function that uses a variable that it is not given, that runs `backward` or `reset`, and, in
/// the backward pass, for one that has other values then, or whose parameters were edited.
template <class F, class... In>
auto checkpoint(const F& f, const In&... arguments) {
  if constexpr (!std::is_trivially_destructible_v<F>)
    (void)sizeof(checkpoint_keeps_a_copy_of_the_function_so_it_must_own_nothing_and_capture_modules_by_reference<F>);
  else if constexpr (!(detail::owns_nothing<In> && ...))
    ((void)sizeof(std::conditional_t<detail::owns_nothing<In>, char,
                                     checkpoint_keeps_a_copy_of_an_argument_so_it_must_own_nothing<In>>),
     ...);
  else if constexpr (!detail::Result<detail::Returned<F, In...>>)
    (void)sizeof(checkpoint_needs_a_function_that_returns_variables<detail::Returned<F, In...>>);
  else
    return detail::checkpointed(detail::Segment<F, detail::KeptArgument<In>...>{
        f, {detail::kept_argument(arguments)...}, Circumstances::current()});
}

}  // namespace hindsight
