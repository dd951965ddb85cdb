// A bag of embeddings as one operation, and mistakes in its backward: a step's words are looked up and summed, each
// place of the bag with its learned weight. Ids repeat, within a bag and between bags.
//
//     y_b = sum_p w_p table_{id_bp}
//
//     dtable_k = sum of w_p dy_b over the b, p with id_bp = k          dw_p = sum_b dy_b . table_{id_bp}
#include <array>

#include "autodiff/join.hpp"
#include "tests/mutants/real_matrix.hpp"
#include "tests/mutants/unseen.hpp"

namespace hindsight::mutants {
namespace {

struct Time : Axis<3> {};
struct Batch : Axis<2> {};
struct Place : Axis<3> {};
struct Vocabulary : Axis<4> {};
struct Emb : Axis<3> {};
struct Hidden : Axis<2> {};
using Ids = std::array<std::array<std::size_t, Place::extent>, Batch::extent>;

enum class BagMistake {
  none,
  without_weight,       // dtable_k = sum of dy_b
  repeats_lost,         // dtable[ids] += .., which adds the last of equal ids only
  cleared_each_step,    // dtable = 0 first, where more steps are to come
  next_weight,          // w_{p+1}
  weights_of_last_row,  // dw of the last sequence
  weights_from_bag,     // dw_p = sum_b dy_b . y_b
};

Var<double, Batch, Emb> bag(BagMistake mistake, Var<double, Vocabulary, Emb> table, Var<double, Place> w, Ids ids) {
  using enum BagMistake;
  const auto result = detail::result<double, Batch, Emb>({Batch::extent, Emb::extent}, table, w);
  const Matrix y = value(result);
  const auto each_word = [=](auto work) {
    for (std::size_t p = 0; p < Place::extent; ++p)
      each(y, [&](std::size_t b, std::size_t j) { work(b, p, ids[b][p], j); });
  };
  clear(y);
  each_word([&](std::size_t b, std::size_t p, std::size_t id, std::size_t j) {
    y(b, j) += value(w)(0, p) * value(table)(id, j);
  });

  const Matrix before = scratch(Vocabulary::extent, Emb::extent);
  return detail::record("bag(%0, %1)", result, [=] {
    const Matrix dy = gradient(result), rows = gradient(table);
    if (mistake == cleared_each_step) clear(rows);
    each(rows, [&](std::size_t k, std::size_t j) { before(k, j) = rows(k, j); });
    each_word([&](std::size_t b, std::size_t p, std::size_t id, std::size_t j) {
      const std::size_t place = mistake == next_weight ? (p + 1) % Place::extent : p;
      if (mistake == repeats_lost) rows(id, j) = before(id, j);
      rows(id, j) += dy(b, j) * (mistake == without_weight ? 1 : value(w)(0, place));

      if (mistake != weights_of_last_row || b + 1 == Batch::extent)
        gradient(w)(0, p) += dy(b, j) * (mistake == weights_from_bag ? y(b, j) : value(table)(id, j));
    });
  }, table, w);
}

GradientReport check(BagMistake mistake, std::uint64_t seed) {
  const auto f = [mistake](auto table, auto w, auto h, auto v, auto u) {
    const std::array<Ids, Time::extent> ids{Ids{{{2, 0, 2}, {1, 3, 0}}}, Ids{{{1, 2, 3}, {0, 0, 2}}},
                                            Ids{{{3, 1, 1}, {2, 3, 0}}}};
    std::vector<Var<double, Batch, Hidden>> hs;
    for (std::size_t t = 0; t < Time::extent; ++t) {
      Var x = bag(mistake, table, w, ids[t]);
      Var a = contract<Emb>(x, v) + contract<From<Hidden>>(rename<Hidden, From<Hidden>>(h), u);
      h = tanh(a);
      hs.push_back(h);
    }
    return stack<Time>(hs);
  };
  return check_gradients({.seed = seed}, f, drawn<Vocabulary, Emb>("table", seed), drawn<Place>("w", seed),
                         drawn<Batch, Hidden>("h", seed), drawn<Emb, Hidden>("V", seed),
                         drawn<From<Hidden>, Hidden>("U", seed));
}

}  // namespace

std::vector<Mutant> unseen_in_embedding() {
  using enum Mistake;
  const MutantsOf<BagMistake> mutant{"bag of embeddings", check};
  return {
      mutant.right(),
      mutant("the table's gradient without the weight", {derivative}, BagMistake::without_weight),
      mutant("of equal ids the last one counts", {overwritten, missing_term}, BagMistake::repeats_lost),
      mutant("the table's gradient is cleared at each step", {overwritten}, BagMistake::cleared_each_step),
      mutant("the weight of the next place", {step_off}, BagMistake::next_weight),
      mutant("the weights get the last row of the batch only", {not_reduced, missing_term},
             BagMistake::weights_of_last_row),
      mutant("the weights' gradient from the bag in place of the word", {other_value}, BagMistake::weights_from_bag),
  };
}

}  // namespace hindsight::mutants
