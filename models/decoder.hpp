// A decoder: a cell that writes, and a read that lets it look back at the source.
//
//     c_t = read(s_{t-1}, h)                          what it asks with: s_{t-1} (Bahdanau et al. 2015)
//     s_t = cell([y_{t-1}, c_t], s_{t-1})
//     o_t = [s_t, c_t]                                what the next symbol is told from
//
// or, asked with s_t (Luong et al. 2015), the new state is there before the read, so the cell is fed the
// context of the step before: s_t = cell([y_{t-1}, c_{t-1}], s_{t-1}), c_t = read(s_t, h).
//
// Deeper decoders follow GNMT (Wu et al. 2016): the bottom layer asks, all layers receive c_t, and each
// upper layer adds to what the one below showed, u_l = u_{l-1} + h_l, so that eight of them still train.
//
// One step is one function: teacher forcing, greedy decoding and beam search all call it.
#pragma once

#include <array>

#include "autodiff/join.hpp"
#include "layers/dropout.hpp"
#include "layers/reads.hpp"
#include "layers/state.hpp"

namespace hindsight {

/// Which state asks.
enum class Asks {
  previous,  ///< s_{t-1}
  current,   ///< s_t
};

/// A decoder's state: its layers' states, the context it was fed last, what it showed (o_t), and where
/// it looked, Source x Batch.
template <class Bottom, class Upper, std::size_t N, class Context, class Shown, class Weights>
struct DecoderState {
  Bottom bottom;
  std::array<Upper, N> upper;
  Context context;
  Shown shown;
  Weights weights;
};
template <class F, class Bottom, class Upper, std::size_t N, class Context, class Shown, class Weights, class... More>
auto zip(F f, const DecoderState<Bottom, Upper, N, Context, Shown, Weights>& s, const More&... more) {
  auto z = s;
  z.bottom = zip(f, s.bottom, more.bottom...);
  for (std::size_t l = 0; l < N; ++l) z.upper[l] = zip(f, s.upper[l], more.upper[l]...);
  z.context = f(s.context, more.context...);
  z.shown = f(s.shown, more.shown...);
  z.weights = f(s.weights, more.weights...);
  return z;
}
template <class Bottom, class Upper, std::size_t N, class Context, class Shown, class Weights>
Shown output(const DecoderState<Bottom, Upper, N, Context, Shown, Weights>& s) {
  return s.shown;
}

/// A decoder of `Depth` layers of a cell, Emb -> Hidden. Cell is Lstm, Gru, Rnn or any other.
template <template <IsAxis, IsAxis, class...> class Cell, IsAxis Emb, IsAxis H, class Read, std::size_t Depth = 1,
          Asks asks = Asks::previous>
struct Decoder {
  static_assert(Depth >= 1, "a decoder has at least one layer");
  using In = Emb;
  using Hidden = H;
  using Scalar = typename Read::Scalar;
  using Context = typename Read::Context;
  using Shown = Concat<H, Context>;
  using Bottom = Cell<Concat<Emb, Context>, H, Scalar>;
  using Upper = Cell<Concat<H, Context>, H, Scalar>;
  using Uppers = std::array<Upper, Depth - 1>;
  using Dropouts = std::array<Dropout, Depth>;  // of what each layer shows
  BOOST_HANA_DEFINE_STRUCT(Decoder, (Bottom, bottom), (Uppers, upper), (Read, read), (Dropouts, dropout));

  /// The state before anything was written: the layers' states as given, nothing read, nothing shown.
  template <class BottomState, class UpperState, IsAxis Source, IsAxis B, IsAxis M, class Keys, class Mask>
  auto begin(const BottomState& s0, const std::array<UpperState, Depth - 1>& upper0,
             const Memory<Var<Scalar, Source, B, M>, Keys, Mask>& memory) const {
    const auto batch = extent<B>(memory.states.extents[1]);
    using State = DecoderState<BottomState, UpperState, Depth - 1, Var<Scalar, B, Context>, Var<Scalar, B, Shown>,
                               Var<Scalar, Source, B>>;
    return State{s0, upper0, filled<Scalar, B, Context>(Scalar{0}, batch), filled<Scalar, B, Shown>(Scalar{0}, batch),
                 filled<Scalar, Source, B>(Scalar{0}, extent<Source>(memory.states.extents[0]), batch)};
  }

  /// One step: y is the embedding of the symbol before, Batch x Emb.
  template <IsAxis B, class S, class Memory_>
  S step(const Var<Scalar, B, Emb>& y, const S& s, const Memory_& memory) const {
    S next = s;
    if constexpr (asks == Asks::previous) {
      look(next, read(output(s.bottom), memory));                              // c_t = read(s_{t-1}, h)
      next.bottom = bottom(concatenate<Emb, Context>(y, next.context), s.bottom);
    } else {
      next.bottom = bottom(concatenate<Emb, Context>(y, s.context), s.bottom);  // fed c_{t-1}
      look(next, read(output(next.bottom), memory));                           // c_t = read(s_t, h)
    }
    Var<Scalar, B, H> u = output(next.bottom);
    for (std::size_t l = 0; l + 1 < Depth; ++l) {
      next.upper[l] = upper[l](concatenate<H, Context>(dropout[l](u), next.context), s.upper[l]);
      u = u + output(next.upper[l]);                                           // u_l = u_{l-1} + h_l
    }
    next.shown = concatenate<H, Context>(dropout.back()(u), next.context);     // o_t = [u_t, c_t]
    return next;
  }

 private:
  template <class S, class L>
  static void look(S& s, const L& look) {
    s.context = look.context;
    s.weights = look.weights;
  }
};

}  // namespace hindsight
