// A language model over any cell: the next symbol from those before it.
//
//     x_t = E[symbol_t]      s_t = cell(x_t, s_{t-1})      p(symbol_{t+1}) = softmax(W h_t + b)
#pragma once

#include <cmath>

#include "autodiff/backward.hpp"
#include "autodiff/clipping.hpp"
#include "autodiff/loss.hpp"
#include "autodiff/optimizers.hpp"
#include "layers/embedding.hpp"
#include "layers/linear.hpp"
#include "layers/unroll.hpp"
#include "models/axes.hpp"
#include "models/checkpoint.hpp"
#include "models/draw.hpp"
#include "models/schedule.hpp"
#include "models/text_windows.hpp"

namespace hindsight {

/// An embedding, a cell that reads it, and a map to logits: Vocab symbols, the cell's In and Hidden.
template <class Cell>
struct LanguageModel {
  using In = typename Cell::In;
  using Hidden = typename Cell::Hidden;
  using Scalar = typename Cell::Scalar;
  using Symbols = Embedding<Vocab, In, Scalar>;
  using ToLogits = Affine<Hidden, Vocab, Scalar>;
  BOOST_HANA_DEFINE_STRUCT(LanguageModel, (Symbols, embedding), (Cell, cell), (ToLogits, to_logits));

  using States = decltype(std::declval<const Cell&>().template initial<Batch>());

  /// Throws Error if there are no symbols.
  static LanguageModel of(std::size_t symbols, std::uint64_t seed, Cell cell = {}) {
    if (symbols == 0) throw Error("language model: the vocabulary is empty");
    const auto vocab = extent<Vocab>(symbols);
    LanguageModel model{{typename Symbols::Table(vocab)},
                        std::move(cell),
                        {{typename ToLogits::Map::Weight(vocab)}, typename ToLogits::Offset(vocab)}};
    initialise(model, seed);
    return model;
  }

  /// Logits of the symbol after each position, Time x Batch x Vocab, and the state after the last;
  /// `symbols` is time-major.
  auto operator()(std::span<const std::int32_t> symbols, std::size_t time, const States& state) const {
    const std::size_t batch = time == 0 ? 0 : symbols.size() / time;
    const auto xs = embedding.template lookup<Time, Batch>(symbols, extent<Time>(time), extent<Batch>(batch));
    const auto run = unroll(cell, xs, state);
    Var logits = to_logits(run.outputs);
    return std::pair(logits, run.last);
  }

  States initial(std::size_t batch) const { return cell.initial(extent<Batch>(batch)); }
};

/// What training a language model takes.
struct LanguageModelOptions {
  std::size_t batch = 32;  ///< streams read side by side
  std::size_t window = 50; ///< steps of truncated backpropagation
  double rate = 2e-3;      ///< Adam's, falling to a tenth along a half cosine
  double clip = 1;         ///< limit of the gradients' global norm
  std::size_t steps = 1000;
  std::uint64_t seed = 1;
};

/// Trains by truncated backpropagation through time: a window's gradient ends at its first step, the
/// state is carried on. One call to `step` is one window; all there is to save for going on bit for
/// bit is the model, the optimizer and the carried state.
template <class Cell>
class LanguageModelTrainer {
 public:
  using Model = LanguageModel<Cell>;

  LanguageModelTrainer(Model& model, std::span<const int> text, LanguageModelOptions options)
      : model_(model), options_(options), windows_(text, options.batch, options.window),
        adam_({.rate = options.rate}) {}

  /// Steps taken so far.
  std::size_t done() const { return adam_.steps; }

  /// Loss of the next window in bits a symbol, before the update it makes.
  double step() {
    const std::size_t w = done() % windows_.size();
    if (w == 0) carried_.clear();
    const TrainingStep now(tape_, options_.seed, done());
    auto state = model_.initial(options_.batch);
    if (!carried_.empty()) state = carried_.on_tape(state);
    const auto [logits, last] = model_(windows_.inputs(w), options_.window, state);
    Var loss = cross_entropy<Vocab>(logits, windows_.targets(w));
    backward(loss);
    clip_by_global_norm(model_, options_.clip);
    adam_.rate = options_.rate * half_cosine(done(), options_.steps);
    adam_.step(model_);
    clear_gradients(model_);
    carried_.keep(last);
    return loss.item() / std::log(2.0);
  }

  /// Puts all that is needed to go on bit for bit into a checkpoint.
  void save(Checkpoint& checkpoint) {
    checkpoint.add("model", model_);
    checkpoint.add("optimizer", adam_, model_);
    const auto& parts = carried_.values();
    for (std::size_t i = 0; i < parts.size(); ++i) checkpoint.add("carried." + std::to_string(i), parts[i]);
    checkpoint.note("carried", std::to_string(parts.size()));
  }

  /// Takes it from there. Throws Error for a checkpoint of another model.
  void load(const SavedCheckpoint& saved) {
    saved.load("model", model_);
    saved.load("optimizer", adam_, model_);
    carried_.clear();
    const std::uint64_t parts = saved.number("carried");
    if (parts != 0 && parts != carried_.parts())
      throw Error("carried state: the checkpoint has " + std::to_string(parts) + " variables and the model's " +
                  "state has " + std::to_string(carried_.parts()) + "; it was saved from another model");
    for (std::size_t i = 0; i < parts; ++i)
      carried_.append(saved.numbers<typename Cell::Scalar>("carried." + std::to_string(i)));
  }

 private:
  Model& model_;
  LanguageModelOptions options_;
  TextWindows windows_;
  Adam adam_;
  Tape tape_;
  Carried<typename Model::States> carried_;
};

/// Bits a symbol on a text, read in `batch` streams of equal length, or in fewer where they would have less
/// than two symbols; every symbol but the streams' first is predicted from all before it in its stream.
/// What does not fill the streams, at the end and at most batch - 1 symbols, is not counted. Throws Error
/// if the text has no symbol to predict.
template <class Cell>
double bits_per_symbol(const LanguageModel<Cell>& model, std::span<const int> text, std::size_t batch = 16,
                       std::size_t window = 100) {
  if (text.size() < 2)
    throw Error("bits per symbol: a text of " + std::to_string(text.size()) +
                " symbols has none to predict; it needs at least 2");
  if (batch == 0 || window == 0) throw Error("bits per symbol: batch and window must be at least 1");
  batch = std::min(batch, text.size() / 2);
  const std::size_t predicted = text.size() / batch - 1;  // in each stream
  TextWindows windows(text, batch, std::min(window, predicted));
  Tape tape;
  const NoRecording guard;
  Carried<typename LanguageModel<Cell>::States> carried;
  double sum = 0;
  for (std::size_t w = 0; windows.steps(w) > 0; ++w) {
    tape.reset();
    auto state = model.initial(batch);
    if (!carried.empty()) state = carried.on_tape(state);
    const std::size_t steps = windows.steps(w);
    const auto [logits, last] = model(windows.inputs(w), steps, state);
    sum += static_cast<double>(steps) * cross_entropy<Vocab>(logits, windows.targets(w)).item();
    carried.keep(last);
  }
  return sum / static_cast<double>(predicted) / std::log(2.0);
}

/// A continuation of `start` (at least one symbol), `count` symbols long. Throws Error for a negative or
/// NaN temperature.
template <class Cell>
std::vector<int> sample(const LanguageModel<Cell>& model, std::vector<int> start, std::size_t count, double temperature,
                        std::uint64_t seed) {
  if (!(temperature >= 0)) throw Error("sample: the temperature must be 0 or more");
  if (start.empty()) throw Error("sample: it needs at least one symbol to go on from");
  const Random random = Random{seed}.child("sample");
  Tape tape;
  const NoRecording guard;
  Carried<typename LanguageModel<Cell>::States> carried;
  std::vector<int> text;
  std::vector<std::int32_t> input(start.begin(), start.end());
  for (std::size_t i = 0; i < count; ++i) {
    tape.reset();
    auto state = model.initial(1);
    if (!carried.empty()) state = carried.on_tape(state);
    const auto [logits, last] = model(input, input.size(), state);
    carried.keep(last);
    const auto scores = at<Time>(logits, input.size() - 1).values();
    const std::vector<double> next(scores.begin(), scores.end());
    text.push_back(draw(next, temperature, random.uniform(i)));
    input.assign(1, text.back());
  }
  return text;
}

}  // namespace hindsight
