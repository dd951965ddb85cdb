// The additive score as one operation, and mistakes in its backward. In are the query's part s = W q, the keys
// k_i = U m_i and the direction v; out is e_i.
//
//     y_i = tanh(s + k_i)      e_i = v . y_i
//
//     da_i = de_i v (1 - y_i^2)     ds = sum_i da_i     dk_i = da_i     dv = sum of de_i y_i over i and the batch
#include <cmath>

#include "autodiff/join.hpp"
#include "autodiff/reductions.hpp"
#include "tests/mutants/real_matrix.hpp"
#include "tests/mutants/real_mistakes.hpp"

namespace hindsight::mutants {
namespace {

struct Target : Axis<3> {};
struct Source : Axis<4> {};
struct Batch : Axis<2> {};
struct Hidden : Axis<3> {};
struct Scored : Axis<5> {};

enum class AdditiveMistake {
  none,
  one_minus_y,             // 1 - y for 1 - y^2
  at_preactivation,        // 1 - (s + k_i)^2
  without_direction,       // da_i = de_i (1 - y_i^2)
  direction_without_tanh,  // dv from s + k_i
  direction_of_last_row,   // dv of the last sentence
  query_of_last_position,  // ds = da_i of the last i
};

Var<double, Source, Batch> score(AdditiveMistake mistake, Var<double, Batch, Scored> query,
                                 Var<double, Source, Batch, Scored> keys, Var<double, Scored> v) {
  using enum AdditiveMistake;
  const auto result = detail::result<double, Source, Batch>({Source::extent, Batch::extent}, query, keys, v);
  const Matrix e = value(result);
  const auto sum = [=](std::size_t i, std::size_t n, std::size_t a) {
    return value(query)(n, a) + value(at<Source>(keys, i))(n, a);
  };
  each(e, [&](std::size_t i, std::size_t n) {
    e(i, n) = 0;
    for (std::size_t a = 0; a < Scored::extent; ++a) e(i, n) += value(v)(0, a) * std::tanh(sum(i, n, a));
  });
  return detail::record("additive_score(%0, %1, %2)", result, [=] {
    each(e, [&](std::size_t i, std::size_t n) {
      const double de = gradient(result)(i, n);
      for (std::size_t a = 0; a < Scored::extent; ++a) {
        const double x = sum(i, n, a), y = std::tanh(x);
        const double slope = mistake == one_minus_y ? 1 - y : mistake == at_preactivation ? 1 - x * x : 1 - y * y;
        const double da = de * slope * (mistake == without_direction ? 1 : value(v)(0, a));
        gradient(at<Source>(keys, i))(n, a) += da;
        if (mistake != query_of_last_position || i + 1 == Source::extent) gradient(query)(n, a) += da;
        if (mistake != direction_of_last_row || n + 1 == Batch::extent)
          gradient(v)(0, a) += de * (mistake == direction_without_tanh ? x : y);
      }
    });
  }, query, keys, v);
}

GradientReport check(AdditiveMistake mistake, std::uint64_t seed) {
  const auto f = [mistake](auto states, auto context, auto memory, auto w, auto u, auto v) {
    Var keys = contract<Hidden>(memory, u);
    std::vector<Var<double, Batch, Hidden>> contexts;
    for (std::size_t t = 0; t < Target::extent; ++t) {
      Var query = tanh(at<Target>(states, t) + context);
      Var from_query = contract<Hidden>(query, w);
      context = contract<Source>(softmax<Source>(score(mistake, from_query, keys, v)), memory);
      contexts.push_back(context);
    }
    return stack<Target>(contexts);
  };
  return check_gradients({.seed = seed}, f, drawn<Target, Batch, Hidden>("states", seed),
                         drawn<Batch, Hidden>("c", seed), drawn<Source, Batch, Hidden>("memory", seed),
                         drawn<Hidden, Scored>("W", seed), drawn<Hidden, Scored>("U", seed), drawn<Scored>("v", seed));
}

}  // namespace

std::vector<Mutant> in_additive_score() {
  using enum Mistake;
  const MutantsOf<AdditiveMistake> mutant{"additive score", check};
  return {
      mutant.right(),
      mutant("1 - y in place of 1 - y^2", {derivative}, AdditiveMistake::one_minus_y),
      mutant("1 - x^2 at the pre-activation in place of 1 - y^2", {derivative}, AdditiveMistake::at_preactivation),
      mutant("v is forgotten on the way to query and keys", {derivative}, AdditiveMistake::without_direction),
      mutant("dv from the pre-activation in place of its tanh", {other_value, derivative},
             AdditiveMistake::direction_without_tanh),
      mutant("dv from the last row of the batch only", {not_reduced}, AdditiveMistake::direction_of_last_row),
      mutant("the query's gradient from the last position only", {not_reduced},
             AdditiveMistake::query_of_last_position),
  };
}

}  // namespace hindsight::mutants
