// The complex step: every backward pass against it, faults that finite differences cannot see, and what it refuses.
#include <catch2/catch_test_macros.hpp>
#include <iomanip>
#include <sstream>

#include "autodiff/complex_step.hpp"
#include "autodiff/gather.hpp"
#include "autodiff/initialise.hpp"
#include "autodiff/join.hpp"
#include "autodiff/loss.hpp"
#include "error_text.hpp"

using namespace hindsight;

namespace {

struct Batch : Axis<3> {};
struct In : Axis<4> {};
struct Out : Axis<5> {};
struct Source : Axis<> {};

#define FUNCTION(f) [](const auto& x) { return f(x); }

template <class F, class... Parts>
void check_right(const char* name, F f, Parts&&... parts) {
  CAPTURE(name);
  const auto report = check_complex_step(f, parts...);
  INFO(report.text());
  CHECK(report.ok());
}

/// y = x^3 as an operation of its own, d y / d x = factor x^2: 3 is right.
template <class T, IsAxis... As>
Var<T, As...> cube(double factor, const Var<T, As...>& view) {
  const auto x = detail::contiguous(view);
  auto y = detail::result<T, As...>(x.extents, x);
  for (std::size_t i = 0; i < x.size(); ++i) y.value[i] = x.value[i] * x.value[i] * x.value[i];
  return detail::record("cube(%0)", y, [=] {
    for (std::size_t i = 0; i < x.size(); ++i) x.gradient[i] += factor * x.value[i] * x.value[i] * y.gradient[i];
  }, x);
}

}  // namespace

TEST_CASE("arithmetic is right to machine precision") {
  const auto a = random_input<Batch, In>("a"), b = random_input<Batch, In>("b");
  check_right("four operations", [](auto x, auto y) { return (x + 2) * y - x / (y * y + 1) * 3; }, a, b);
  check_right("broadcast", [](auto x, auto y) { return x * y + x; }, a, random_input<In>("row"));
  check_right("transposed", [](auto x, auto y) { return exp(transpose<In, Batch>(x)) * y; }, a,
              random_input<Batch>("column"));
}

TEST_CASE("reductions are right to machine precision, masked and whole, along every axis") {
  const auto x = random_input<Batch, In, Out>("x");
  const auto each = [&]<IsAxis A>(const char* name, std::type_identity<A>) {
    check_right(name, [](auto v) { return sum<A>(v * v); }, x);
    check_right(name, [](auto v) { return mean<A>(v * v); }, x);
    check_right(name, [](auto v) { return max<A>(v); }, x);
    check_right(name, [](auto v) { return logsumexp<A>(5 * v); }, x);
    check_right(name, [](auto v) { return softmax<A>(5 * v); }, x);
    check_right(name, [](auto v) { return log_softmax<A>(5 * v); }, x);
    // A third of the places is masked out, and along the last axis one slice whole.
    const auto masked = [](auto v) {
      using T = typename decltype(v)::Scalar;
      auto mask = filled<T, Batch, In, Out>(T{1});
      for (std::size_t i = 0; i < mask.size(); ++i) mask.value[i] = i % 3 == 0 || i < 5 ? 0 : 1;
      return mask;
    };
    check_right(name, [&](auto v) { return sum<A>(v * v, masked(v)); }, x);
    check_right(name, [&](auto v) { return mean<A>(v * v, masked(v)); }, x);
    check_right(name, [&](auto v) { return max<A>(v, masked(v)); }, x);
    check_right(name, [&](auto v) { return softmax<A>(5 * v, masked(v)); }, x);
    check_right(name, [&](auto v) { return select(masked(v), log_softmax<A>(v, masked(v)), 0.0); }, x);
    check_right(name, [&](auto v) { return exp(logsumexp<A>(v, masked(v))); }, x);
  };
  each("outer axis", std::type_identity<Batch>{});
  each("middle axis", std::type_identity<In>{});
  each("inner axis", std::type_identity<Out>{});
  check_right("all axes", [](auto v) { return sum(v * v) + mean(v) * max(v) + logsumexp(v); }, x);
  check_right("two axes", [](auto v) { return sum<In, Batch>(v * v); }, x);
}

TEST_CASE("a layer norm is right to machine precision") {
  check_right(
      "layer norm",
      [](auto x, auto gain, auto bias) {
        Var centred = x - mean<In>(x);
        Var variance = mean<In>(square(centred));
        return gain * centred / sqrt(variance + 1e-5) + bias;
      },
      random_input<Batch, In>("x"), random_input<In>("gain"), random_input<In>("bias"));
}

TEST_CASE("losses are right to machine precision") {
  const auto logits = random_input<Batch, Out>("logits");
  const std::vector<std::int32_t> targets{4, -1, 0};
  check_right("token losses", [&](auto x) { return token_losses<Out>(4 * x, targets); }, logits);
  check_right("smoothed", [&](auto x) { return token_losses<Out>(x, targets, {.smoothing = 0.1}); }, logits);
  check_right("cross-entropy", [&](auto x) { return cross_entropy<Out>(x, targets); }, logits);
  check_right("binary", [](auto x, auto y) { return binary_cross_entropy(3 * x, y * y); }, logits,
              random_input<Batch, Out>("targets"));
}

TEST_CASE("products are right to machine precision, whatever their axes") {
  const auto x = random_input<Batch, In>("x");
  check_right("of inputs", [](auto a, auto b) { return contract<In>(a, b); }, x, random_input<In, Out>("w"));
  check_right("of a transposed", [](auto a, auto b) { return contract<In>(a, b); }, x, random_input<Out, In>("w"));
  check_right("batched", [](auto a, auto b) { return contract<In>(a, b); },
              random_input<Source, Batch, In>("m", extent<Source>(6)), x);
  check_right("over two axes", [](auto a, auto b) { return contract<In, Out>(a, b); },
              random_input<Batch, In, Out>("m"), random_input<Out, In>("w"));
  check_right("outer", [](auto a, auto b) { return outer(a, b); }, x, random_input<Out>("y"));

  Parameter<double, In, Out> weight;
  initialise_uniform(weight, 1, Random{3});
  check_right("with a parameter", [](const auto& w, auto a) { return contract<In>(a, w); }, weight,
              Parameter<Complex, In, Out>(), x);
  Bias<Out, double> bias;
  initialise_uniform(bias, 1, Random{4});
  check_right("with two parameters", [](const auto& w, const auto& b, auto a) { return contract<In>(a, w) + b; },
              weight, Parameter<Complex, In, Out>(), bias, Bias<Out, Complex>(), x);
}

TEST_CASE("what moves values is right to machine precision") {
  Parameter<double, Out, In> table;
  initialise_uniform(table, 1, Random{3});
  const std::vector<std::int32_t> ids{4, 0, 4};
  check_right("gather", [&](const auto& t) { return square(gather<Out, Batch>(t, std::span(ids))); }, table,
              Parameter<Complex, Out, In>());
  const auto a = random_input<Batch, In>("a");
  const auto b = random_input<Batch, Out>("b");
  check_right("concatenate", [](auto x, auto y) { return square(concatenate<In, Out>(x, y)); }, a, b);
  check_right("stack", [](auto x) { return stack<Source>(std::vector{x, Var(x * x)}); }, a);
  check_right("reverse", [](auto x) { return square(reverse<In>(x)); }, a);
}

TEST_CASE("a factor of 1 + 1e-9 passes by finite differences and not by the complex step") {
  const auto x = random_input<Batch, In>("x");
  const auto nearly = [](auto v) { return cube(3 + 3e-9, v); };
  CHECK(check_gradients(nearly, x).ok());
  const auto report = check_complex_step(nearly, x);
  CHECK(report.failed() == 12);
  CHECK(report.text().find("12 of 12 gradients wrong (tolerance 1e-12)") != std::string::npos);
  // Both numbers are printed with so many digits that they differ.
  for (const CheckedElement& e : {report.tensors[0].elements[2]})
    for (const double slope : {e.analytic, e.numeric}) {
      std::ostringstream digits;
      digits << std::setprecision(16) << slope;
      CAPTURE(report.text(), digits.str());
      CHECK(report.text().find(digits.str()) != std::string::npos);
    }
  check_right("cube", [](auto v) { return cube(3, v); }, x);
}

TEST_CASE("the report names the parameter whose gradient is wrong, and the likely cause") {
  Parameter<double, In> right, wrong;
  initialise_uniform(right, 1, Random{3});
  initialise_uniform(wrong, 1, Random{4});
  const auto report =
      check_complex_step([](const auto& a, const auto& b, auto x) { return x * a + cube(6, b.var()); }, right,
                         Parameter<Complex, In>(), wrong, Parameter<Complex, In>(), random_input<In>("x"));
  CAPTURE(report.text());
  CHECK(report.failed() == 4);
  CHECK(report.text().find("parameter1") != std::string::npos);
  CHECK(report.text().find("parameter0") == std::string::npos);
  CHECK(report.text().find("twice") != std::string::npos);
}

TEST_CASE("the values of the two paths are compared") {
  // In double it is 1e-9 larger.
  const auto report = check_complex_step(
      [](auto x) {
        const bool in_double = std::is_same_v<typename decltype(x)::Scalar, double>;
        return x * 2 + (in_double ? 1e-9 : 0);
      },
      random_input<In>("x"));
  CAPTURE(report.text());
  CHECK_FALSE(report.ok());
  CHECK(report.text().find("f is not the same in double and in complex numbers: output 0 is") != std::string::npos);

  const auto counts = check_complex_step(
      [](auto x) {
        const std::size_t n = std::is_same_v<typename decltype(x)::Scalar, double> ? 3 : 2;
        return slice<Source>(x, 0, n);
      },
      random_input<Source>("x", extent<Source>(4)));
  CHECK(counts.text().find("3 outputs and 2") != std::string::npos);
}

TEST_CASE("NaN is never right, and a check of nothing fails") {
  CHECK_FALSE(check_complex_step(FUNCTION(log), input<>("x", {-1.0})).ok());
  CHECK_FALSE(check_complex_step(FUNCTION(sqrt), input<>("x", {0.0})).ok());
  CHECK_FALSE(check_complex_step(FUNCTION(square), input<Source>("x", {}, extent<Source>(0))).ok());
  CHECK_FALSE(check_complex_step([](auto x) { return slice<Source>(x, 0, 0); },
                                 random_input<Source>("x", extent<Source>(2)))
                  .ok());
  // At a kink there is no derivative.
  CHECK_FALSE(check_complex_step(FUNCTION(relu), input<>("x", {0.0})).ok());
}

TEST_CASE("a part of the elements is checked if that is asked for, and parameters are left as they were") {
  Parameter<double, In, Out> weight;
  initialise_uniform(weight, 1, Random{3});
  const std::vector<double> before(weight.values().begin(), weight.values().end());
  weight.gradients()[2] = 7;
  const auto report = check_complex_step({.elements = 3}, [](const auto& w) { return exp(w); }, weight,
                                         Parameter<Complex, In, Out>());
  CHECK(report.ok());
  CHECK(report.checked() == 3);
  CHECK(std::equal(before.begin(), before.end(), weight.values().begin()));
  CHECK(weight.gradients()[2] == 7);
}

TEST_CASE("a twin has the extents of its module") {
  Parameter<double, Source, In> table(extent<Source>(7));
  const auto f = [](const auto& t) { return t * 2; };
  CHECK(check_complex_step(f, table, Parameter<Complex, Source, In>(extent<Source>(7))).ok());
  CHECK(error_text([&] { check_complex_step(f, table, Parameter<Complex, Source, In>(extent<Source>(6))); }) ==
        "complex step: parameter has 28 elements, its twin 24");
}

TEST_CASE("complex numbers are not differentiated") {
  Tape tape;
  const auto x = filled<Complex, In>(Complex{1});
  CHECK(error_text([&] { Var(x * 2); }).find("complex numbers are computed and not differentiated") == 0);
  const NoRecording guard;
  CHECK(Var(x * 2).at(0) == Complex{2});
}
