// Training an encoder-decoder on pairs, epoch after epoch, so that it can stop at any step and go on.
#pragma once

#include <span>
#include <vector>

#include "models/checkpoint.hpp"
#include "models/encoder_decoder.hpp"
#include "models/schedule.hpp"

namespace hindsight {

/// What training an encoder-decoder takes.
struct PairTrainerOptions {
  std::size_t batch = 32;
  double rate = 2e-3;      ///< Adam's, falling to a tenth along a half cosine
  double clip = 1;         ///< limit of the gradients' global norm
  double smoothing = 0;    ///< of the labels
  std::size_t steps = 1000;
  std::uint64_t seed = 1;  ///< of the order of the pairs and of dropout
};

/// One call to `step` is one batch; pairs of similar lengths are read together, each pair once an epoch.
/// The batch of a step is a function of the seed and the step's number, so all there is to save for going
/// on bit for bit is the model and the optimizer.
template <class Model>
class PairTrainer {
 public:
  using Sequences = std::span<const std::vector<int>>;

  /// Throws Error if there are no pairs, or not as many sources as targets.
  PairTrainer(Model& model, Sequences sources, Sequences targets, int bos, int eos, PairTrainerOptions options)
      : model_(model), sources_(sources), targets_(targets), bos_(bos), eos_(eos), options_(options),
        adam_({.rate = options.rate}) {
    if (sources.empty() || sources.size() != targets.size())
      throw Error("training on pairs: " + std::to_string(sources.size()) + " sources and " +
                  std::to_string(targets.size()) + " targets; as many are needed, and at least one");
    batches_ = batches_by_length(sources_, options_.batch, order(0));
  }

  /// Steps taken so far, and how many make an epoch.
  std::size_t done() const { return adam_.steps; }
  std::size_t steps_an_epoch() const { return batches_.size(); }

  /// Loss of the next batch in nats a counted token, before the update it makes.
  double step() {
    const std::size_t epoch = done() / batches_.size();
    if (epoch != epoch_) {
      batches_ = batches_by_length(sources_, options_.batch, order(epoch));
      epoch_ = epoch;
    }
    const PairBatch batch = PairBatch::of(sources_, targets_, batches_[done() % batches_.size()], bos_, eos_);
    adam_.rate = options_.rate * half_cosine(done(), options_.steps);
    return train_step(model_, batch, adam_, tape_, options_.seed, options_.clip, {.smoothing = options_.smoothing});
  }

  /// Puts all that is needed to go on bit for bit into a checkpoint.
  void save(Checkpoint& checkpoint) {
    checkpoint.add("model", model_);
    checkpoint.add("optimizer", adam_, model_);
  }

  /// Takes it from there. Throws Error for a checkpoint of another model.
  void load(const SavedCheckpoint& saved) {
    saved.load("model", model_);
    saved.load("optimizer", adam_, model_);
  }

 private:
  Random order(std::size_t epoch) const { return Random{options_.seed}.child("epoch").child(epoch); }

  Model& model_;
  Sequences sources_, targets_;
  int bos_, eos_;
  PairTrainerOptions options_;
  Adam adam_;
  Tape tape_;
  std::size_t epoch_ = 0;
  std::vector<std::vector<std::size_t>> batches_;
};

}  // namespace hindsight
