// Long training of an encoder-decoder: it shows its progress, keeps what it has, and goes on where it stopped.
#pragma once

#include <cstdio>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "models/decoding.hpp"
#include "models/pair_trainer.hpp"
#include "tutorials/program.hpp"

namespace hindsight::tutorial {

/// What a program says when it was interrupted.
inline constexpr const char* kept_for_later = "interrupted; what was trained is kept in out/, run it again to go on";

/// A model trained on pairs, kept in out/NAME.safetensors: taken from there where it is finished, gone on with
/// where it is not, and written anew with `fresh`. The result is the same bit for bit however often it was
/// interrupted. Ctrl-C ends it with what it has. Throws Error if what is kept was made with other options.
template <class Model>
Model trained(const std::string& name, Model model, std::span<const std::vector<int>> sources,
              std::span<const std::vector<int>> targets, int bos, int eos, const PairTrainerOptions& options, bool fresh) {
  PairTrainer<Model> trainer(model, sources, targets, bos, eos, options);
  const std::string file = "out/" + name + ".safetensors";
  const std::string made_by =
      text("%zu pairs of %zu and %zu symbols, %zu steps of %zu, rate %g, smoothing %g, seed %llu", sources.size(),
           model.source.table.extents()[0], model.target.table.extents()[0], options.steps, options.batch, options.rate,
           options.smoothing, static_cast<unsigned long long>(options.seed));
  std::filesystem::create_directories("out");
  if (!fresh && std::filesystem::exists(file)) {
    const SavedCheckpoint saved(file);
    if (saved.text("made by") != made_by)
      throw Error(file + " was made by " + saved.text("made by") + ", now it is " + made_by + "; --fresh writes it anew");
    trainer.load(saved);
  }
  const std::size_t before = trainer.done();
  const auto save = [&] {
    Checkpoint checkpoint({{"made by", made_by}});
    trainer.save(checkpoint);
    checkpoint.save(file);
  };
  Progress progress(name, options.steps);
  double recent = 0;
  while (trainer.done() < options.steps && !interrupted()) {
    const double loss = trainer.step();
    recent = recent == 0 ? loss : 0.99 * recent + 0.01 * loss;
    progress.show(trainer.done(), text("%.3f nats", recent));
    if (trainer.done() % 500 == 0) save();
  }
  if (trainer.done() > before) save();
  return model;
}

/// Greedy decoding of many sentences, a hundred side by side.
template <class Model>
std::vector<std::vector<int>> written(const Model& model, std::span<const std::vector<int>> sources, int bos, int eos,
                                      std::size_t longest) {
  std::vector<std::vector<int>> all;
  for (std::size_t begin = 0; begin < sources.size(); begin += 100) {
    const auto some = sources.subspan(begin, std::min<std::size_t>(100, sources.size() - begin));
    const std::vector<std::vector<int>> nothing(some.size());
    for (auto& one : greedy(model, PairBatch::of(some, nothing, bos, eos), bos, eos, longest)) all.push_back(std::move(one));
  }
  return all;
}

}  // namespace hindsight::tutorial
