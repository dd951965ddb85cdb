// What the tests of encoder-decoders share: pairs of unequal lengths, random parameters, and what is asked of
// every model.
#pragma once

#include <algorithm>
#include <catch2/catch_test_macros.hpp>

#include "autodiff/gradcheck.hpp"
#include "models/decoding.hpp"
#include "tests/kernel_data.hpp"

namespace hindsight {

inline constexpr int bos = 0, eos = 1;

/// Random values for all parameters: zeros would hide mistakes.
struct Fill {
  std::uint64_t n = 0;
  void operator()(const Path&, auto& part) {
    if constexpr (is_parameter<std::remove_cvref_t<decltype(part)>>)
      initialise_uniform(part, 0.9, Random{5}.child(n++));
  }
};
template <class Model>
Model filled_model(std::size_t source_symbols, std::size_t target_symbols) {
  auto model = Model::of(source_symbols, target_symbols, 1);
  walk(model, Fill{});
  return model;
}

/// Checks that the loss reaches every parameter. A hard choice teaches its score nothing.
struct Reached {
  bool hard;
  void operator()(const Path& path, const auto& part) const {
    if constexpr (is_parameter<std::remove_cvref_t<decltype(part)>>) {
      INFO(path.text());
      const bool reached = std::ranges::any_of(part.gradients(), [](double g) { return g != 0; });
      CHECK(reached != (hard && path.text().starts_with("decoder.read.score.")));
    }
  }
};

/// The gradients of the loss of three-token targets by every parameter against finite differences, over sources
/// of 3, 1 and no symbols.
template <class Model>
void check_end_to_end(bool hard = false) {
  const std::vector<std::vector<int>> sources{{1, 0, 2}, {3}, {}}, targets{{2, 3}, {3}, {2, 2}};
  const PairBatch batch = PairBatch::of(sources, targets, bos, eos);
  REQUIRE(batch.target_positions() == 3);
  auto model = filled_model<Model>(4, 4);
  const auto loss = [&] { return cross_entropy<TargetVocab>(model(batch).logits, batch.targets); };
  const auto report = check_gradients(loss, model);
  INFO(report.text());
  CHECK(report.ok());

  Tape tape;
  backward(loss());
  walk(model, Reached{hard});
}

/// Pairs of 6 source symbols and 5 target symbols.
inline const std::vector<std::vector<int>> sources{{3, 1, 2}, {4}, {}, {5, 5, 0, 2, 1, 3, 4}},
    targets{{2, 3}, {4}, {3, 3, 2, 4}, {}};

/// Those of the logits, Target x Batch x TargetVocab, that are before a target's end.
template <class T>
std::vector<T> counted(const PairBatch& batch, const std::vector<T>& logits) {
  const auto symbols = static_cast<std::ptrdiff_t>(logits.size() / batch.targets.size());
  std::vector<T> found;
  auto row = logits.begin();
  for (std::size_t at = 0; at < batch.targets.size(); ++at, row += symbols)
    if (batch.targets[at] >= 0) found.insert(found.end(), row, row + symbols);
  return found;
}

/// The logits of a free run that is fed the right symbols, step by step.
template <class Model>
std::vector<typename Model::Scalar> free_run(const Model& model, const PairBatch& batch) {
  const auto encoded = model.encode(batch);
  auto s = encoded.state;
  std::vector<typename Model::Scalar> logits;
  for (std::size_t t = 0; t < batch.target_positions(); ++t) {
    const auto y = model.written(std::span(batch.inputs).subspan(t * batch.size(), batch.size()));
    s = model.decoder.step(y, s, encoded.memory);
    for (const auto x : Var(model.to_logits(output(s))).values()) logits.push_back(x);
  }
  return counted(batch, logits);
}

/// Teacher forcing is a free run that is fed the right symbols, bit for bit.
template <class Model>
void check_teacher_forcing() {
  const auto model = filled_model<Model>(6, 5);
  const PairBatch batch = PairBatch::of(sources, targets, bos, eos);
  Tape tape;
  const auto taught = counted(batch, model(batch).logits.values());
  REQUIRE(taught.size() == (3 + 2 + 5 + 1) * 5);
  CHECK(same_bits(free_run(model, batch), taught));
  const NoRecording guard;
  CHECK(same_bits(free_run(model, batch), taught));
}

/// A sentence alone and in a batch of longer ones: the same symbols, and the same logits, bit for bit.
template <class Model>
void check_sentences_alone() {
  const auto model = filled_model<Model>(6, 5);
  const PairBatch batch = PairBatch::of(sources, targets, bos, eos);
  const Written together = greedy(model, batch, bos, eos, 12);
  Tape tape;
  const auto logits = model(batch).logits;
  for (std::size_t b = 0; b < sources.size(); ++b) {
    CAPTURE(b);
    const PairBatch alone = PairBatch::of(sources, targets, std::vector{b}, bos, eos);
    CHECK(greedy(model, alone, bos, eos, 12)[0] == together[b]);
    const auto own = model(alone).logits;
    for (std::size_t t = 0; t <= targets[b].size(); ++t)
      CHECK(same_bits(at<Batch>(at<Target>(own, t), 0).values(), at<Batch>(at<Target>(logits, t), b).values()));
  }
}

}  // namespace hindsight
