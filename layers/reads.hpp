// Reads: a context of fixed size from a memory of any length.
//
// An encoder leaves its states h_1 .. h_T, Source x Batch x M. A read makes of them one Batch x M:
//
//     c_t = sum_i alpha_{t,i} h_i
//
// and reads differ in where the weights alpha come from: given once and for all (last, mean), chosen
// by the largest score (hard), or a softmax of the scores (attention). The maximum of each unit is
// the one read here that is not such a sum.
//
// `remember(states, mask)` is called once a sentence and leaves out what is masked, NaN included;
// `read(query, memory)` at every step. The memory is never copied. All reads are interchangeable.
#pragma once

#include "autodiff/join.hpp"
#include "autodiff/reductions.hpp"
#include "layers/scores.hpp"

namespace hindsight {

/// What is kept of a sentence: its states, zero where masked, what a read made of them, and the mask.
template <class States, class Keys, class Mask>
struct Memory {
  States states;
  Keys keys;
  Mask mask;
};
template <class States, class Keys, class Mask>
Memory(States, Keys, Mask) -> Memory<States, Keys, Mask>;

/// What a read brings back: the context, Batch x M, and the weights, Source x Batch.
template <class Context, class Weights>
struct Look {
  Context context;
  Weights weights;
};
template <class Context, class Weights>
Look(Context, Weights) -> Look<Context, Weights>;

namespace detail {

/// The states with what is masked left out, so that 0 times NaN is met nowhere.
template <class States>
States unmasked(const States& states, NoMask) {
  return states;
}
template <class States, class Mask>
auto unmasked(const States& states, const Mask& mask) {
  if constexpr (!is_subset<typename ExprOf<Mask>::Shape, typename States::Shape>) {
    (void)sizeof(mask_needs_axes_of_the_tensor<Spelled<Mask>, Spelled<States>>);
    return states;
  } else {
    return States(select(mask, states, 0.0));
  }
}

/// Is position i of sentence b real?
template <class T, IsAxis Source, IsAxis B>
auto reality(const Extents<2>&, NoMask) {
  return [](std::size_t, std::size_t) { return true; };
}
template <class T, IsAxis Source, IsAxis B, class Mask>
auto reality(const Extents<2>& extents, const Mask& mask) {
  return [m = spread_over<Source, B>(extents, as_var(mask))](std::size_t i, std::size_t b) { return m.at(i, b) != T{0}; };
}

/// Weights over the source positions of each sentence, Source x Batch, 0 where masked; weight(k, n) is that of the
/// k-th of n real positions, counted from 0.
template <class T, IsAxis Source, IsAxis B, IsAxis M, class Mask, class Weight>
Var<T, Source, B> weights_by_place(const Var<T, Source, B, M>& states, const Mask& mask, Weight weight) {
  const Extents<2> extents{states.extents[0], states.extents[1]};
  const auto real = reality<T, Source, B>(extents, mask);
  Var<T, Source, B> weights = allocate<T, Source, B>(extents);
  for (std::size_t b = 0; b < extents[1]; ++b) {
    std::size_t n = 0, k = 0;
    for (std::size_t i = 0; i < extents[0]; ++i) n += real(i, b) ? 1 : 0;
    for (std::size_t i = 0; i < extents[0]; ++i)
      weights.value[i * extents[1] + b] = real(i, b) ? static_cast<T>(weight(k++, n)) : T{0};
  }
  return weights;
}

}  // namespace detail

/// Attention: alpha_t = softmax over the source of the scores, c_t = sum_i alpha_{t,i} h_i (Bahdanau,
/// Cho and Bengio 2015). Where a sentence is masked whole, weights and context are 0.
template <class Score>
struct Attention {
  using Query = typename Score::Query;
  using Context = typename Score::Memory;
  using Scalar = typename Score::Scalar;
  BOOST_HANA_DEFINE_STRUCT(Attention, (Score, score));

  template <class States, class Mask = NoMask>
  auto remember(const States& states, const Mask& mask = {}) const {
    const States kept = detail::unmasked(states, mask);
    return Memory{kept, score.keys(kept), mask};
  }

  template <class Q, class T, IsAxis Source, IsAxis B, IsAxis M, class Keys, class Mask>
  auto operator()(const Q& query, const Memory<Var<T, Source, B, M>, Keys, Mask>& memory) const {
    const auto e = score(query, memory.keys);             // e_{t,i}
    const auto alpha = softmax<Source>(e, memory.mask);   // alpha_{t,i}
    Var c = contract<Source>(alpha, memory.states);       // c_t = sum_i alpha_{t,i} h_i
    return Look{c, alpha};
  }
};

/// Hard selection: the state with the largest score, the first of equals. A choice has no slope: the
/// query and the score's parameters get exactly no gradient, so nothing teaches them where to look.
template <class Score>
struct HardSelection {
  using Query = typename Score::Query;
  using Context = typename Score::Memory;
  using Scalar = typename Score::Scalar;
  BOOST_HANA_DEFINE_STRUCT(HardSelection, (Score, score));

  template <class States, class Mask = NoMask>
  auto remember(const States& states, const Mask& mask = {}) const {
    const States kept = detail::unmasked(states, mask);
    return Memory{kept, score.keys(kept), mask};
  }

  template <class Q, class T, IsAxis Source, IsAxis B, IsAxis M, class Keys, class Mask>
  auto operator()(const Q& query, const Memory<Var<T, Source, B, M>, Keys, Mask>& memory) const {
    const auto e = score(query, memory.keys);
    const std::vector<std::int32_t> best = argmax<Source>(e, memory.mask);  // one position a sentence
    auto alpha = detail::weights_by_place(memory.states, memory.mask, [](std::size_t, std::size_t) { return 0; });
    for (std::size_t b = 0; b < best.size(); ++b)
      if (best[b] >= 0) alpha.value[static_cast<std::size_t>(best[b]) * best.size() + b] = 1;  // else all is masked
    Var c = contract<Source>(alpha, memory.states);
    return Look{c, alpha};
  }
};

namespace detail {

template <IsAxis M, std::size_t>
using Same = M;
/// M as often as there are numbers: Concat<M, M, ..>.
template <IsAxis M, class Numbers>
struct Repeated;
template <IsAxis M, std::size_t... I>
struct Repeated<M, std::index_sequence<I...>> {
  using type = Concat<Same<M, I>...>;
};

/// What the reads without a query share: one look, made when the sentence is remembered.
template <IsAxis M, class T>
struct FixedRead {
  using Context = M;
  using Scalar = T;

  template <class Q, class States, class Context_, class Weights, class Mask>
  auto operator()(const Q&, const Memory<States, Look<Context_, Weights>, Mask>& memory) const {
    return memory.keys;
  }
};

}  // namespace detail

/// The last state: c = h_T, whatever is asked (Cho et al. 2014). 0 for an empty sentence.
template <IsAxis M, class T = float>
struct LastState : detail::FixedRead<M, T> {
  BOOST_HANA_DEFINE_STRUCT(LastState);

  template <IsAxis Source, IsAxis B, class Mask = NoMask>
  auto remember(const Var<T, Source, B, M>& states, const Mask& mask = {}) const {
    const auto kept = detail::unmasked(states, mask);
    const auto alpha = detail::weights_by_place(kept, mask, [](std::size_t k, std::size_t n) { return k + 1 == n; });
    Var c = contract<Source>(alpha, kept);
    return Memory{kept, Look{c, alpha}, mask};
  }
};
/// Of two directions the last state of each, which has read the whole sentence: c = [forward h_T, backward h_1].
template <IsAxis H, class T>
struct LastState<Concat<H, H>, T> : detail::FixedRead<Concat<H, H>, T> {
  using M = Concat<H, H>;
  BOOST_HANA_DEFINE_STRUCT(LastState);

  template <IsAxis Source, IsAxis B, class Mask = NoMask>
  auto remember(const Var<T, Source, B, M>& states, const Mask& mask = {}) const {
    const auto kept = detail::unmasked(states, mask);
    const auto last = detail::weights_by_place(kept, mask, [](std::size_t k, std::size_t n) { return k + 1 == n; });
    const auto first = detail::weights_by_place(kept, mask, [](std::size_t k, std::size_t) { return k == 0; });
    const std::size_t half = kept.extents[2] / 2;
    const auto c = concatenate<H, H>(contract<Source>(last, slice<M, H>(kept, 0, half)),
                                     contract<Source>(first, slice<M, H>(kept, half)));
    Var alpha = (last + first) * 0.5;
    return Memory{kept, Look{c, alpha}, mask};
  }
};

/// The mean of all states: c = 1/T sum_i h_i.
template <IsAxis M, class T = float>
struct MeanState : detail::FixedRead<M, T> {
  BOOST_HANA_DEFINE_STRUCT(MeanState);

  template <IsAxis Source, IsAxis B, class Mask = NoMask>
  auto remember(const Var<T, Source, B, M>& states, const Mask& mask = {}) const {
    const auto kept = detail::unmasked(states, mask);
    const auto alpha =
        detail::weights_by_place(kept, mask, [](std::size_t, std::size_t n) { return 1 / static_cast<double>(n); });
    Var c = contract<Source>(alpha, kept);
    return Memory{kept, Look{c, alpha}, mask};
  }
};

/// The largest value of each unit, over the source: c_k = max_i h_{i,k}. It has no one weight for a
/// position: `weights` are 0.
template <IsAxis M, class T = float>
struct MaxState : detail::FixedRead<M, T> {
  BOOST_HANA_DEFINE_STRUCT(MaxState);

  template <IsAxis Source, IsAxis B, class Mask = NoMask>
  auto remember(const Var<T, Source, B, M>& states, const Mask& mask = {}) const {
    const auto kept = detail::unmasked(states, mask);
    const auto c = max<Source>(kept, mask);
    const auto none = detail::weights_by_place(kept, mask, [](std::size_t, std::size_t) { return 0; });
    return Memory{kept, Look{c, none}, mask};
  }
};

/// No read: the decoder sees its first state and nothing else of the source (Sutskever, Vinyals and
/// Le 2014). The context is an axis of length 0.
struct Nothing : Axis<0> {};
template <IsAxis M, class T = float>
struct NoRead : detail::FixedRead<Nothing, T> {
  BOOST_HANA_DEFINE_STRUCT(NoRead);

  template <IsAxis Source, IsAxis B, class Mask = NoMask>
  auto remember(const Var<T, Source, B, M>& states, const Mask& mask = {}) const {
    const auto nothing = filled<T, B, Nothing>(T{0}, extent<B>(states.extents[1]));
    const auto none = detail::weights_by_place(states, mask, [](std::size_t, std::size_t) { return 0; });
    return Memory{states, Look{nothing, none}, mask};
  }
};

/// All states side by side, the first idea one has: Batch x Concat<M, M, ..>. The decoder's matrices would
/// have to be as long as the sentence, so it is there for a static Source only.
template <IsAxis Source, IsAxis M, class T = float>
struct AllStates {
  static_assert(!is_dynamic<Source>,
                "AllStates: all states side by side are Source x M numbers, and Source is dynamic: they have no "
                "fixed size that the decoder's matrices could be made for; read a context of fixed size instead");
};
template <IsAxis Source, IsAxis M, class T>
  requires(!is_dynamic<Source>)
struct AllStates<Source, M, T>
    : detail::FixedRead<typename detail::Repeated<M, std::make_index_sequence<Source::extent>>::type, T> {
  BOOST_HANA_DEFINE_STRUCT(AllStates);

  template <IsAxis B, class Mask = NoMask>
  auto remember(const Var<T, Source, B, M>& states, const Mask& mask = {}) const {
    const auto kept = detail::unmasked(states, mask);
    const auto all = [&]<std::size_t... I>(std::index_sequence<I...>) {
      return concatenate<detail::Same<M, I>...>(at<Source>(kept, I)...);
    }(std::make_index_sequence<Source::extent>{});
    const auto none = detail::weights_by_place(kept, mask, [](std::size_t, std::size_t) { return 0; });
    return Memory{kept, Look{all, none}, mask};
  }
};

}  // namespace hindsight
