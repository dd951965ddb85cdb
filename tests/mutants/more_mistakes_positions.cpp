// The sum of two lookups, a token's row and a position's, as one operation, and mistakes in its backward.
//
//     y_tb = table_{id_tb} + position_t
//
//     dtable_k = sum of dy_tb where id_tb = k      dposition_t = sum of dy_tb over the batch
#include <array>

#include "autodiff/join.hpp"
#include "tests/mutants/more_mistakes.hpp"
#include "tests/mutants/real_matrix.hpp"

namespace hindsight::mutants {
namespace {

struct Time : Axis<4> {};
struct Batch : Axis<2> {};
struct Vocabulary : Axis<5> {};
struct Emb : Axis<3> {};
using Ids = std::array<std::array<std::size_t, Batch::extent>, Time::extent>;

enum class LookupsMistake {
  none,
  position_of_last_row,  // dposition of the last sentence
  position_averaged,     // dposition = mean of dy
  position_shifted,      // to position t + 1, the first step for position 1
  positions_fixed,       // dposition = 0, as of sines and cosines
  ids_of_next_step,      // to the row of id_{t+1}
  position_by_id,        // to position id_tb
};

Var<double, Time, Batch, Emb> lookups(LookupsMistake mistake, Var<double, Vocabulary, Emb> table,
                                      Var<double, Time, Emb> positions, Ids ids) {
  using enum LookupsMistake;
  constexpr std::size_t steps = Time::extent;
  const auto result = detail::result<double, Time, Batch, Emb>({steps, Batch::extent, Emb::extent}, table, positions);
  for (std::size_t t = 0; t < steps; ++t)
    each(value(at<Time>(result, t)), [&](std::size_t b, std::size_t j) {
      value(at<Time>(result, t))(b, j) = value(table)(ids[t][b], j) + value(positions)(t, j);
    });
  return detail::record("lookups(%0, %1)", result, [=] {
    for (std::size_t t = 0; t < steps; ++t)
      each(gradient(at<Time>(result, t)), [&](std::size_t b, std::size_t j) {
        const double dy = gradient(at<Time>(result, t))(b, j);
        gradient(table)(ids[mistake == ids_of_next_step ? (t + 1) % steps : t][b], j) += dy;
        if (mistake == positions_fixed || (mistake == position_of_last_row && b + 1 < Batch::extent)) return;
        const std::size_t row = mistake == position_shifted ? (t + 1) % steps
                                : mistake == position_by_id ? ids[t][b]
                                                            : t;
        gradient(positions)(row, j) += mistake == position_averaged ? dy / Batch::extent : dy;
      });
  }, table, positions);
}

GradientReport check(LookupsMistake mistake, std::uint64_t seed) {
  const auto f = [mistake](auto table, auto positions, auto h, auto u) {
    const Var xs = lookups(mistake, table, positions, Ids{{{3, 0}, {1, 2}, {3, 2}, {0, 1}}});
    std::vector<Var<double, Batch, Emb>> hs;
    for (std::size_t t = 0; t < Time::extent; ++t) {
      h = tanh(at<Time>(xs, t) + contract<From<Emb>>(rename<Emb, From<Emb>>(h), u));
      hs.push_back(h);
    }
    return stack<Time>(hs);
  };
  return check_gradients({.seed = seed}, f, drawn<Vocabulary, Emb>("table", seed),
                         drawn<Time, Emb>("positions", seed), drawn<Batch, Emb>("h", seed),
                         drawn<From<Emb>, Emb>("U", seed));
}

}  // namespace

std::vector<Mutant> in_token_and_position() {
  using enum Mistake;
  const MutantsOf<LookupsMistake> mutant{"token and position", check};
  return {
      mutant.right(),
      mutant("the positions get the last row of the batch only", {not_reduced}, LookupsMistake::position_of_last_row),
      mutant("the positions get the mean over the batch", {factor}, LookupsMistake::position_averaged),
      mutant("positions are counted from one in the backward", {step_off}, LookupsMistake::position_shifted),
      mutant("the positions get nothing, as if they were fixed", {cut_off}, LookupsMistake::positions_fixed),
      mutant("the table's gradient by the ids of the next step", {step_off, exchanged},
             LookupsMistake::ids_of_next_step),
      mutant("the positions' gradient by the ids in place of the steps", {exchanged, other_value},
             LookupsMistake::position_by_id),
  };
}

}  // namespace hindsight::mutants
