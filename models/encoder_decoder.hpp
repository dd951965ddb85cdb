// An encoder and a decoder, each with parameters of its own, trained end to end.
//
//     h_1 .. h_T = reader(E_x[x_1] .. E_x[x_T])
//     s_0        = tanh(V h_T + b)                        for each variable of each of the decoder's layers; of
//                                                         two directions [forward h_T, backward h_1] for h_T
//     s_t, c_t   = decoder.step(E_y[y_{t-1}], s_{t-1})    reads from h_1 .. h_T as the decoder's read does
//     p(y_t)     = softmax(W [s_t, c_t] + b)
//
// With NoRead the state s_0 is all that passes from source to target (Sutskever, Vinyals and Le 2014), with
// LastState c = h_T is fed at every step too (Cho et al. 2014), with Attention each step reads what it
// needs (Bahdanau, Cho and Bengio 2015).
#pragma once

#include "autodiff/backward.hpp"
#include "autodiff/clipping.hpp"
#include "autodiff/loss.hpp"
#include "autodiff/optimizers.hpp"
#include "layers/bidirectional.hpp"
#include "layers/embedding.hpp"
#include "models/axes.hpp"
#include "models/decoder.hpp"
#include "models/pair_batch.hpp"

namespace hindsight {

/// The first state of a cell from a summary of the source, tanh(V h + b) for each of its variables.
template <IsAxis From_, class Cell>
struct Bridge {
  using H = typename Cell::Hidden;
  using T = typename Cell::Scalar;
  using State_ = decltype(std::declval<const Cell&>().template initial<Batch>());
  static constexpr std::size_t variables = sizeof(State_) / sizeof(Var<T, Batch, H>);
  static_assert(sizeof(State_) == variables * sizeof(Var<T, Batch, H>), "a cell's state is made of variables only");
  using Map = Affine<From_, H, T>;
  using Maps = std::array<Map, variables>;
  BOOST_HANA_DEFINE_STRUCT(Bridge, (Maps, maps));

  template <IsAxis B>
  auto operator()(const Cell& cell, const Var<T, B, From_>& summary) const {
    std::size_t next = 0;
    return zip([&](const auto&) { return Var<T, B, H>(tanh(maps[next++](summary))); },
               cell.initial(extent<B>(summary.extents[0])));
  }
};

namespace detail {

/// Refuses, with its place, a symbol that the vocabulary does not have.
inline void check_symbols(const char* side, std::span<const std::int32_t> ids, std::size_t batch, std::size_t symbols) {
  for (std::size_t at = 0; at < ids.size(); ++at)
    if (ids[at] < 0 || static_cast<std::size_t>(ids[at]) >= symbols)
      throw Error("encoder-decoder: " + std::string(side) + " " + std::to_string(at % batch) + " has id " +
                  std::to_string(ids[at]) + " at position " + std::to_string(at / batch) +
                  ", its vocabulary has 0 to " +
                  std::to_string(symbols) + " exclusive");
}

}  // namespace detail

/// Reader is Unidirectional<Cell>, Bidirectional<Cell> or a Deep of them; Decoder_ a Decoder.
template <class Reader, class Decoder_>
struct EncoderDecoder {
  using Scalar = typename Decoder_::Scalar;
  using Hidden = typename Reader::Hidden;
  using SourceSymbols = Embedding<SourceVocab, typename Reader::In, Scalar>;
  using TargetSymbols = Embedding<TargetVocab, typename Decoder_::In, Scalar>;
  using Bottom = Bridge<Hidden, typename Decoder_::Bottom>;
  using Upper = Bridge<Hidden, typename Decoder_::Upper>;
  using Uppers = std::array<Upper, std::tuple_size_v<typename Decoder_::Uppers>>;
  using ToLogits = Affine<typename Decoder_::Shown, TargetVocab, Scalar>;
  BOOST_HANA_DEFINE_STRUCT(EncoderDecoder, (SourceSymbols, source), (Reader, encoder), (Bottom, bridge),
                           (Uppers, upper_bridges), (TargetSymbols, target), (Decoder_, decoder),
                           (ToLogits, to_logits));

  /// Throws Error if one of the vocabularies is empty.
  static EncoderDecoder of(std::size_t source_symbols, std::size_t target_symbols, std::uint64_t seed) {
    if (source_symbols == 0 || target_symbols == 0) throw Error("encoder-decoder: a vocabulary is empty");
    const auto out = extent<TargetVocab>(target_symbols);
    EncoderDecoder model{{typename SourceSymbols::Table(extent<SourceVocab>(source_symbols))}, {}, {}, {},
                         {typename TargetSymbols::Table(out)}, {},
                         {{typename ToLogits::Map::Weight(out)}, typename ToLogits::Offset(out)}};
    initialise(model, seed);
    return model;
  }

  /// E_x of a batch's source symbols, Source x Batch x Emb.
  auto embedded(const PairBatch& batch) const {
    detail::check_symbols("source", batch.sources, batch.size(), source.table.extents()[0]);
    return source.template lookup<Source, Batch>(batch.sources, extent<Source>(batch.source_positions()),
                                                 extent<Batch>(batch.size()));
  }

  /// Reads the sources: the memory, and the decoder's state before its first step. Throws Error for an id that the
  /// vocabulary does not have; so does teacher forcing.
  auto encode(const PairBatch& batch) const { return encode(batch, embedded(batch)); }
  template <class Xs>
  auto encode(const PairBatch& batch, const Xs& xs) const {
    const auto mask = mask_of_lengths<Source, Batch, Scalar>(batch.source_lengths, batch.source_positions());
    const auto ran = encoder(xs, mask);
    const auto h = summary<Reader>(ran);
    const auto memory = decoder.read.remember(ran.outputs, mask);
    const auto s0 = bridge(decoder.bottom, h);
    using UpperState = typename Upper::State_;
    std::array<UpperState, std::tuple_size_v<Uppers>> upper0;
    for (std::size_t l = 0; l < upper0.size(); ++l) upper0[l] = upper_bridges[l](decoder.upper[l], h);
    const auto s = decoder.begin(s0, upper0, memory);
    return Encoded<std::remove_cv_t<decltype(memory)>, std::remove_cv_t<decltype(s)>>{memory, s};
  }
  template <class Memory_, class State_>
  struct Encoded {
    Memory_ memory;
    State_ state;
  };

  /// Teacher forcing: the right symbols before each step are given. Logits of each step, Target x Batch x
  /// TargetVocab, and the states, whose `weights` say where each step looked.
  auto operator()(const PairBatch& batch) const { return teach(batch, encode(batch)); }
  template <class Encoded_>
  auto teach(const PairBatch& batch, const Encoded_& encoded) const {
    detail::check_symbols("target", batch.inputs, batch.size(), target.table.extents()[0]);
    const auto ys = target.template lookup<Target, Batch>(batch.inputs, extent<Target>(batch.target_positions()),
                                                          extent<Batch>(batch.size()));
    const auto step = [&](const auto& y, const auto& s) { return decoder.step(y, s, encoded.memory); };
    const auto mask = mask_of_lengths<Target, Batch, Scalar>(batch.target_lengths, batch.target_positions());
    const auto run = unroll(step, ys, encoded.state, mask);  // what is behind a target's end is not looked at
    Var logits = to_logits(run.outputs);
    return Taught<decltype(logits), std::remove_cv_t<decltype(run.states)>>{logits, run.states};
  }
  template <class Logits, class States>
  struct Taught {
    Logits logits;
    States states;
  };

  /// The embedding of the symbols that were written last, Batch x Emb.
  auto written(std::span<const std::int32_t> symbols) const {
    return target.template lookup<Batch>(symbols, extent<Batch>(symbols.size()));
  }
};

/// One step of Adam on a batch; returns the mean loss of a counted token before it, in nats.
template <class Reader, class Decoder_>
double train_step(EncoderDecoder<Reader, Decoder_>& model, const PairBatch& batch, Adam& adam, Tape& tape,
                  std::uint64_t seed, double clip = 1, const CrossEntropyOptions& options = {}) {
  const TrainingStep step(tape, seed, adam.steps);
  Var loss = cross_entropy<TargetVocab>(model(batch).logits, batch.targets, options);
  backward(loss);
  clip_by_global_norm(model, clip);
  adam.step(model);
  clear_gradients(model);
  return loss.item();
}

}  // namespace hindsight
