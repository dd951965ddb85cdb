// Runs a cell over time. The cell says nothing of time: unroll(cell, xs, s0) runs any of them over
// any length.
#pragma once

#include <span>

#include "autodiff/checkpoint.hpp"
#include "autodiff/join.hpp"
#include "autodiff/reductions.hpp"
#include "layers/cell.hpp"

namespace hindsight {

/// The direction a sequence is read in. Outputs stay where their inputs are.
enum class Direction { forward, backward };

/// How a sequence is run.
struct UnrollOptions {
  Direction direction = Direction::forward;
  /// Truncated backpropagation: the gradient is cut after every so many steps. 0: nowhere.
  std::size_t window = 0;
  /// Segments of so many steps are recorded one at a time, in the backward pass, and not all of them at once; of the
  /// others the outputs and the states between them are kept: `.checkpoint = segment_for(steps)`. 0: all is recorded.
  std::size_t checkpoint = 0;

  /// The same in a direction.
  UnrollOptions in(Direction other) const {
    UnrollOptions options = *this;
    options.direction = other;
    return options;
  }
};

/// A sequence that was run: what the cell showed at each step, Time x Batch x H, and the state it
/// ended in.
template <class Outputs, class State_>
struct Unrolled {
  Outputs outputs;
  State_ last;
  /// The state after each step; it lies on the tape. Inside of a checkpointed segment there is none: such a state
  /// stands for nothing, and every use of it throws TapeError.
  std::span<const State_> states;
};

/// Which steps of a batch of sequences are real: 1 where t < lengths[b], Time x Batch.
template <IsAxis Time, IsAxis B, class T = float>
Var<T, Time, B> mask_of_lengths(std::span<const std::size_t> lengths, std::size_t time) {
  auto mask = detail::allocate<T, Time, B>({time, lengths.size()});
  if (!is_dynamic<B> && lengths.size() != B::extent)
    detail::extents_differ("mask_of_lengths", axis_name<B>(), B::extent, lengths.size());
  for (std::size_t b = 0; b < lengths.size(); ++b) {
    if (lengths[b] > time)
      throw Error("mask_of_lengths: sequence " + std::to_string(b) + " is " + std::to_string(lengths[b]) +
                  " long, the batch " + std::to_string(time));
    for (std::size_t t = 0; t < time; ++t) mask.value[t * lengths.size() + b] = t < lengths[b] ? T{1} : T{0};
  }
  return mask;
}

namespace detail {

/// Is step t real for every sequence? Then nothing has to be chosen.
template <class T, IsAxis Time, IsAxis B>
bool all_real(const Var<T, Time, B>& mask, std::size_t t) {
  for (std::size_t b = 0; b < mask.extents[1]; ++b)
    if (mask.at(t, b) == T{0}) return false;
  return true;
}

/// One step; where the mask is 0 the input is not looked at and the state stays.
template <class Cell, class X, class S>
S step(const Cell& cell, const X& x, const S& state, NoMask, std::size_t) {
  return cell(x, state);
}
template <class Cell, class X, class S, class T, IsAxis Time, IsAxis B>
S step(const Cell& cell, const X& x, const S& state, const Var<T, Time, B>& mask, std::size_t t) {
  if (all_real(mask, t)) return cell(x, state);
  const auto real = at<Time>(mask, t);
  const S next = cell(X(select(real, x, 0.0)), state);
  return zip([&](const auto& now, const auto& before) { return as_var(select(real, now, before)); }, next, state);
}

/// What a step shows: its output, and 0 where the mask is 0.
template <class H>
H shown(const H& h, NoMask, std::size_t) {
  return h;
}
template <class H, class T, IsAxis Time, IsAxis B>
H shown(const H& h, const Var<T, Time, B>& mask, std::size_t t) {
  if (all_real(mask, t)) return h;
  return select(at<Time>(mask, t), h, 0.0);
}

/// Some of the steps, counted in the order in which they are taken, first to last - 1.
struct Stage {
  std::size_t first, last;
};

/// Runs these steps over the sequence; their outputs are stacked along Steps, in the order of time.
template <IsAxis Steps, class Cell, class T, IsAxis Time, IsAxis... Xs, class S, class Mask>
auto unroll_steps(const Cell& cell, const Var<T, Time, Xs...>& xs, const S& s0, const Mask& mask,
                  const UnrollOptions& options, Stage stage) {
  using H = std::remove_cvref_t<decltype(output(s0))>;
  Tape& tape = Tape::current();
  const std::size_t steps = stage.last - stage.first;
  const bool forward = options.direction == Direction::forward;
  const std::size_t begin = forward ? stage.first : xs.extents[0] - stage.last;  // the earliest in time
  auto* states = tape.allocate<S>(steps);
  auto* shown = tape.allocate<H>(steps);
  S state = s0;
  const std::uint64_t time = tape.occasion.time;
  for (std::size_t done = stage.first; done < stage.last; ++done) {
    const std::size_t t = forward ? done : xs.extents[0] - 1 - done;
    if (options.window > 0 && done > 0 && done % options.window == 0) state = detach(state);
    tape.occasion.time = time + t;
    state = step(cell, at<Time>(xs, t), state, mask, t);
    new (states + (t - begin)) S(state);
    new (shown + (t - begin)) H(detail::shown(output(state), mask, t));
  }
  tape.occasion.time = time;
  auto outputs = stacked<Steps>(std::span<const H>(shown, steps), output(s0));
  return Unrolled<decltype(outputs), S>{outputs, state, {states, steps}};
}

/// The time of a segment.
struct SegmentSteps : Axis<> {};

/// Runs the sequence in segments that are recorded one at a time.
template <class Cell, class T, IsAxis Time, IsAxis... Xs, class S, class Mask>
auto unroll_segments(const Cell& cell, const Var<T, Time, Xs...>& xs, const S& s0, const Mask& mask,
                     const UnrollOptions& options) {
  const auto segment = [options, cell = &cell](const auto& inputs, const S& before, const auto& real, Stage stage) {
    const auto run = unroll_steps<SegmentSteps>(*cell, inputs, before, real, options, stage);
    return std::tuple(run.outputs, run.last);
  };
  using Part = decltype(unroll_steps<SegmentSteps>(cell, xs, s0, mask, options, {}).outputs);
  Tape& tape = Tape::current();
  const std::size_t steps = xs.extents[0], each = std::min(options.checkpoint, std::max<std::size_t>(steps, 1));
  const std::size_t segments = (steps + each - 1) / each;
  auto* states = tape.allocate<S>(steps);
  const S nothing = zip([](const auto& v) { return std::remove_cvref_t<decltype(v)>(); }, s0);
  for (std::size_t t = 0; t < steps; ++t) new (states + t) S(nothing);
  auto* parts = tape.allocate<Part>(segments);
  S state = s0;
  for (std::size_t i = 0; i < segments; ++i) {
    const Stage stage{i * each, std::min(steps, (i + 1) * each)};
    const auto results = checkpoint(segment, xs, state, mask, stage);
    state = std::get<1>(results);
    const bool forward = options.direction == Direction::forward;
    new (parts + (forward ? i : segments - 1 - i)) Part(std::get<0>(results));
    states[forward ? stage.last - 1 : steps - stage.last] = state;
  }
  auto outputs = end_to_end<Time>("concatenate", std::span<const Part>(parts, segments), output(s0), steps);
  return Unrolled<decltype(outputs), S>{outputs, state, {states, steps}};
}

}  // namespace detail

/// Runs `cell` over xs (Time x Batch x In, or any cell input after Time) from state s0.
///
/// With a mask (Time x Batch, from mask_of_lengths) a masked step keeps the old state, shows 0, and
/// its input is not looked at: a batch of unequal lengths gives exactly what its sequences give one
/// by one. Read backwards, a sequence begins at its last real step. Throws Error for a mask of another length
/// or batch.
///
/// With checkpoints (options.checkpoint; autodiff/checkpoint.hpp) the cell runs again in the backward pass and must
/// live until then. What it reads of the tape comes by xs and s0.
template <class Cell, class T, IsAxis Time, IsAxis... Xs, class S, class Mask = NoMask>
auto unroll(const Cell& cell, const Var<T, Time, Xs...>& xs, const S& s0, const Mask& mask = {},
            const UnrollOptions& options = {}) {
  using Lacking = detail::LackingInStep<Cell, decltype(at<Time>(xs, 0)), S>;
  if constexpr (!std::same_as<Lacking, char>) {
    (void)sizeof(Lacking);
    return Unrolled<Var<T, Time, Xs...>, S>{xs, s0, {}};
  } else {
    if constexpr (!std::same_as<Mask, NoMask>)
      if constexpr (is_subset<typename Mask::Shape, Axes<Time, Xs...>>)
        detail::compare_extents<Axes<Time, Xs...>, typename Mask::Shape>(xs.extents, mask.extents, "unroll, mask");
    if (options.checkpoint > 0) return detail::unroll_segments(cell, xs, s0, mask, options);
    return detail::unroll_steps<Time>(cell, xs, s0, mask, options, {0, xs.extents[0]});
  }
}

/// A state's values, kept from one recording to the next: what truncated backpropagation carries.
template <class S>
class Carried {
 public:
  using Scalar = typename decltype(output(std::declval<S>()))::Scalar;

  /// Copies the state's values off the tape.
  void keep(const S& state) {
    std::size_t used = 0;
    zip(
        [&](const auto& v) {
          if (used == values_.size()) values_.emplace_back();
          auto& values = values_[used++];
          values.clear();
          detail::each_offset(v.extents, v.strides, [&](std::size_t at) { values.push_back(v.value[at]); });
          return v;
        },
        state);
    values_.resize(used);
  }
  bool empty() const { return values_.empty(); }
  void clear() { values_.clear(); }

  /// What is kept, one list for each variable of the state: to be saved and read back.
  const auto& values() const { return values_; }
  void append(std::vector<Scalar> values) { values_.push_back(std::move(values)); }

  /// How many variables a state has: as many lists are kept, or none.
  static std::size_t parts() {
    std::size_t count = 0;
    zip([&](const auto& v) { return ++count, v; }, S{});
    return count;
  }

  /// The values on the current tape, in memory of their own and in the shape of `like`, the cell's first
  /// state. Throws Error if its batch is another one, or if what is kept is not such a state.
  S on_tape(const S& like) const {
    if (values_.size() != parts())
      throw Error("carried state: it has " + std::to_string(values_.size()) + " variables and the cell's state has " +
                  std::to_string(parts()) + "; a state belongs to its own cell");
    std::size_t used = 0;
    return zip(
        [&]<class T, IsAxis... As>(const Var<T, As...>& v) {
          const auto& values = values_[used++];
          if (values.size() != v.size())
            throw Error("carried state: it has " + std::to_string(values.size()) + " values and the batch needs " +
                        std::to_string(v.size()) + "; a state belongs to its own batch");
          const auto kept = detail::allocate<T, As...>(v.extents);
          std::copy(values.begin(), values.end(), kept.value);
          return kept;
        },
        like);
  }

 private:
  std::vector<std::vector<Scalar>> values_;
};

}  // namespace hindsight
