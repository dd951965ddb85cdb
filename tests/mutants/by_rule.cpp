// Mutants by rule: every operation with each of its operands, gates and step offsets wrong in turn.
#include <optional>
#include <tuple>

#include "autodiff/views.hpp"
#include "tests/mutants/mutant.hpp"
#include "tests/mutants/operations.hpp"

namespace hindsight::mutants {
namespace {

struct Time : Axis<steps> {};
struct Batch : Axis<batch> {};
struct In : Axis<in> {};
struct Hidden : Axis<hidden> {};
struct Source : Axis<sources> {};
struct Symbol : Axis<symbols> {};
struct Class : Axis<classes> {};
struct Forget;
struct Input;
struct Candidate;
struct Output;
struct Reset;
struct Update;
struct Shown;
struct Kept;
using LstmGates = Gates<Hidden, Forget, Input, Candidate, Output>;
using Both = Gates<Hidden, Shown, Kept>;

/// What is done to what a right backward adds.
enum class Rule {
  none,
  flip,
  drop,
  twice,
  overwrite,
  flip_gate,
  drop_gate,
  exchange_gates,
  no_derivative,
  earlier,
  later
};

struct Mutation {
  Rule rule = Rule::none;
  std::size_t operand = 0;  // whose gradient, or whose value is taken of another step
  std::size_t gate = 0;
};

/// The calls of an operation in one recording: their operands' values, by time.
using Calls = std::vector<Values>;

void multiply_gate(std::vector<double>& gradient, std::size_t gates, std::size_t gate, const std::vector<double>& by) {
  for (std::size_t k = 0; k < gradient.size(); ++k)
    if (k / hidden % gates == gate) gradient[k] *= by[k];
}

void spoil(const Operation& op, const Mutation& m, const Values& x, Gradients& d) {
  std::vector<double>& of_operand = d[m.operand];
  const std::size_t gates = op.gates.size();
  const auto times = [&](double factor) {
    for (double& g : of_operand) g *= factor;
  };
  const auto gate_times = [&](double factor) {
    multiply_gate(d[0], gates, m.gate, std::vector<double>(d[0].size(), factor));
  };
  switch (m.rule) {
    case Rule::flip:
      return times(-1);
    case Rule::drop:
      return times(0);
    case Rule::twice:
      return times(2);
    case Rule::flip_gate:
      return gate_times(-1);
    case Rule::drop_gate:
      return gate_times(0);
    case Rule::exchange_gates:
      for (std::size_t k = 0; k < d[0].size(); ++k)
        if (k / hidden % gates == m.gate) std::swap(d[0][k], d[0][k + ((m.gate + 1) % gates - m.gate) * hidden]);
      return;
    case Rule::no_derivative: {
      std::vector<double> by(d[0].size());
      for (std::size_t k = 0; k < by.size(); ++k) {
        const double y = op.gates[m.gate] == op.tanh ? std::tanh(x[0][k]) : sigmoid(x[0][k]);
        by[k] = 1 / (op.gates[m.gate] == op.tanh ? 1 - y * y : y * (1 - y));
      }
      return multiply_gate(d[0], gates, m.gate, by);
    }
    default:
      return;
  }
}

/// The operation on the tape, with its backward spoilt.
template <IsAxis... Out, class... Ins>
Var<double, Out...> apply(const Operation& op, const Mutation& m, Calls& calls, const char* text, const Ins&... views) {
  return [&](const auto&... ins) {
    auto y = detail::result<double, Out...>(detail::extents_of(Axes<Out...>{}), ins...);
    const std::size_t t = calls.size();
    calls.push_back({ins.value...});
    op.forward(calls[t], y.value);
    return detail::record(
        text, y,
        [&op, m, &calls, t, y, ins...] {
          Values used = calls[t];
          if (m.rule == Rule::earlier && t > 0) used[m.operand] = calls[t - 1][m.operand];
          if (m.rule == Rule::later && t + 1 < calls.size()) used[m.operand] = calls[t + 1][m.operand];
          Gradients d{std::vector<double>(ins.size(), 0.0)...};
          op.backward(calls[t], used, y.value, y.gradient, d);
          spoil(op, m, calls[t], d);
          std::size_t n = 0;
          const auto add = [&](double* gradient) {
            const bool overwrites = m.rule == Rule::overwrite && m.operand == n;
            for (std::size_t k = 0; gradient && k < d[n].size(); ++k)
              gradient[k] = (overwrites ? 0 : gradient[k]) + d[n][k];
            ++n;
          };
          (add(ins.gradient), ...);
        },
        ins...);
  }(detail::contiguous(detail::as_var(views))...);
}

// A model around each operation; those of recurrent cells run over time.

GradientReport check_rnn(const Mutation& m, std::uint64_t seed) {
  Calls calls;
  return check_gradients(
      [&](auto xs, auto h, auto W, auto U, auto b) {
        calls.clear();
        calls.reserve(steps);
        for (std::size_t t = 0; t < steps; ++t)
          h = apply<Batch, Hidden>(rnn, m, calls, "rnn(%0, %1, %2, %3, %4)", at<Time>(xs, t), h, W, U, b);
        return h;
      },
      drawn<Time, Batch, In>("x", seed), drawn<Batch, Hidden>("h", seed), drawn<In, Hidden>("W", seed),
      drawn<From<Hidden>, Hidden>("U", seed), drawn<Hidden>("b", seed));
}

template <class Step>
GradientReport check_lstms(std::uint64_t seed, Step step) {
  return check_gradients(
      [&](auto xs, auto c, auto U, auto p_f, auto p_i, auto p_o) {
        Var h = tanh(c);
        for (std::size_t t = 0; t < steps; ++t) {
          Var z = at<Time>(xs, t) + Var(contract<From<Hidden>>(rename<Hidden, From<Hidden>>(h), U));
          const Var<double, Batch, Both> y = step(t, z, c, p_f, p_i, p_o);
          h = detail::contiguous(gate<Shown>(y));
          c = detail::contiguous(gate<Kept>(y));
        }
        return h;
      },
      drawn<Time, Batch, LstmGates>("x", seed), drawn<Batch, Hidden>("c", seed),
      drawn<From<Hidden>, LstmGates>("U", seed), drawn<Hidden>("p_f", seed), drawn<Hidden>("p_i", seed),
      drawn<Hidden>("p_o", seed));
}

GradientReport check_lstm(const Mutation& m, std::uint64_t seed) {
  Calls calls;
  calls.reserve(steps);
  return check_lstms(seed, [&](std::size_t t, auto z, auto c, auto...) {
    if (t == 0) calls.clear();
    return apply<Batch, Both>(lstm, m, calls, "lstm(%0, %1)", z, c);
  });
}

GradientReport check_peephole(const Mutation& m, std::uint64_t seed) {
  Calls calls;
  calls.reserve(steps);
  return check_lstms(seed, [&](std::size_t t, auto z, auto c, auto... p) {
    if (t == 0) calls.clear();
    return apply<Batch, Both>(peephole, m, calls, "peephole(%0, %1, %2, %3, %4)", z, c, p...);
  });
}

GradientReport check_gru(const Mutation& m, std::uint64_t seed) {
  Calls calls;
  calls.reserve(steps);
  return check_gradients(
      [&](auto as, auto xs, auto h, auto U) {
        calls.clear();
        for (std::size_t t = 0; t < steps; ++t) {
          Var u = contract<From<Hidden>>(rename<Hidden, From<Hidden>>(h), U);
          h = apply<Batch, Hidden>(gru, m, calls, "gru(%0, %1, %2, %3)", at<Time>(as, t), at<Time>(xs, t), u, h);
        }
        return h;
      },
      drawn<Time, Batch, Gates<Hidden, Reset, Update>>("a", seed), drawn<Time, Batch, Hidden>("x", seed),
      drawn<Batch, Hidden>("h", seed), drawn<From<Hidden>, Hidden>("U", seed));
}

GradientReport check_attention(const Operation& op, const Mutation& m, std::uint64_t seed) {
  Calls calls;
  calls.reserve(2);
  const Mutation none;
  return check_gradients(
      [&](auto query, auto memory) {
        calls.clear();
        Var e = contract<Hidden>(query, memory);
        const auto alpha = apply<Batch, Source>(softmax, &op == &softmax ? m : none, calls, "softmax(%0)", e);
        return apply<Batch, Hidden>(attention, &op == &attention ? m : none, calls, "attention(%0, %1)", alpha, memory);
      },
      drawn<Batch, Hidden>("query", seed), drawn<Batch, Source, Hidden>("memory", seed));
}
GradientReport check_softmax(const Mutation& m, std::uint64_t seed) { return check_attention(softmax, m, seed); }
GradientReport check_read(const Mutation& m, std::uint64_t seed) { return check_attention(attention, m, seed); }

GradientReport check_layer_norm(const Mutation& m, std::uint64_t seed) {
  Calls calls;
  return check_gradients(
      [&](auto x, auto gain, auto bias) {
        calls.clear();
        calls.reserve(1);
        return tanh(apply<Batch, Hidden>(layer_norm, m, calls, "layer_norm(%0, %1, %2)", x, gain, bias));
      },
      drawn<Batch, Hidden>("x", seed), drawn<Hidden>("gain", seed), drawn<Hidden>("bias", seed));
}

GradientReport check_embedding(const Mutation& m, std::uint64_t seed) {
  Calls calls;
  return check_gradients(
      [&](auto table) {
        calls.clear();
        calls.reserve(1);
        return sin(apply<Batch, Hidden>(embedding, m, calls, "embedding(%0)", table));
      },
      drawn<Symbol, Hidden>("table", seed));
}

GradientReport check_cross_entropy(const Mutation& m, std::uint64_t seed) {
  Calls calls;
  return check_gradients(
      [&](auto h, auto W) {
        calls.clear();
        calls.reserve(1);
        Var logits = contract<Hidden>(h, W);
        return apply<>(cross_entropy, m, calls, "cross_entropy(%0)", logits);
      },
      drawn<Batch, Hidden>("h", seed), drawn<Hidden, Class>("W", seed));
}

using Check = GradientReport (*)(const Mutation&, std::uint64_t);

struct Subject {
  const Operation* op;
  Check check;
  std::vector<std::size_t> used;    // operands whose values the backward multiplies by, and that come anew at each step
  std::vector<std::size_t> shared;  // operands that something else uses too: their gradients must not be overwritten
};

}  // namespace

std::vector<Mutant> by_rule() {
  std::vector<Mutant> all;
  const Subject subjects[] = {
      {&rnn, check_rnn, {0, 1}, {0, 2, 3, 4}},
      {&lstm, check_lstm, {1}, {}},
      {&peephole, check_peephole, {1}, {2, 3, 4}},
      {&gru, check_gru, {2, 3}, {0, 1, 3}},
      {&softmax, check_softmax, {}, {}},
      {&attention, check_read, {}, {1}},
      {&layer_norm, check_layer_norm, {}, {0, 1, 2}},
      {&embedding, check_embedding, {}, {0}},
      {&cross_entropy, check_cross_entropy, {}, {}},
  };
  const auto add = [&all](const Subject& s, const Mutation& m, const std::string& what, std::vector<Mistake> names) {
    all.push_back(
        {s.op->name + what, std::move(names), [check = s.check, m](std::uint64_t seed) { return check(m, seed); }});
  };
  for (const Subject& s : subjects) {
    add(s, {}, ", right", {});
    for (std::size_t o = 0; o < s.op->operands.size(); ++o) {
      const std::string of = ", gradient of " + s.op->operands[o];
      add(s, {Rule::flip, o}, of + ": the sign is flipped", {Mistake::sign});
      add(s, {Rule::drop, o}, of + ": dropped", {Mistake::cut_off});
      add(s, {Rule::twice, o}, of + ": counted twice", {Mistake::factor});
    }
    for (const std::size_t o : s.shared)
      add(s, {Rule::overwrite, o}, ", gradient of " + s.op->operands[o] + ": overwritten", {Mistake::overwritten});
    for (std::size_t g = 0; g < s.op->gates.size(); ++g) {
      const std::string of = ", gate " + s.op->gates[g];
      add(s, {Rule::flip_gate, 0, g}, of + ": the sign is flipped", {Mistake::sign});
      add(s, {Rule::drop_gate, 0, g}, of + ": dropped", {Mistake::cut_off});
      add(s, {Rule::exchange_gates, 0, g}, of + ": exchanged with the next", {Mistake::exchanged});
      if (s.op != &peephole || g == 2)
        add(s, {Rule::no_derivative, 0, g}, of + ": without its derivative", {Mistake::derivative});
    }
    for (const std::size_t o : s.used) {
      add(s, {Rule::earlier, o}, ", " + s.op->operands[o] + " of the step before",
          {Mistake::step_off, Mistake::other_value});
      add(s, {Rule::later, o}, ", " + s.op->operands[o] + " of the step after",
          {Mistake::step_off, Mistake::other_value});
    }
  }
  return all;
}

}  // namespace hindsight::mutants
