// The general score (Luong et al. 2015) as one operation, and mistakes in its backward. In are the state s of the
// decoder, W and the memory m_i; out is e_i.
//
//     e_i = s W . m_i        in components sum_jk s_j W_jk m_ik
//
//     ds = sum_i de_i W m_i      dW = sum of s^T (de_i m_i) over i and the batch      dm_i = de_i s W
#include <cmath>

#include "autodiff/join.hpp"
#include "autodiff/reductions.hpp"
#include "tests/mutants/more_mistakes.hpp"
#include "tests/mutants/real_matrix.hpp"

namespace hindsight::mutants {
namespace {

struct Target : Axis<3> {};
struct Source : Axis<4> {};
struct Batch : Axis<2> {};
struct Hidden : Axis<3> {};

enum class GeneralMistake {
  none,
  w_transposed,          // dm_i = de_i s W^T
  dw_transposed,         // dW = (de_i m_i)^T s
  memory_without_w,      // dm_i = de_i s
  next_position,         // dm_i = de_{i+1} s W
  memory_detached,       // dm = 0
  weights_of_first_row,  // dW of the first sentence
  weights_overwritten,   // dW =, where more steps are to come
  state_negated,         // ds = - sum
};

Var<double, Source, Batch> score(GeneralMistake mistake, Var<double, Batch, Hidden> state,
                                 Var<double, From<Hidden>, Hidden> w, Var<double, Source, Batch, Hidden> memory) {
  using enum GeneralMistake;
  constexpr std::size_t positions = Source::extent;
  const auto result = detail::result<double, Source, Batch>({positions, Batch::extent}, state, w, memory);
  const auto m = [=](std::size_t i) { return value(at<Source>(memory, i)); };
  const Matrix query = scratch(Batch::extent, Hidden::extent), weighted = scratch(Batch::extent, Hidden::extent);
  clear(query);
  add_product(value(state), value(w), query);
  each(value(result), [&](std::size_t i, std::size_t n) {
    value(result)(i, n) = 0;
    for (std::size_t k = 0; k < Hidden::extent; ++k) value(result)(i, n) += query(n, k) * m(i)(n, k);
  });
  return detail::record("general_score(%0, %1, %2)", result, [=] {
    const Matrix de = gradient(result), ds = gradient(state), dw = gradient(w);
    if (mistake == w_transposed) {
      clear(query);
      add_product(value(state), value(w).transposed(), query);
    }
    clear(weighted);  // sum_i de_i m_i
    for (std::size_t i = 0; i < positions; ++i)
      each(query, [&](std::size_t n, std::size_t k) {
        weighted(n, k) += de(i, n) * m(i)(n, k);
        const double slope = de(mistake == next_position ? (i + 1) % positions : i, n);
        const double key = mistake == memory_without_w ? value(state)(n, k) : query(n, k);
        if (mistake != memory_detached) gradient(at<Source>(memory, i))(n, k) += slope * key;
      });
    if (mistake == weights_overwritten) clear(dw);
    const std::size_t rows = mistake == weights_of_first_row ? 1 : Batch::extent;
    for (std::size_t n = 0; n < rows; ++n)
      each(dw, [&](std::size_t j, std::size_t k) {
        (mistake == dw_transposed ? dw(k, j) : dw(j, k)) += value(state)(n, j) * weighted(n, k);
      });
    if (mistake == state_negated) each(weighted, [&](std::size_t n, std::size_t k) { weighted(n, k) *= -1; });
    add_product(weighted, value(w).transposed(), ds);
  }, state, w, memory);
}

GradientReport check(GeneralMistake mistake, std::uint64_t seed) {
  const auto f = [mistake](auto states, auto context, auto w, auto memory) {
    std::vector<Var<double, Batch, Hidden>> contexts;
    for (std::size_t t = 0; t < Target::extent; ++t) {
      Var state = tanh(at<Target>(states, t) + context);
      context = contract<Source>(softmax<Source>(score(mistake, state, w, memory)), memory);
      contexts.push_back(context);
    }
    return stack<Target>(contexts);
  };
  return check_gradients({.seed = seed}, f, drawn<Target, Batch, Hidden>("states", seed),
                         drawn<Batch, Hidden>("c", seed), drawn<From<Hidden>, Hidden>("W", seed),
                         drawn<Source, Batch, Hidden>("memory", seed));
}

}  // namespace

std::vector<Mutant> in_general_score() {
  using enum Mistake;
  const MutantsOf<GeneralMistake> mutant{"general score", check};
  return {
      mutant.right(),
      mutant("the memory's gradient with W^T in place of W", {transposed}, GeneralMistake::w_transposed),
      mutant("dW = m^T s in place of s^T m", {transposed}, GeneralMistake::dw_transposed),
      mutant("the memory's gradient without W, from s alone", {derivative, other_value},
             GeneralMistake::memory_without_w),
      mutant("the memory's gradient from the score of the next position", {step_off}, GeneralMistake::next_position),
      mutant("the memory gets nothing", {cut_off}, GeneralMistake::memory_detached),
      mutant("dW from the first row of the batch only", {not_reduced, missing_term},
             GeneralMistake::weights_of_first_row),
      mutant("dW is assigned at each step, not added", {overwritten}, GeneralMistake::weights_overwritten),
      mutant("the state's gradient is subtracted", {sign}, GeneralMistake::state_negated),
  };
}

}  // namespace hindsight::mutants
