// The activation of a recurrent net with leaky rectifiers as one operation, and mistakes in its backward. In are the
// products a = x W and u = h U and the bias b; out is h.
//
//     y = s if s > 0, else s / 4,   s = a + u + b
//
//     ds = dy if s > 0, else dy / 4       da = ds     du = ds     db = sum of ds over the batch
#include "autodiff/join.hpp"
#include "tests/mutants/more_mistakes.hpp"
#include "tests/mutants/real_matrix.hpp"

namespace hindsight::mutants {
namespace {

struct Time : Axis<3> {};
struct Batch : Axis<2> {};
struct In : Axis<3> {};
struct Hidden : Axis<4> {};

enum class ReluMistake {
  none,
  no_leak,            // ds = 0 where s < 0
  by_input_alone,     // s > 0 is asked of a
  bias_of_first_row,  // db of the first sequence
  hidden_twice,       // du is added twice
  input_forgotten,    // da = 0
};

Var<double, Batch, Hidden> activated(ReluMistake mistake, Var<double, Batch, Hidden> a, Var<double, Batch, Hidden> u,
                                     Var<double, Hidden> b) {
  using enum ReluMistake;
  constexpr double leak = 0.25;
  const auto result = detail::result<double, Batch, Hidden>(a.extents, a, u, b);
  const auto sum = [=](std::size_t n, std::size_t j) { return value(a)(n, j) + value(u)(n, j) + value(b)(0, j); };
  each(value(result), [&](std::size_t n, std::size_t j) {
    value(result)(n, j) = sum(n, j) * (sum(n, j) > 0 ? 1 : leak);
  });
  return detail::record("leaky_relu(%0, %1, %2)", result, [=] {
    each(value(result), [&](std::size_t n, std::size_t j) {
      const double asked = mistake == by_input_alone ? value(a)(n, j) : sum(n, j);
      const double ds = gradient(result)(n, j) * (asked > 0 ? 1 : mistake == no_leak ? 0 : leak);
      if (mistake != input_forgotten) gradient(a)(n, j) += ds;
      gradient(u)(n, j) += mistake == hidden_twice ? 2 * ds : ds;
      if (mistake != bias_of_first_row || n == 0) gradient(b)(0, j) += ds;
    });
  }, a, u, b);
}

GradientReport check(ReluMistake mistake, std::uint64_t seed) {
  const auto f = [mistake](auto xs, auto h, auto w, auto u, auto b) {
    std::vector<Var<double, Batch, Hidden>> hs;
    for (std::size_t t = 0; t < Time::extent; ++t) {
      Var from_input = contract<In>(at<Time>(xs, t), w);
      Var from_hidden = contract<From<Hidden>>(rename<Hidden, From<Hidden>>(h), u);
      h = activated(mistake, from_input, from_hidden, b);
      hs.push_back(h);
    }
    return stack<Time>(hs);
  };
  return check_gradients({.seed = seed}, f, drawn<Time, Batch, In>("xs", seed), drawn<Batch, Hidden>("h", seed),
                         drawn<In, Hidden>("W", seed), drawn<From<Hidden>, Hidden>("U", seed),
                         drawn<Hidden>("b", seed));
}

}  // namespace

std::vector<Mutant> in_relu_rnn() {
  using enum Mistake;
  const MutantsOf<ReluMistake> mutant{"leaky relu rnn", check};
  return {
      mutant.right(),
      mutant("zero below zero, as of a relu without leak", {cut_off, derivative}, ReluMistake::no_leak),
      mutant("the sign is asked of x W in place of the sum", {derivative, other_value}, ReluMistake::by_input_alone),
      mutant("the bias gets the first row of the batch only", {not_reduced}, ReluMistake::bias_of_first_row),
      mutant("the hidden part's gradient is added twice", {factor}, ReluMistake::hidden_twice),
      mutant("the input's part gets nothing", {cut_off}, ReluMistake::input_forgotten),
  };
}

}  // namespace hindsight::mutants
