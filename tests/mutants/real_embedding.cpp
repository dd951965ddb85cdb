// An embedding's lookup as one operation, and mistakes in its backward. The ids repeat.
//
//     y_p = sqrt(E) table_{id_p}           dtable_k = sqrt(E) sum of dy_p over the positions p with id_p = k
//
// The factor is that of Vaswani et al. 2017.
#include <array>
#include <cmath>

#include "autodiff/join.hpp"
#include "tests/mutants/real_matrix.hpp"
#include "tests/mutants/real_mistakes.hpp"

namespace hindsight::mutants {
namespace {

struct Time : Axis<3> {};
struct Batch : Axis<2> {};
struct Vocabulary : Axis<4> {};
struct Emb : Axis<3> {};
struct Hidden : Axis<5> {};
using Ids = std::array<std::array<std::size_t, Batch::extent>, Time::extent>;

enum class EmbeddingMistake {
  none,
  rows_assigned,    // dtable_k = dy_p
  repeats_lost,     // dtable[ids] += dy, which adds the last of equal ids only
  ids_from_one,     // to row id + 1
  zero_is_padding,  // nothing to row 0
  unscaled,         // without sqrt(E)
};

Var<double, Time, Batch, Emb> lookup(EmbeddingMistake mistake, Var<double, Vocabulary, Emb> table, Ids ids) {
  using enum EmbeddingMistake;
  const double scale = std::sqrt(static_cast<double>(Emb::extent));
  const auto result = detail::result<double, Time, Batch, Emb>({Time::extent, Batch::extent, Emb::extent}, table);
  const auto each_element = [=](auto work) {
    for (std::size_t t = 0; t < Time::extent; ++t)
      each(value(at<Time>(result, t)), [&](std::size_t b, std::size_t j) { work(t, b, j); });
  };
  each_element([&](std::size_t t, std::size_t b, std::size_t j) {
    value(at<Time>(result, t))(b, j) = scale * value(table)(ids[t][b], j);
  });
  const Matrix before = scratch(Vocabulary::extent, Emb::extent);
  return detail::record("lookup(%0)", result, [=] {
    const Matrix rows = gradient(table);
    each(rows, [&](std::size_t k, std::size_t j) { before(k, j) = rows(k, j); });
    each_element([&](std::size_t t, std::size_t b, std::size_t j) {
      if (mistake == zero_is_padding && ids[t][b] == 0) return;
      double& row = rows(mistake == ids_from_one ? ids[t][b] + 1 : ids[t][b], j);
      if (mistake == rows_assigned) row = 0;
      if (mistake == repeats_lost) row = before(ids[t][b], j);
      row += gradient(at<Time>(result, t))(b, j) * (mistake == unscaled ? 1 : scale);
    });
  }, table);
}

GradientReport check(EmbeddingMistake mistake, std::uint64_t seed) {
  const auto f = [mistake](auto table, auto h, auto w, auto u) {
    const Var xs = lookup(mistake, table, Ids{{{2, 0}, {2, 1}, {0, 2}}});
    std::vector<Var<double, Batch, Hidden>> hs;
    for (std::size_t t = 0; t < Time::extent; ++t) {
      Var a = contract<Emb>(at<Time>(xs, t), w) + contract<From<Hidden>>(rename<Hidden, From<Hidden>>(h), u);
      h = tanh(a);
      hs.push_back(h);
    }
    return stack<Time>(hs);
  };
  return check_gradients({.seed = seed}, f, drawn<Vocabulary, Emb>("table", seed), drawn<Batch, Hidden>("h", seed),
                         drawn<Emb, Hidden>("W", seed), drawn<From<Hidden>, Hidden>("U", seed));
}

}  // namespace

std::vector<Mutant> in_embedding() {
  using enum Mistake;
  const MutantsOf<EmbeddingMistake> mutant{"embedding", check};
  return {
      mutant.right(),
      mutant("rows are assigned, not added", {overwritten}, EmbeddingMistake::rows_assigned),
      mutant("of equal ids the last one counts", {overwritten, missing_term}, EmbeddingMistake::repeats_lost),
      mutant("ids are counted from one in the backward", {step_off}, EmbeddingMistake::ids_from_one),
      mutant("id 0 is taken for padding", {cut_off}, EmbeddingMistake::zero_is_padding),
      mutant("sqrt(E) is forgotten in the backward", {factor}, EmbeddingMistake::unscaled),
  };
}

}  // namespace hindsight::mutants
