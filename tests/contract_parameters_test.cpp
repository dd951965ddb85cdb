// Parameters in products: packed weights, deferred gradients.

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>

#include "autodiff/reductions.hpp"
#include "tests/finite_difference.hpp"

using namespace hindsight;

namespace {

struct Batch : Axis<> {};
struct Source : Axis<> {};
struct Target : Axis<> {};
struct In : Axis<> {};
struct Out : Axis<> {};
struct Two : Axis<2> {};
struct Three : Axis<3> {};

/// Puts an operand's values into a parameter.
template <IsAxis... As>
Parameter<double, As...> parameter(const Operand<As...>& x) {
  auto p = [&]<std::size_t... D>(std::index_sequence<D...>) {
    return Parameter<double, As...>(extent<As>(x.extents[D])...);
  }
  (std::index_sequence_for<As...>{});
  std::copy(x.values.begin(), x.values.end(), p.edit().begin());
  return p;
}

/// Checks the gradients of f(parameters...) against those of f(variables...), which are checked
/// against differences: parameters go through packed weights and deferred products.
template <class F, class... Operands>
void check_parameters(F f, const Operands&... operands) {
  check_gradient(f, operands...);
  std::vector<std::vector<double>> expected, found;
  {
    Tape tape;
    const std::tuple variables{operands.variable()...};
    const Var y = std::apply(f, variables);
    backward(y, weights_like(y));
    std::apply([&](const auto&... v) { (expected.push_back(v.gradients()), ...); }, variables);
  }
  Tape tape;
  const std::tuple parameters{parameter(operands)...};
  const Var y = std::apply(f, parameters);
  backward(y, weights_like(y));
  std::apply([&](const auto&... p) { (found.emplace_back(p.gradients().begin(), p.gradients().end()), ...); },
             parameters);
  for (std::size_t p = 0; p < expected.size(); ++p)
    for (std::size_t i = 0; i < expected[p].size(); ++i) {
      INFO("parameter " << p << ", element " << i);
      REQUIRE(std::abs(found[p][i] - expected[p][i]) <= 1e-12 * (1 + std::abs(expected[p][i])));
    }
}

}  // namespace

TEST_CASE("parameters in products have the gradients that variables have") {
  const auto n = GENERATE(from_range(around_the_width()));
  const auto b = extent<Batch>(3);
  const auto s = extent<Source>(2);
  const auto i = extent<In>(4);
  const auto o = extent<Out>(n);
  const auto x = operand<Batch, In>("x", b, i);
  const auto w = operand<In, Out>("w", i, o);
  const auto over_in = [](const auto& x, const auto& w) { return contract<In>(x, w); };
  const auto plus = [](const auto& x, const auto& w, const auto& c) { return contract<In>(x, w) + c; };
  SECTION("as the right-hand matrix, and transposed") {
    check_parameters(over_in, x, w);
    check_parameters(over_in, x, operand<Out, In>("w", i, o));
    check_parameters([](const auto& x, const auto& w) { return contract<In>(x, transpose<Out, In>(w)); }, x, w);
    check_parameters([](const auto& x, const auto& w) { return contract<In>(transpose<In, Batch>(x), w); }, x, w);
  }
  SECTION("as the left-hand matrix") { check_parameters(over_in, w, x); }
  SECTION("under another name") {
    check_parameters([](const auto& x, const auto& w) { return contract<In>(x, rename<Out, Target>(w)); }, x, w);
    check_parameters(
        [](const auto& x, const auto& w) { return contract<Source>(rename<In, Source>(x), rename<In, Source>(w)); }, x,
        w);
  }
  SECTION("in part, which is not the whole matrix") {
    check_parameters([](const auto& x, const auto& w) { return contract<In>(slice<In>(x, 0, 2), slice<In>(w, 1, 3)); },
                     x, w);
    check_parameters([](const auto& x, const auto& w) { return contract<In>(x, slice<Out>(w, 0, 1)); }, x, w);
    check_parameters([](const auto& x, const auto& w) { return contract<In>(x, at<Out>(w, 0)); }, x, w);
  }
  SECTION("with several axes") {
    const auto cube = operand<In, Out, Three>("cube", i, o);
    check_parameters(over_in, x, cube);
    check_parameters([](const auto& x, const auto& w) { return contract<Out>(x, w); }, operand<Batch, Out>("x", b, o),
                     cube);
    check_parameters([](const auto& x, const auto& w) { return contract<Three>(x, w); }, operand<Batch, Three>("x", b),
                     cube);
    check_parameters([](const auto& x, const auto& w) { return contract<Out, Three>(x, w); },
                     operand<Batch, Out, Three>("x", b, o), cube);
    check_parameters([](const auto& x, const auto& w) { return contract<In, Three>(x, w); },
                     operand<Batch, In, Three>("x", b, i), cube);
  }
  SECTION("seen as different matrices in one pass") {
    check_parameters(
        [](const auto& x, const auto& z, const auto& w) {
          const Var y = contract<In>(x, w);     // In x (Out, Three)
          const Var u = contract<Three>(z, w);  // (In, Out) x Three
          return contract<In>(u, contract<Batch>(x, y)) + tanh(y);
        },
        x, operand<Batch, Three>("z", b), operand<In, Out, Three>("cube", i, o));
  }
  SECTION("with batch axes, or none left over") {
    check_parameters(over_in, operand<Out, Batch, In>("x", b, i, o), w);
    check_parameters([](const auto& x, const auto& w) { return contract<In, Out>(x, w); },
                     operand<Batch, In, Out>("x", b, i, o), w);
    check_parameters(over_in, operand<Source, Batch, In>("x", s, b, i), w);
    check_parameters(over_in, operand<In>("x", i), w);
    check_parameters(over_in, x, operand<In>("v", i));
    check_parameters([](const auto& x, const auto& w) { return outer(x, w); }, operand<Batch>("x", b),
                     operand<Out>("v", o));
  }
  SECTION("in a product and elementwise, several times") {
    check_parameters(
        [](const auto& x, const auto& w) {
          const Var y = contract<In>(x, w);
          return contract<In>(tanh(contract<Out>(y, w)), w * w) + y;
        },
        x, w);
    check_parameters(
        [](const auto& x, const auto& w) {
          Var y = tanh(contract<In>(x, w));
          for (int t = 0; t < 3; ++t) {
            const Var pairs = contract<In>(w, rename<Out, Next<Out>>(w));
            y = tanh((rename<Next<Out>, Out>(contract<Out>(y, pairs)) + contract<In>(x, w)) * 0.1);
          }
          return y;
        },
        x, w);
  }
  SECTION("as biases, of products and of sums of both") {
    check_parameters(plus, x, w, operand<Out>("c", o));
    check_parameters([](const auto& x, const auto& w, const auto& c) { return c + contract<In>(x, w) + c; }, x, w,
                     operand<Batch, Out>("c", b, o));
    check_parameters(plus, x, w, operand<Batch>("c", b));
    check_parameters(plus, x, w, operand<>("c"));
    check_parameters(plus, x, w, operand<Out, Batch>("c", b, o));
    check_parameters([](const auto& x, const auto& w, const auto& c) { return tanh(contract<In>(x, w) + c * c); }, x, w,
                     operand<Out>("c", o));
  }
}

TEMPLATE_TEST_CASE("a changed parameter is multiplied anew", "", float, double) {
  using T = TestType;
  Tape tape;
  Parameter<T, Two, Three> w;
  const auto x = constant<Two>({T(1), T(1)});
  const auto product = [&] { return Var(contract<Two>(x, w)).values(); };
  CHECK(product() == std::vector<T>{0, 0, 0});
  w.edit()[1] = 5;
  CHECK(product() == std::vector<T>{0, 5, 0});
  {
    auto edit = w.edit();
    edit[0] = 1;
    CHECK(product() == std::vector<T>{1, 5, 0});
    edit[0] = 2;
    CHECK(product() == std::vector<T>{2, 5, 0});
  }
  const Parameter<T, Two, Three> copy = w;
  w.edit()[0] = 7;
  CHECK(product() == std::vector<T>{7, 5, 0});
  CHECK(Var(contract<Two>(x, copy)).values() == std::vector<T>{2, 5, 0});
  const Parameter<T, Two, Three> moved = std::move(w);
  CHECK(Var(contract<Two>(x, moved)).values() == std::vector<T>{7, 5, 0});
}

TEST_CASE("gradients of parameters add up over recordings and tapes, until cleared") {
  Parameter<double, Two, Three> w;
  const auto record = [&](double x) { return Var(sum(contract<Two>(constant<Two>({x, 2 * x}), w))); };
  const auto gradient = [&] { return std::vector<double>(w.gradients().begin(), w.gradients().end()); };
  Tape first;
  backward(record(1));
  {
    Tape second;
    backward(record(10));
  }
  CHECK(gradient() == std::vector{11., 11., 11., 22., 22., 22.});
  first.reset();
  backward(record(100));
  CHECK(gradient() == std::vector{111., 111., 111., 222., 222., 222.});
  w.clear_gradients();
  CHECK(gradient() == std::vector<double>(6));
}

TEST_CASE("a detached parameter gets no gradient") {
  Tape tape;
  Parameter<double, Two, Three> w;
  w.edit()[0] = 2;
  const auto x = variable<Two>({1., 1.});
  backward(Var(sum(contract<Two>(x, detach(w.var())))));
  for (const double g : w.gradients()) CHECK(g == 0);
  CHECK(x.gradients() == std::vector{2., 0.});
}

TEST_CASE("an expression can be detached, and a parameter as it is") {
  Tape tape;
  Parameter<double, Two> p;
  for (double& v : p.edit()) v = 2;
  const auto x = variable<Two>({3.0, 4.0});
  const Var cut = detach(x * p);
  CHECK_FALSE(cut.has_gradient());
  CHECK(cut.values() == std::vector{6.0, 8.0});
  backward(Var(sum(cut * x + detach(p) * x)));
  CHECK(x.gradients() == std::vector{8.0, 10.0});
  CHECK(p.gradients()[0] == 0);
}

TEST_CASE("a product of two parameters") {
  check_parameters([](const auto& a, const auto& b) { return contract<In>(a, b); },
                   operand<Batch, In>("a", extent<Batch>(3), extent<In>(4)),
                   operand<In, Out>("b", extent<In>(4), extent<Out>(5)));
  check_parameters([](const auto& a) { return contract<In>(a, rename<Batch, Target>(a)); },
                   operand<Batch, In>("a", extent<Batch>(3), extent<In>(4)));
}
