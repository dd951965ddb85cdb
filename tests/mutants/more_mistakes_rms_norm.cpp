// Root mean square normalisation (Zhang and Sennrich 2019) as one operation, and mistakes in its backward.
//
//     n = x / r,   r = sqrt(mean(x^2) + epsilon)      y = gain n
//
//     dn = dy gain     dx = (dn - n mean(dn n)) / r     dgain = sum of dy n over the batch
#include <cmath>

#include "autodiff/join.hpp"
#include "tests/mutants/more_mistakes.hpp"
#include "tests/mutants/real_matrix.hpp"

namespace hindsight::mutants {
namespace {

struct Layer : Axis<3> {};
struct Batch : Axis<2> {};
struct Hidden : Axis<4> {};

enum class RmsMistake {
  none,
  root_constant,      // without n mean(dn n)
  sum_for_mean,       // n sum(dn n)
  without_gain,       // dn = dy
  gain_twice,         // n gain mean(dn n)
  without_root,       // not divided by r
  gain_from_x,        // dgain = sum of dy x
  gain_frozen,        // dgain = 0
  gain_averaged,      // dgain = mean of dy n
  input_overwritten,  // dx is assigned, where x goes past the norm too
};

Var<double, Batch, Hidden> normalised(RmsMistake mistake, Var<double, Batch, Hidden> input, Var<double, Hidden> gain) {
  using enum RmsMistake;
  constexpr std::size_t units = Hidden::extent;
  const auto result = detail::result<double, Batch, Hidden>(input.extents, input, gain);
  const Matrix x = value(input), n = scratch(x.rows, x.columns), r = scratch(x.rows, 1);
  const auto sum = [](auto f) {
    double total = 0;
    for (std::size_t j = 0; j < units; ++j) total += f(j);
    return total;
  };
  for (std::size_t b = 0; b < x.rows; ++b)
    r(b, 0) = std::sqrt(sum([&](std::size_t j) { return x(b, j) * x(b, j); }) / units + 1e-5);
  each(n, [&](std::size_t b, std::size_t j) {
    n(b, j) = x(b, j) / r(b, 0);
    value(result)(b, j) = value(gain)(0, j) * n(b, j);
  });
  return detail::record("rms_norm(%0, %1)", result, [=] {
    const Matrix dy = gradient(result);
    if (mistake == input_overwritten) clear(gradient(input));
    each(x, [&](std::size_t b, std::size_t j) {
      const auto dn = [&](std::size_t k) { return dy(b, k) * (mistake == without_gain ? 1 : value(gain)(0, k)); };
      const double total = sum([&](std::size_t k) { return dn(k) * n(b, k); });
      const double through_root = mistake == root_constant  ? 0
                                  : mistake == sum_for_mean ? n(b, j) * total
                                  : mistake == gain_twice   ? n(b, j) * value(gain)(0, j) * total / units
                                                            : n(b, j) * total / units;
      gradient(input)(b, j) += (dn(j) - through_root) / (mistake == without_root ? 1 : r(b, 0));
      if (mistake != gain_frozen)
        gradient(gain)(0, j) += dy(b, j) * (mistake == gain_from_x ? x : n)(b, j) /
                                (mistake == gain_averaged ? Batch::extent : 1);
    });
  }, input, gain);
}

GradientReport check(RmsMistake mistake, std::uint64_t seed) {
  const auto f = [mistake](auto x, auto w, auto gain) {
    std::vector<Var<double, Batch, Hidden>> layers;
    for (std::size_t l = 0; l < Layer::extent; ++l) {
      Var n = rename<Hidden, From<Hidden>>(normalised(mistake, x, gain));
      x = x + tanh(contract<From<Hidden>>(n, w));
      layers.push_back(x);
    }
    return stack<Layer>(layers);
  };
  return check_gradients({.seed = seed}, f, drawn<Batch, Hidden>("x", seed), drawn<From<Hidden>, Hidden>("W", seed),
                         drawn<Hidden>("gain", seed));
}

}  // namespace

std::vector<Mutant> in_rms_norm() {
  using enum Mistake;
  const MutantsOf<RmsMistake> mutant{"rms norm", check};
  return {
      mutant.right(),
      mutant("dx without the root's term", {missing_term}, RmsMistake::root_constant),
      mutant("the root's term with a sum in place of the mean", {factor, missing_term}, RmsMistake::sum_for_mean),
      mutant("dx without the gain", {derivative}, RmsMistake::without_gain),
      mutant("the root's term has the gain twice", {derivative, missing_term}, RmsMistake::gain_twice),
      mutant("dx is not divided by the root", {derivative, factor}, RmsMistake::without_root),
      mutant("the gain's gradient from x in place of the normalised x", {other_value, derivative},
             RmsMistake::gain_from_x),
      mutant("the gain gets nothing", {cut_off}, RmsMistake::gain_frozen),
      mutant("the gain gets the mean over the batch", {factor}, RmsMistake::gain_averaged),
      mutant("dx is assigned, not added to what goes past the norm", {overwritten}, RmsMistake::input_overwritten),
  };
}

}  // namespace hindsight::mutants
