// Cross-entropy of all steps of padded sequences as one operation, the mean over the N words that are there, and
// mistakes in its backward. m is 1 where there is a word, else 0.
//
//     p = softmax(x)      loss = -1/N sum_tb m_tb log p_{tb, target_tb}      dx = m (p - onehot(target)) / N
#include <algorithm>
#include <array>
#include <cmath>

#include "autodiff/join.hpp"
#include "tests/mutants/real_matrix.hpp"
#include "tests/mutants/unseen.hpp"

namespace hindsight::mutants {
namespace {

struct Time : Axis<4> {};
struct Batch : Axis<2> {};
struct Hidden : Axis<4> {};
struct Classes : Axis<3> {};
constexpr std::array<std::size_t, Batch::extent> lengths{4, 2};
constexpr double words = 6;
constexpr std::size_t targets[Time::extent][Batch::extent] = {{2, 1}, {1, 2}, {1, 1}, {2, 2}};

enum class LossMistake {
  none,
  none_where_p_is_zero,
  padding_counted,  // without m
  mean_of_all,      // / (T B)
  upstream_is_one,  // without what comes from behind the loss
  target_only,      // p - 1 at the target, else 0
  softmax_twice,    // p = softmax(softmax(x))
  p_divided,        // p (dp - sum_k p_k dp_k) with dp = -onehot / p, where p is 0
};

Var<double> loss(LossMistake mistake, Var<double, Time, Batch, Classes> logits) {
  using enum LossMistake;
  using Row = std::array<double, Classes::extent>;
  const auto result = detail::result<double>({}, logits);
  const auto row = [=](std::size_t t, std::size_t b) {
    Row x;
    for (std::size_t k = 0; k < x.size(); ++k) x[k] = value(at<Time>(logits, t))(b, k);
    return x;
  };
  const auto log_softmax = [](Row x) {
    const double largest = *std::max_element(x.begin(), x.end());
    double total = 0;
    for (double element : x) total += std::exp(element - largest);
    for (double& element : x) element -= largest + std::log(total);
    return x;
  };
  const auto softmax = [=](Row x) {
    x = log_softmax(x);
    for (double& element : x) element = std::exp(element);
    return x;
  };
  *result.value = 0;
  for (std::size_t b = 0; b < Batch::extent; ++b)
    for (std::size_t t = 0; t < lengths[b]; ++t) *result.value -= log_softmax(row(t, b))[targets[t][b]] / words;

  return detail::record("padded_cross_entropy(%0)", result, [=] {
    const double upstream = mistake == upstream_is_one ? 1 : *result.gradient;
    const double count = mistake == mean_of_all ? Time::extent * Batch::extent : words;
    for (std::size_t b = 0; b < Batch::extent; ++b)
      for (std::size_t t = 0; t < (mistake == padding_counted ? Time::extent : lengths[b]); ++t) {
        const Row p = mistake == softmax_twice ? softmax(softmax(row(t, b))) : softmax(row(t, b));
        const std::size_t target = targets[t][b];
        for (std::size_t k = 0; k < p.size(); ++k) {
          const double hot = k == target ? 1 : 0;
          const double slope = mistake == p_divided                      ? p[k] * (1 - hot / p[target])
                               : mistake == target_only && k != target ? 0
                                                                         : p[k] - hot;
          gradient(at<Time>(logits, t))(b, k) += upstream * slope / count;
        }
      }
  }, logits);
}

GradientReport check(LossMistake mistake, std::uint64_t seed) {
  using enum LossMistake;
  // Class 0 is never the target. Where it is as likely as this, exp(x) of the others is 0.
  const double sure = mistake == p_divided || mistake == none_where_p_is_zero ? 800 : 0;
  const auto f = [mistake, sure](auto xs, auto h, auto u, auto v, auto b) {
    Var offset = b + constant<Classes>({sure, 0.0, 0.0});
    std::vector<Var<double, Batch, Classes>> logits;
    for (std::size_t t = 0; t < Time::extent; ++t) {
      Var a = at<Time>(xs, t) + contract<From<Hidden>>(rename<Hidden, From<Hidden>>(h), u);
      h = tanh(a);
      Var x = contract<Hidden>(h, v) + offset;
      logits.push_back(x);
    }
    return loss(mistake, stack<Time>(logits));
  };
  return check_gradients({.seed = seed}, f, drawn<Time, Batch, Hidden>("xs", seed), drawn<Batch, Hidden>("h", seed),
                         drawn<From<Hidden>, Hidden>("U", seed), drawn<Hidden, Classes>("V", seed),
                         drawn<Classes>("b", seed));
}

}  // namespace

std::vector<Mutant> unseen_in_cross_entropy() {
  using enum Mistake;
  const MutantsOf<LossMistake> mutant{"cross-entropy of padded sequences", check};
  return {
      mutant.right(),
      mutant("as it should be, where the target's p is 0", {}, LossMistake::none_where_p_is_zero),
      mutant("the padding gets a gradient", {derivative}, LossMistake::padding_counted),
      mutant("divided by all places, not by the words", {factor}, LossMistake::mean_of_all),
      mutant("what comes from behind the loss is taken for 1", {factor, derivative}, LossMistake::upstream_is_one),
      mutant("only the target's logit gets a gradient", {cut_off, missing_term}, LossMistake::target_only),
      mutant("softmax of what is a softmax already", {derivative, other_value}, LossMistake::softmax_twice),
      mutant("divided by p, which is 0", {nan}, LossMistake::p_divided),
  };
}

}  // namespace hindsight::mutants
