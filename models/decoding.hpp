// Writing freely: each symbol is chosen from what the model says, and given back to it.
#pragma once

#include <algorithm>

#include "models/beam_search.hpp"
#include "models/encoder_decoder.hpp"

namespace hindsight {

namespace detail {

/// Rows of a tensor along one axis, in another order, some more than once; not differentiated.
template <IsAxis A, class T, IsAxis... As>
Var<T, As...> picked(const Var<T, As...>& x, std::span<const std::size_t> rows) {
  constexpr std::size_t d = index_in<A, Axes<As...>>;
  Extents<sizeof...(As)> extents = x.extents;
  extents[d] = rows.size();
  Var<T, As...> y = allocate<T, As...>(extents);
  std::size_t next = 0;
  each_offset(extents, row_major(extents), [&](std::size_t at) {
    std::size_t from = 0, rest = at;
    for (std::size_t e = sizeof...(As); e-- > 0; rest /= extents[e])
      from += (e == d ? rows[rest % extents[e]] : rest % extents[e]) * x.strides[e];
    y.value[next++] = x.value[from];
  });
  return y;
}

/// A memory's rows, likewise; of what a read made of it, too.
template <IsAxis A>
NoMask picked(NoMask, std::span<const std::size_t>) {
  return {};
}
template <IsAxis A, class Context, class Weights>
auto picked(const Look<Context, Weights>& look, std::span<const std::size_t> rows) {
  return Look{picked<A>(look.context, rows), picked<A>(look.weights, rows)};
}
template <IsAxis A, class States, class Keys, class Mask>
auto picked(const Memory<States, Keys, Mask>& memory, std::span<const std::size_t> rows) {
  return Memory{picked<A>(memory.states, rows), picked<A>(memory.keys, rows), picked<A>(memory.mask, rows)};
}

/// Nothing can be chosen by logits, Batch x TargetVocab, of which one is NaN or +inf: throws Error.
template <class Logits>
void check_logits(const Logits& logits, std::size_t step) {
  const auto values = logits.values();
  for (std::size_t at = 0; at < values.size(); ++at)
    if (!(values[at] < HUGE_VAL))
      throw Error("decoding: at step " + std::to_string(step) + " the logit of symbol " +
                  std::to_string(at % logits.extents[1]) + " is " + std::to_string(values[at]) + " in row " +
                  std::to_string(at / logits.extents[1]) + ": the model has diverged");
}

/// Log-probabilities of the next symbol, a row a sentence, in double.
template <class Logits>
std::vector<double> log_probabilities(const Logits& logits) {
  const auto values = logits.values();
  const std::size_t symbols = logits.extents[1];
  std::vector<double> out(values.begin(), values.end());
  for (std::size_t r = 0; r * symbols < out.size(); ++r) {
    const auto row = std::span(out).subspan(r * symbols, symbols);
    const double top = *std::max_element(row.begin(), row.end());
    double sum = 0;
    for (const double x : row) sum += std::exp(x - top);
    for (double& x : row) x -= top + std::log(sum);
  }
  return out;
}

}  // namespace detail

/// What was written of each sentence of a batch, eos not among it.
using Written = std::vector<std::vector<std::int32_t>>;

/// Greedy decoding: the likeliest symbol at each step, the smallest of equals, until eos or `max_length`
/// symbols. Throws Error where a logit is NaN or +inf, and for an eos outside the vocabulary.
template <class Model>
Written greedy(const Model& model, const PairBatch& batch, std::int32_t bos, std::int32_t eos, std::size_t max_length) {
  const std::size_t symbols = model.to_logits.bias.size();
  if (eos < 0 || static_cast<std::size_t>(eos) >= symbols)
    throw Error("decoding: eos is " + std::to_string(eos) + ", the symbols are 0 to " + std::to_string(symbols) +
                " exclusive");
  Tape tape;
  const NoRecording guard;
  const auto [memory, first] = model.encode(batch);
  auto s = first;
  Written written(batch.size());
  std::vector<std::int32_t> last(batch.size(), bos);
  std::vector<bool> ended(batch.size(), false);
  for (std::size_t t = 0; t < max_length && std::find(ended.begin(), ended.end(), false) != ended.end(); ++t) {
    s = model.decoder.step(model.written(last), s, memory);
    const Var logits = model.to_logits(output(s));
    detail::check_logits(logits, t);
    last = argmax<TargetVocab>(logits);
    for (std::size_t b = 0; b < last.size(); ++b) {
      ended[b] = ended[b] || last[b] == eos;
      if (!ended[b]) written[b].push_back(last[b]);
    }
  }
  return written;
}

/// Beam search for one sentence, which is encoded once. See beam_search for what is returned and in which order.
/// With a beam of 1 it is greedy decoding, up to the rounding of log-probabilities. Throws Error as greedy does.
template <class Model>
std::vector<Hypothesis> beam(const Model& model, const std::vector<int>& source, std::int32_t bos, std::int32_t eos,
                             const BeamOptions& options = {}) {
  const std::vector<std::vector<int>> one{source}, nothing(1);
  Tape tape;
  const NoRecording guard;
  const auto encoded = model.encode(PairBatch::of(one, nothing, bos, eos));
  const std::vector<std::size_t> beam_of_it(options.beam, 0);
  const auto memory = detail::picked<Batch>(encoded.memory, beam_of_it);  // a row a hypothesis
  auto s = encoded.state;
  std::size_t steps = 0;
  const auto expand = [&](std::span<const std::size_t> parents, std::span<const std::int32_t> symbols) {
    std::vector<std::size_t> rows(parents.begin(), parents.end());
    std::vector<std::int32_t> last(symbols.begin(), symbols.end());
    rows.resize(options.beam, rows[0]);  // rows without a hypothesis repeat the first one
    last.resize(options.beam, last[0]);
    s = zip([&](const auto& v) { return detail::picked<Batch>(v, rows); }, s);
    s = model.decoder.step(model.written(last), s, memory);
    const Var logits = model.to_logits(output(s));
    detail::check_logits(logits, steps++);
    std::vector<double> next = detail::log_probabilities(logits);
    next.resize(next.size() / options.beam * parents.size());
    return next;
  };
  return beam_search(model.to_logits.bias.size(), bos, eos, options, expand);
}

}  // namespace hindsight
