// The update rules by hand-worked numbers, and what an optimizer keeps from step to step.

#include "autodiff/optimizers.hpp"

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>
#include <cmath>
#include <thread>

#include "autodiff/backward.hpp"
#include "autodiff/initialise.hpp"
#include "autodiff/reductions.hpp"
#include "tests/kernel_data.hpp"

using namespace hindsight;
using Catch::Matchers::WithinAbs;
using Catch::Matchers::WithinRel;

namespace {

struct Batch : Axis<3> {};
struct In : Axis<5> {};
struct Out : Axis<4> {};
struct Any : Axis<dynamic> {};

/// Every element of a parameter of n begins at `start`, gets these gradients and goes this way.
template <class T, class Rule>
void check_path(Rule rule, double start, const std::vector<double>& gradients, const std::vector<double>& path,
                double tolerance) {
  for (const std::size_t n : sizes<T>()) {
    Optimizer<Rule> optimizer(rule);
    Parameter<T, Any> w(extent<Any>(n));
    initialise_constant(w, start);
    for (std::size_t t = 0; t < gradients.size(); ++t) {
      std::fill_n(w.gradients().data(), n, static_cast<T>(gradients[t]));
      optimizer.step(w);
      for (const T x : w.values()) CHECK_THAT(x, WithinAbs(path[t], sizeof(T) == 8 ? tolerance : 1e-6));
    }
  }
}

/// A small regression problem: y = tanh(x W) + b against fixed targets.
template <class T>
struct Net {
  using Weight = Parameter<T, In, Out>;
  using Offset = Bias<Out, T>;
  BOOST_HANA_DEFINE_STRUCT(Net, (Weight, weight), (Offset, bias));

  void initialise(const Random& random) { initialise_glorot(weight, random); }
};

template <class T, class Optimizer>
void train(Net<T>& net, Optimizer& optimizer, int steps) {
  Tape tape;
  for (int i = 0; i < steps; ++i) {
    tape.reset();
    Var y = tanh(contract<In>(constant<Batch, In>(numbers<T>(15, "x")), net.weight)) + net.bias;
    Var loss = mean(square(y - constant<Batch, Out>(numbers<T>(12, "target"))));
    backward(loss);
    optimizer.step(net);
    clear_gradients(net);
  }
}

template <class M>
auto values_of(const M& module) {
  std::vector<double> all;
  for_each_parameter(module, [&](const Path&, const auto& p) {
    all.insert(all.end(), p.values().begin(), p.values().end());
  });
  return all;
}

}  // namespace

TEMPLATE_TEST_CASE("SGD: the rate stands outside the momentum", "", float, double) {
  check_path<TestType>(SgdRule{.rate = 0.1}, 1, {1, 1, -2}, {0.9, 0.8, 1.0}, 1e-15);
  // v = 1, 1.9, 2.71
  check_path<TestType>(SgdRule{.rate = 0.1, .momentum = 0.9}, 0, {1, 1, 1}, {-0.1, -0.29, -0.561}, 1e-15);
  // g' = 1 + 0.5 w = 1.5, 1.425, 1.35375
  check_path<TestType>(SgdRule{.rate = 0.1, .weight_decay = 0.5}, 1, {1, 1, 1}, {0.85, 0.7075, 0.572125}, 1e-15);
}

TEMPLATE_TEST_CASE("RMSProp: epsilon stands outside the root", "", float, double) {
  // v = 1, 1.75, 2.3125
  const double a = -0.2 / (1 + 0.5), b = a - 0.2 / (std::sqrt(1.75) + 0.5), c = b - 0.2 / (std::sqrt(2.3125) + 0.5);
  check_path<TestType>(RmsPropRule{.rate = 0.1, .decay = 0.75, .epsilon = 0.5}, 0, {2, 2, 2}, {a, b, c}, 1e-14);
}

TEMPLATE_TEST_CASE("Adam: epsilon is added to the corrected root", "", float, double) {
  check_path<TestType>(AdamRule{.rate = 0.1, .epsilon = 0.01}, 0, {0.01, 0.01, -0.02}, {-0.05, -0.1, -0.0955681057},
                       1e-10);
}

TEMPLATE_TEST_CASE("Adam: the correction is not written back into the moments", "", float, double) {
  check_path<TestType>(AdamRule{.rate = 0.1}, 0, {1, 1, 1}, {-0.1, -0.2, -0.3}, 1e-8);
}

TEMPLATE_TEST_CASE("Adam: weight decay goes through the moments", "", float, double) {
  // g' = 0.5, 0.45; m^ = 0.09 / 0.19, v^ = 0.00045225 / 0.001999
  const double second = 0.9 - 0.1 * (0.09 / 0.19) / std::sqrt(0.00045225 / 0.001999);
  check_path<TestType>(AdamRule{.rate = 0.1, .weight_decay = 0.5}, 1, {0, 0}, {0.9, second}, 1e-7);
}

TEMPLATE_TEST_CASE("AdamW: weight decay goes around the moments", "", float, double) {
  // w 0.95 - 0.1
  check_path<TestType>(AdamWRule{.rate = 0.1, .weight_decay = 0.5}, 1, {1, 1, 1}, {0.85, 0.7075, 0.572125}, 1e-8);
}

TEST_CASE("a million steps do not spoil the correction") {
  Adam adam({.rate = 1e-3});
  Parameter<double> w;
  w.gradients()[0] = 1;
  for (int i = 0; i < 1'000'000; ++i) adam.step(w);
  CHECK(adam.steps == 1'000'000);
  CHECK_THAT(w.values()[0], WithinRel(-1000.0, 1e-7));  // every step is rate / (1 + 1e-8)

  Adam slow({.rate = 1, .beta1 = 0.999999, .beta2 = 0.99999999});
  Parameter<double> v;
  v.gradients()[0] = 1;
  slow.step(v);
  CHECK_THAT(v.values()[0], WithinRel(-1.0, 1e-7));
}

TEST_CASE("the step count is the optimizer's, not a parameter's") {
  Adam adam({.rate = 0.1});
  Parameter<double> early, late;
  auto both = std::tie(early, late);
  early.gradients()[0] = 1;
  adam.step(both);
  CHECK(late.values()[0] == 0);
  late.gradients()[0] = 1;
  adam.step(both);
  // m = 0.1, v = 0.001 at t = 2
  CHECK_THAT(late.values()[0], WithinAbs(-0.1 * (0.1 / 0.19) / std::sqrt(0.001 / 0.001999), 1e-8));
}

TEST_CASE("the rate can change between steps, and gradients stay") {
  Sgd sgd({.rate = 0.5});
  Parameter<double> w;
  w.gradients()[0] = 1;
  sgd.step(w);
  sgd.rate = 0.25;
  sgd.step(w);
  CHECK(w.values()[0] == -0.75);
  CHECK(w.gradients()[0] == 1);
}

TEST_CASE("the product after an update uses the new weights") {
  Parameter<double, In, Out> w;
  std::fill_n(w.gradients().begin(), w.size(), -1);
  Sgd sgd({.rate = 0.5});
  Tape tape;
  const auto product = [&] {
    Var y = contract<In>(constant<Batch, In>(std::vector<double>(15, 1)), w);
    return y.values();
  };
  CHECK(product() == std::vector<double>(12, 0));
  sgd.step(w);
  CHECK(product() == std::vector<double>(12, 5 * 0.5));
}

TEMPLATE_TEST_CASE("every optimizer finds the minimum of a quadratic", "", Sgd, RmsProp, Adam, AdamW) {
  struct Two : Axis<2> {};
  TestType optimizer;
  optimizer.weight_decay = 0;
  Parameter<double, Two> w;
  Tape tape;
  for (int i = 0; i < 3000; ++i) {
    tape.reset();
    Var loss = sum(constant<Two>({1.0, 0.25}) * square(w - constant<Two>({3.0, -1.0})));
    backward(loss);
    optimizer.rate = 0.1 * std::pow(0.997, i);
    optimizer.step(w);
    clear_gradients(w);
  }
  CHECK_THAT(w.values()[0], WithinAbs(3, 1e-3));
  CHECK_THAT(w.values()[1], WithinAbs(-1, 1e-3));
}

TEST_CASE("a tied parameter is updated once and has one pair of moments") {
  Adam adam({.rate = 0.1});
  Parameter<double> a, b;
  a.gradients()[0] = 3;
  b.gradients()[0] = 4;
  auto tied = std::tie(a, b, a);
  adam.step(tied);
  CHECK_THAT(a.values()[0], WithinAbs(-0.1, 1e-8));
  CHECK_THAT(b.values()[0], WithinAbs(-0.1, 1e-8));
  std::vector<std::string> names;
  adam.for_each_state(tied, [&](const Path& path, std::span<double>) { names.push_back(path.text()); });
  CHECK(names == std::vector<std::string>{"0.m", "0.v", "1.m", "1.v"});
}

TEMPLATE_TEST_CASE("the same seed trains to the same bits, alone and beside other threads", "", float, double) {
  const auto run = [] {
    Net<TestType> net;
    initialise(net, 7);
    Adam adam({.rate = 0.01, .weight_decay = 0.01});
    train(net, adam, 50);
    return values_of(net);
  };
  const auto alone = run();
  std::vector<double> beside[3];
  std::vector<std::thread> threads;
  for (auto& result : beside) threads.emplace_back([&] { result = run(); });
  for (auto& thread : threads) thread.join();
  for (const auto& result : beside) CHECK(same_bits(result, alone));
}
