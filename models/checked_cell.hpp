// A cell as its checks see it: numbers in, numbers out. What must be true of every cell is then written once, for any
// of them, and compiled once.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "autodiff/gradcheck.hpp"
#include "layers/unroll.hpp"
#include "models/axes.hpp"

namespace hindsight {

/// One variable of a state: `outer` x batch x `inner` numbers.
struct StatePart {
  std::vector<double> values;
  std::size_t outer, inner;
};

/// What a cell is run on.
struct CellInput {
  std::size_t steps, batch;
  std::vector<double> xs;                  // steps x batch x In
  std::vector<double> weights = {};        // of the outputs, steps x batch x Hidden: what is differentiated is their sum
  std::vector<std::size_t> lengths = {};   // of the sequences; empty: none is masked
  std::vector<StatePart> initial = {};     // the first state; empty: the cell's own
  std::size_t window = 0;                  // of truncated backpropagation
};

/// What it gave.
struct CellRun {
  std::vector<double> outputs;             // steps x batch x Hidden
  std::vector<StatePart> last;
  std::vector<double> by_input, by_parameter;
  std::vector<StatePart> by_initial;       // by the first state, if it was given
};

/// A cell of whatever type, with its parameters.
class CheckedCell {
 public:
  virtual ~CheckedCell() = default;
  virtual std::size_t in() const = 0;
  virtual std::size_t hidden() const = 0;
  virtual CellRun run(const CellInput& input) = 0;
  /// Outputs by inputs, by parameters and by the first state if one is given, against finite differences. Empty,
  /// and so not ok, for a cell in float.
  virtual GradientReport check_gradients(const CellInput& input) = 0;
  virtual std::vector<double> parameters() = 0;
  virtual void set_parameters(const std::vector<double>& values) = 0;
};

/// The axes of a cell that is checked: as long as a vector of doubles, and not, so that both are covered.
namespace checked {
struct In : Axis<3> {};
struct Hidden : Axis<5> {};
}  // namespace checked

template <class Cell>
class CheckedCellOf final : public CheckedCell {
  using In = typename Cell::In;
  using Hidden = typename Cell::Hidden;
  using T = typename Cell::Scalar;
  using S = decltype(std::declval<const Cell&>().initial(Extent<Batch>{}));
  using Xs = Var<T, Time, Batch, In>;
  static constexpr bool in_double = std::same_as<T, double>;  // in float, less is compiled

 public:
  /// With the cell's own first values.
  explicit CheckedCellOf(std::uint64_t seed) {
    initialise(cell_, seed);
    for_each_parameter(cell_, [this](const Path&, auto& p) { cores_.push_back(&p.core()); });
  }

  /// With random ones for all parameters, in +-size: zeros would hide mistakes.
  CheckedCellOf(std::uint64_t seed, double size) : CheckedCellOf(seed) {
    for (std::size_t i = 0; i < cores_.size(); ++i)
      fill_uniform<T>(cores_[i]->size(), static_cast<T>(-size), static_cast<T>(size), Random{seed}.child(i), Edit<T>(*cores_[i]).begin());
  }

  std::size_t in() const override { return In::extent; }
  std::size_t hidden() const override { return Hidden::extent; }

  std::vector<double> parameters() override {
    std::vector<double> all;
    for (ParameterCore<T>* core : cores_) all.insert(all.end(), core->value(), core->value() + core->size());
    return all;
  }
  void set_parameters(const std::vector<double>& values) override {
    std::size_t next = 0;
    for (ParameterCore<T>* core : cores_) {
      Edit<T> edit(*core);
      for (T& w : edit) w = static_cast<T>(values[next++]);
    }
  }

  CellRun run(const CellInput& input) override {
    Tape tape;
    for (ParameterCore<T>* core : cores_) std::fill_n(core->gradient(), core->size(), T{0});
    const Xs xs = variable<Time, Batch, In>(cast<T>(input.xs), extent<Time>(input.steps), extent<Batch>(input.batch));
    const S first = first_state(input);
    const auto ran = unrolled(input, xs, first);
    if (!input.weights.empty())
      backward(ran.outputs, constant<Time, Batch, Hidden>(cast<T>(input.weights), extent<Time>(input.steps),
                                                          extent<Batch>(input.batch)));
    CellRun out{cast<double>(ran.outputs.values()), parts(ran.last), {}, {}, {}};
    if (input.weights.empty()) return out;
    out.by_input = cast<double>(xs.gradients());
    out.by_initial = input.initial;
    std::size_t next = 0;
    if (!input.initial.empty())
      zip([&](const auto& v) { return out.by_initial[next++].values = cast<double>(v.gradients()), v; }, first);
    for (ParameterCore<T>* core : cores_)
      out.by_parameter.insert(out.by_parameter.end(), core->gradient(), core->gradient() + core->size());
    return out;
  }

  GradientReport check_gradients(const CellInput& input) override {
    if constexpr (in_double) {
      Function f(*this, input);
      return detail::check(f, {});
    } else {
      return {};
    }
  }

 private:
  template <class To, class From>
  static std::vector<To> cast(const std::vector<From>& values) {
    std::vector<To> out;
    for (From v : values) out.push_back(static_cast<To>(v));
    return out;
  }

  /// The state the input gives, as variables to differentiate by, or the cell's own. It goes the way of every state
  /// that is carried from one recording to the next.
  S first_state(const CellInput& input) const {
    const S own = cell_.initial(extent<Batch>(input.batch));
    if (input.initial.empty()) return own;
    Carried<S> carried;
    for (const StatePart& part : input.initial) carried.append(cast<T>(part.values));
    return zip(
        [](auto v) {
          detail::give_gradient(v);
          return v;
        },
        carried.on_tape(own));
  }

  auto unrolled(const CellInput& input, const Xs& xs, const S& first) const {
    const UnrollOptions options{.window = input.window};
    if constexpr (in_double)
      if (!input.lengths.empty())
        return unroll(cell_, xs, first, mask_of_lengths<Time, Batch, T>(input.lengths, input.steps), options);
    return unroll(cell_, xs, first, NoMask{}, options);
  }

  static std::vector<StatePart> parts(const S& state) {
    Carried<S> kept;
    kept.keep(state);
    std::vector<StatePart> out;
    for (const auto& values : kept.values()) out.push_back({cast<double>(values), 1, 1});
    std::size_t next = 0;
    zip(
        [&]<IsAxis... As>(const Var<T, As...>& v) {
          StatePart& part = out[next++];
          const std::size_t batch = index_in<Batch, Axes<As...>>;
          for (std::size_t d = 0; d < v.extents.size(); ++d)
            if (d != batch) (d < batch ? part.outer : part.inner) *= v.extents[d];
          return v;
        },
        state);
    return out;
  }

  /// The cell over a sequence, as the gradient checker takes a function.
  class Function final : public detail::CheckedFunction {
   public:
    Function(CheckedCellOf& cell, const CellInput& input) : cell_(cell), input_(input) {
      Tape tape;
      subjects.push_back(detail::subject("x", Axes<Time, Batch, In>{}, {input.steps, input.batch, In::extent}, input_.xs.data()));
      if (!input.initial.empty())
        zip(
            [&]<IsAxis... As>(const Var<T, As...>& v) {
              const std::size_t n = subjects.size();
              subjects.push_back(detail::subject("first state, variable " + std::to_string(n), Axes<As...>{}, v.extents,
                                                 input_.initial[n - 1].values.data()));
              return v;
            },
            cell_.first_state(input_));
      for_each_parameter(cell_.cell_, [&]<IsAxis... As>(const Path& path, Parameter<double, As...>& p) {
        detail::Subject s = detail::subject(path.text(), Axes<As...>{}, p.extents(), p.core().value());
        s.parameter = &p.core();
        s.node = &p.core();
        s.gradient = p.core().gradient();
        subjects.push_back(std::move(s));
      });
    }

    detail::CheckedOutput run() override {
      const Xs xs = variable<Time, Batch, In>(input_.xs, extent<Time>(input_.steps), extent<Batch>(input_.batch));
      const S first = cell_.first_state(input_);
      std::size_t next = 0;
      const auto found = [&](const auto& v) {
        subjects[next].node = v.node;
        subjects[next++].gradient = v.gradient;
        return v;
      };
      found(xs);
      if (!input_.initial.empty()) zip(found, first);
      const auto y = cell_.unrolled(input_, xs, first).outputs;
      return {y.value, y.gradient, y.node, y.size()};
    }

   private:
    CheckedCellOf& cell_;
    CellInput input_;
  };

  Cell cell_;
  std::vector<ParameterCore<T>*> cores_;  // of its parameters
};

}  // namespace hindsight
