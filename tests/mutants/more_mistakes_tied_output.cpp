// The output layer of tied embeddings (Press and Wolf 2017) as one operation, and mistakes in its backward: the logits
// are by the table that the words were looked up in, so its gradient comes from both ends.
//
//     y = h table^T / sqrt(E) + b
//
//     dh = dy table / sqrt(E)      dtable = dy^T h / sqrt(E)      db = sum of dy over the batch
#include <array>
#include <cmath>

#include "autodiff/gather.hpp"
#include "autodiff/join.hpp"
#include "tests/mutants/more_mistakes.hpp"
#include "tests/mutants/real_matrix.hpp"

namespace hindsight::mutants {
namespace {

struct Time : Axis<3> {};
struct Batch : Axis<2> {};
struct Vocabulary : Axis<4> {};
struct Emb : Axis<3> {};

enum class TiedMistake {
  none,
  table_detached,     // dtable = 0: it learns by the lookups alone
  table_overwritten,  // dtable =, where more steps and the lookups are to come
  seen_rows_only,     // dtable of the rows that were looked up
  table_unscaled,     // dtable without 1 / sqrt(E)
  state_unscaled,     // dh without 1 / sqrt(E)
  bias_of_first_row,  // db of the first sentence
};

Var<double, Batch, Vocabulary> logits(TiedMistake mistake, Var<double, Batch, Emb> h,
                                      Var<double, Vocabulary, Emb> table, Var<double, Vocabulary> b,
                                      std::array<std::int32_t, Batch::extent> ids) {
  using enum TiedMistake;
  const double scale = 1 / std::sqrt(static_cast<double>(Emb::extent));
  const auto result = detail::result<double, Batch, Vocabulary>({Batch::extent, Vocabulary::extent}, h, table, b);
  each(value(result), [&](std::size_t n, std::size_t k) {
    value(result)(n, k) = value(b)(0, k);
    for (std::size_t j = 0; j < Emb::extent; ++j) value(result)(n, k) += scale * value(h)(n, j) * value(table)(k, j);
  });
  return detail::record("tied_logits(%0, %1, %2)", result, [=] {
    if (mistake == table_overwritten) clear(gradient(table));
    each(value(result), [&](std::size_t n, std::size_t k) {
      const double dy = gradient(result)(n, k);
      bool seen = false;
      for (const std::int32_t id : ids) seen = seen || static_cast<std::size_t>(id) == k;
      for (std::size_t j = 0; j < Emb::extent; ++j) {
        gradient(h)(n, j) += dy * value(table)(k, j) * (mistake == state_unscaled ? 1 : scale);
        if (mistake == table_detached || (mistake == seen_rows_only && !seen)) continue;
        gradient(table)(k, j) += dy * value(h)(n, j) * (mistake == table_unscaled ? 1 : scale);
      }
      if (mistake != bias_of_first_row || n == 0) gradient(b)(0, k) += dy;
    });
  }, h, table, b);
}

GradientReport check(TiedMistake mistake, std::uint64_t seed) {
  const auto f = [mistake](auto table, auto h, auto u, auto b) {
    const std::array<std::array<std::int32_t, Batch::extent>, Time::extent> ids{{{2, 0}, {1, 2}, {0, 1}}};
    std::vector<Var<double, Batch, Vocabulary>> ys;
    for (std::size_t t = 0; t < Time::extent; ++t) {
      Var x = gather<Vocabulary, Batch>(table, ids[t]);
      h = tanh(x + contract<From<Emb>>(rename<Emb, From<Emb>>(h), u));
      ys.push_back(logits(mistake, h, table, b, ids[t]));
    }
    return stack<Time>(ys);
  };
  return check_gradients({.seed = seed}, f, drawn<Vocabulary, Emb>("table", seed), drawn<Batch, Emb>("h", seed),
                         drawn<From<Emb>, Emb>("U", seed), drawn<Vocabulary>("b", seed));
}

}  // namespace

std::vector<Mutant> in_tied_output() {
  using enum Mistake;
  const MutantsOf<TiedMistake> mutant{"tied output", check};
  return {
      mutant.right(),
      mutant("the table gets nothing from the logits", {cut_off}, TiedMistake::table_detached),
      mutant("the table's gradient is assigned, not added", {overwritten}, TiedMistake::table_overwritten),
      mutant("only rows that were looked up get a gradient", {cut_off}, TiedMistake::seen_rows_only),
      mutant("the table's gradient without 1 / sqrt(E)", {factor}, TiedMistake::table_unscaled),
      mutant("the state's gradient without 1 / sqrt(E)", {factor}, TiedMistake::state_unscaled),
      mutant("the bias gets the first row of the batch only", {not_reduced}, TiedMistake::bias_of_first_row),
  };
}

}  // namespace hindsight::mutants
