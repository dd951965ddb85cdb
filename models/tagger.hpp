// A sequence tagger: one tag a position, from what the reader shows there.
//
//     x_i = E[symbol_i]      h = reader(x)      p(tag_i) = softmax(W h_i + b)
#pragma once

#include "autodiff/backward.hpp"
#include "autodiff/clipping.hpp"
#include "autodiff/loss.hpp"
#include "autodiff/optimizers.hpp"
#include "layers/bidirectional.hpp"
#include "layers/embedding.hpp"
#include "layers/linear.hpp"
#include "models/axes.hpp"
#include "models/tagged_batch.hpp"

namespace hindsight {

/// Reader is Unidirectional<Cell>, Bidirectional<Cell>, or a Deep of them.
template <class Reader>
struct Tagger {
  using In = typename Reader::In;
  using Hidden = typename Reader::Hidden;
  using Scalar = typename Reader::Scalar;
  using Symbols = Embedding<Vocab, In, Scalar>;
  using ToTags = Affine<Hidden, Tags, Scalar>;
  BOOST_HANA_DEFINE_STRUCT(Tagger, (Symbols, embedding), (Reader, reader), (ToTags, to_tags));

  static Tagger of(std::size_t symbols, std::size_t tags, std::uint64_t seed, Reader reader = {}) {
    if (symbols == 0 || tags == 0) throw Error("tagger: it needs at least one symbol and one tag");
    const auto out = extent<Tags>(tags);
    Tagger model{{typename Symbols::Table(extent<Vocab>(symbols))},
                 std::move(reader),
                 {{typename ToTags::Map::Weight(out)}, typename ToTags::Offset(out)}};
    initialise(model, seed);
    return model;
  }

  /// Logits of each position's tag, Time x Batch x Tags.
  auto operator()(const TaggedBatch& batch) const {
    const auto positions = extent<Time>(batch.positions());
    const auto batch_size = extent<Batch>(batch.lengths.size());
    const auto xs = embedding.template lookup<Time, Batch>(batch.symbols, positions, batch_size);
    const auto mask = mask_of_lengths<Time, Batch, Scalar>(batch.lengths, batch.positions());
    Var logits = to_tags(reader(xs, mask).outputs);
    return logits;
  }

  /// The likeliest tag of each position, position-major.
  std::vector<std::int32_t> tags(const TaggedBatch& batch) const {
    Tape tape;
    const NoRecording guard;
    return argmax<Tags>((*this)(batch));
  }
};

/// One step of Adam on a batch; returns the mean loss of a token before it, in nats.
template <class Reader>
double train_step(Tagger<Reader>& model, const TaggedBatch& batch, Adam& adam, Tape& tape, std::uint64_t seed,
                  double clip = 1) {
  const TrainingStep step(tape, seed, adam.steps);
  Var loss = cross_entropy<Tags>(model(batch), batch.tags);
  backward(loss);
  clip_by_global_norm(model, clip);
  adam.step(model);
  clear_gradients(model);
  return loss.item();
}

}  // namespace hindsight
