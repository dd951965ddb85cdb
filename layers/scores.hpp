// Scores: how well a query s and each key h_i fit, e_{t,i} = score(s, h_i).
//
//     dot          e_i = s . h_i                             (Luong, Pham and Manning 2015)
//     scaled dot   e_i = s . h_i / sqrt(H)                   (Vaswani et al. 2017)
//     general      e_i = s W h_i                             (Luong, Pham and Manning 2015)
//     additive     e_i = v . tanh(W s + U h_i + b)           (Bahdanau, Cho and Bengio 2015)
//
// A score means nothing at first: its parameters are shaped by the loss alone. What depends on the
// memory only, W h_i or U h_i, is `keys(memory)`, made once a sentence; `score(query, keys)` is asked
// at every step. Axes: query Batch x Query, memory Source x Batch x Memory, score Source x Batch.
#pragma once

#include <cmath>

#include "layers/linear.hpp"

namespace hindsight {

template <class, class>
struct score_axis_not_in_query;
template <class, class>
struct score_query_axis_not_in_keys;

namespace detail {

/// A query's axes besides the one that is scored: the keys have them too.
template <IsAxis A, class Q>
using OthersOf = Without<typename ExprOf<Q>::Shape, Axes<A>>;

/// Whether a query has the axis A that is scored, and else only axes of the keys.
template <IsAxis A, class Q, class Keys>
inline constexpr bool is_query =
    contains<A, typename ExprOf<Q>::Shape> && is_subset<OthersOf<A, Q>, typename ExprOf<Keys>::Shape>;

/// Which axis is missing where, otherwise.
template <IsAxis A, class Q, class Keys>
using QueryMistake = std::conditional_t<
    !contains<A, typename ExprOf<Q>::Shape>, score_axis_not_in_query<A, Spelled<Q>>,
    score_query_axis_not_in_keys<Spelled<VarOver<float, Without<OthersOf<A, Q>, typename ExprOf<Keys>::Shape>>>,
                                 Spelled<Keys>>>;

}  // namespace detail

/// e_i = s . h_i. No parameters; query and memory have one axis.
template <IsAxis H, class T = float>
struct DotScore {
  using Query = H;
  using Memory = H;
  using Scalar = T;
  BOOST_HANA_DEFINE_STRUCT(DotScore);

  template <class States>
  States keys(const States& memory) const {
    return memory;
  }
  template <class Q, class Keys>
  auto operator()(const Q& query, const Keys& keys) const {
    if constexpr (!detail::is_query<H, Q, Keys>) {
      (void)sizeof(detail::QueryMistake<H, Q, Keys>);
      return keys;
    } else {
      return Var(contract<H>(keys, query));
    }
  }
};

/// e_i = s . h_i / sqrt(H), so that a wider state does not make a sharper softmax.
template <IsAxis H, class T = float>
struct ScaledDotScore {
  using Query = H;
  using Memory = H;
  using Scalar = T;
  BOOST_HANA_DEFINE_STRUCT(ScaledDotScore);

  template <class States>
  States keys(const States& memory) const {
    return memory;
  }
  template <class Q, class Keys>
  auto operator()(const Q& query, const Keys& keys) const {
    if constexpr (!detail::is_query<H, Q, Keys>) {
      (void)sizeof(detail::QueryMistake<H, Q, Keys>);
      return keys;
    } else {
      const double size = static_cast<double>(query.template extent<H>());
      return Var(contract<H>(keys, Var(query * (1 / std::sqrt(size)))));
    }
  }
};

/// e_i = s W h_i: query and memory may have different axes. W h_i is made once a sentence.
template <IsAxis Q_, IsAxis M, class T = float>
struct GeneralScore {
  using Query = Q_;
  using Memory = M;
  using Scalar = T;
  using Map = Linear<M, Q_, T>;
  BOOST_HANA_DEFINE_STRUCT(GeneralScore, (Map, map));

  template <class States>
  auto keys(const States& memory) const {
    return Var(map(memory));  // W h_i
  }
  template <class Q, class Keys>
  auto operator()(const Q& query, const Keys& keys) const {
    if constexpr (!detail::is_query<Q_, Q, Keys>) {
      (void)sizeof(detail::QueryMistake<Q_, Q, Keys>);
      return keys;
    } else {
      return Var(contract<Q_>(keys, query));
    }
  }
};

/// e_i = v . tanh(W s + U h_i + b), over an axis A of its own. U h_i is made once a sentence.
template <IsAxis Q_, IsAxis M, IsAxis A, class T = float>
struct AdditiveScore {
  using Query = Q_;
  using Memory = M;
  using Scalar = T;
  using FromQuery = Affine<Q_, A, T>;
  using FromMemory = Linear<M, A, T>;
  using Direction = Parameter<T, A>;
  BOOST_HANA_DEFINE_STRUCT(AdditiveScore, (FromQuery, from_query), (FromMemory, from_memory), (Direction, v));

  template <class States>
  auto keys(const States& memory) const {
    return Var(from_memory(memory));  // U h_i
  }
  template <class Q, class Keys>
  auto operator()(const Q& query, const Keys& keys) const {
    if constexpr (!detail::is_query<Q_, Q, Keys>) {
      (void)sizeof(detail::QueryMistake<Q_, Q, Keys>);
      return keys;
    } else {
      Var s = from_query(query);                    // W s + b
      return Var(contract<A>(tanh(keys + s), v));   // e_i = v . tanh(W s + U h_i + b)
    }
  }

  void initialise(const Random& random) {
    initialise_uniform(v, 1 / std::sqrt(static_cast<double>(v.extents()[0])), random.child("v"));
  }
};

}  // namespace hindsight
