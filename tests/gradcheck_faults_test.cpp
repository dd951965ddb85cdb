// Wrong backward passes, each made on purpose: the checker catches every one, and says what it looks
// like where that can be seen.
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <limits>
#include <string>

#include "autodiff/gradcheck.hpp"
#include "autodiff/initialise.hpp"
#include "autodiff/reductions.hpp"

using namespace hindsight;

namespace {

struct Batch : Axis<2> {};
struct In : Axis<3> {};
struct Out : Axis<3> {};
struct Time : Axis<4> {};
struct Steps : Axis<> {};
struct Forget;
struct Input;
struct Output;
using Z = Gates<In, Forget, Input, Output>;

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

/// What a backward gets: operands, the result's gradient, and where the operand's gradient is added.
struct Slots {
  const double* x;
  const double* dy;
  double* dx;
  std::size_t size;
};

/// y = x^2 element by element, with the backward that a test gives.
template <class Backward, IsAxis... As>
Var<double, As...> square_with(Backward backward, const Var<double, As...>& x) {
  auto y = detail::result<double, As...>(x.extents, x);
  for (std::size_t i = 0; i < x.size(); ++i) y.value[i] = x.value[i] * x.value[i];
  return detail::record("square(%0)", y, [=] { backward(Slots{x.value, y.gradient, x.gradient, x.size()}); }, x);
}

/// A backward that adds what `each(x, dy, i)` says.
template <class Each>
auto adds(Each each) {
  return [each](const Slots& s) {
    for (std::size_t i = 0; i < s.size; ++i) s.dx[i] += each(s.x[i], s.dy[i], i);
  };
}

template <class Backward, IsAxis... As>
GradientReport check_square(Backward backward, const CheckedInput<As...>& x) {
  return check_gradients([=](auto v) { return square_with(backward, v); }, x);
}

const CheckedInput<Batch, In> matrix = input<Batch, In>("x", {0.3, -0.7, 1.1, 0.9, -0.2, 0.5});

void check_caught(const GradientReport& report, const std::string& words = "") {
  INFO(report.text());
  CHECK_FALSE(report.ok());
  CHECK(report.text().find(words) != std::string::npos);
  if (words.empty()) CHECK(report.text().find("likely cause") == std::string::npos);
}

}  // namespace

TEST_CASE("the right backward of the operation that the faults are seeded in passes") {
  const auto report = check_square(adds([](double x, double dy, std::size_t) { return 2 * x * dy; }), matrix);
  INFO(report.text());
  CHECK(report.ok());
  CHECK(report.checked() == 6);
}

TEST_CASE("a flipped sign, factors and a missing backward are caught and named") {
  const auto times = [](double factor) { return adds([=](double x, double dy, std::size_t) { return factor * 2 * x * dy; }); };
  check_caught(check_square(times(-1), matrix), "likely cause: the sign is flipped: x in square(x)\n");
  check_caught(check_square(times(2), matrix), "likely cause: twice too large (a contribution is added twice?): x in square(x)\n");
  check_caught(check_square(times(0.5), matrix), "likely cause: half of what it should be");
  check_caught(check_square(times(0), matrix), "likely cause: zero: nothing arrives here");
  check_caught(check_square(times(1.01), matrix), "likely cause: off by a constant factor of 1.01: x in square(x)\n");
  check_caught(check_square(times(1 + 1e-6), matrix), "likely cause: off by a constant factor of 1.000001: x in square(x)\n");
}

TEST_CASE("a detached variable has zero gradients, and that is named") {
  check_caught(check_gradients([](auto x) { return detach(x) * 2; }, matrix), "likely cause: zero: nothing arrives here");
  // The last step only, as if the state before were a constant.
  const auto cut = [](auto x) {
    const Var past = at<Time>(x, 0) * at<Time>(x, 1);
    return detach(past) * at<Time>(x, 2) + at<Time>(x, 3);
  };
  check_caught(check_gradients(cut, random_input<Time, In>("x")), "cut off, or its backward is missing): v1 in v1 * x[Time 2] + x[Time 3]\n");
}

TEST_CASE("a missing term is caught, and where it is missing is named") {
  // y = x^2 + x, whose backward forgets the x.
  const auto f = [](auto x) {
    return square_with(adds([](double v, double dy, std::size_t) { return 2 * v * dy; }), x) + detach(x);
  };
  check_caught(check_gradients(f, matrix), "nothing arrives here (detached, cut off, or its backward is missing): x in v1 + x\n");
}

TEST_CASE("a gradient that is overwritten instead of added to is caught, used once or twice") {
  const auto overwrites = [](const Slots& s) {
    for (std::size_t i = 0; i < s.size; ++i) s.dx[i] = 2 * s.x[i] * s.dy[i];
  };
  check_caught(check_square(overwrites, matrix), "x: the backward pass overwrites its gradient");
  check_caught(check_gradients([=](auto x) { return square_with(overwrites, x) + 3 * x; }, matrix),
               "x: the backward pass overwrites its gradient");
  Parameter<double, In> p;
  initialise_uniform(p, 1, Random{});
  check_caught(check_gradients([&] { return square_with(overwrites, p.var()); }, p), "parameter: the backward pass overwrites");
}

TEST_CASE("a transposed gradient is caught and named") {
  const auto f = [](auto x) {
    auto y = detail::result<double, In, Out>(x.extents, x);
    for (std::size_t i = 0; i < 9; ++i) y.value[i] = 3 * x.value[i];
    return detail::record("thrice(%0)", y, [=] {
      for (std::size_t i = 0; i < 9; ++i) x.gradient[i % 3 * 3 + i / 3] += 3 * y.gradient[i];
    }, x);
  };
  check_caught(check_gradients(f, random_input<In, Out>("w")), "likely cause: transposed: w in thrice(w)\n");
}

TEST_CASE("exchanged gates are caught and named, and so is one wrong gate") {
  const auto x = random_input<Batch, Z>("z");
  const auto exchanged = [](const Slots& s) {
    for (std::size_t i = 0; i < s.size; ++i) {
      const std::size_t g = i % 9 / 3, from = g == 0 ? i + 6 : g == 2 ? i - 6 : i;
      s.dx[i] += 2 * s.x[from] * s.dy[from];
    }
  };
  check_caught(check_square(exchanged, x), "likely cause: the gates Forget and Output are exchanged: z in square(z)\n");
  const auto one_gate = [](double v, double dy, std::size_t i) { return (i % 9 / 3 == 1 ? -2 : 2) * v * dy; };
  check_caught(check_square(adds(one_gate), x), "likely cause: the sign is flipped: z Input in square(z)\n");
  CHECK(check_square(adds(one_gate), x).text().find("Batch[0] Input[") != std::string::npos);
}

TEST_CASE("gradients that are a time step off are caught and named") {
  const auto late = [](const Slots& s) {
    for (std::size_t i = 3; i < s.size; ++i) s.dx[i] += 2 * s.x[i - 3] * s.dy[i - 3];
  };
  check_caught(check_square(late, random_input<Time, In>("x")),
               "likely cause: one step off: each place along Time has the gradient of the one before: x in square(x)\n");
}

TEST_CASE("one wrong component is caught: scaled, zero, its sign flipped, NaN, infinite, exchanged with another") {
  const auto component = [](double factor) {
    return adds([=](double x, double dy, std::size_t i) { return (i == 4 ? factor : 1) * 2 * x * dy; });
  };
  check_caught(check_square(component(1.01), matrix));
  check_caught(check_square(component(0), matrix));
  check_caught(check_square(component(-1), matrix));
  check_caught(check_square(component(not_a_number), matrix), "likely cause: the backward pass makes NaN");
  check_caught(check_square(component(std::numeric_limits<double>::infinity()), matrix), "likely cause: the backward pass makes infinity");
  const auto swapped = [](const Slots& s) {
    for (std::size_t i = 0; i < s.size; ++i) {
      const std::size_t from = i == 1 ? 5 : i == 5 ? 1 : i;
      s.dx[i] += 2 * s.x[from] * s.dy[from];
    }
  };
  check_caught(check_square(swapped, matrix), "likely cause: Batch[0] In[1] and Batch[1] In[2] are exchanged: x in square(x)\n");
}

TEST_CASE("small gradients are held to the same standard") {
  // 4.8e-5 where 2.2e-4 is right: far below any absolute tolerance that would pass for small.
  const auto f = [](auto x) {
    auto y = detail::result<double>(x.extents, x);
    *y.value = 2.2e-4 * *x.value;
    return detail::record("small(%0)", y, [=] { *x.gradient += 4.8e-5 * *y.gradient; }, x);
  };
  check_caught(check_gradients(f, input<>("x", {0.5})), "1 of 1 gradient wrong");
}

TEST_CASE("a gradient that is off by less than the rounding of the outputs does not count as right") {
  const auto f = [](double factor) {
    return [=](auto x) {
      auto y = detail::result<double>(x.extents, x);
      *y.value = *x.value + 1e10;
      return detail::record("shifted(%0)", y, [=] { *x.gradient += factor * *y.gradient; }, x);
    };
  };
  const auto off = check_gradients(f(1.01), input<>("x", {0.5}));
  check_caught(off, "not resolved: 1 gradient hidden by the rounding of the outputs");
  CHECK(off.unresolved() == 1);
  CHECK(off.checked() == 0);
  CHECK(off.failed() == 0);
  check_caught(check_gradients(f(1.1), input<>("x", {0.5})), "1 of 1 gradient wrong");
}

TEST_CASE("a large x with a gradient of 0 is caught: the step does not vanish beside it") {
  const auto f = [](auto x) {
    auto y = detail::result<double>(x.extents, x);
    *y.value = 3 * *x.value;
    return detail::record("thrice(%0)", y, [] {}, x);
  };
  check_caught(check_gradients(f, input<>("x", {1000.0})), "zero");
  check_caught(check_gradients(f, input<>("x", {1e15})), "zero");
}

TEST_CASE("a function that is NaN is caught") {
  check_caught(check_gradients([](auto x) { return log(x); }, input<In>("x", {1, -1, 2})),
               "likely cause: f itself is NaN, or becomes NaN near these values: x in log(x)\n");
  check_caught(check_gradients([](auto x) { return sqrt(x); }, input<>("x", {0.0})), "NaN");
}

TEST_CASE("at a kink only what lies between the slopes passes") {
  const auto relu_with = [](double at_zero) {
    return [=](auto x) {
      auto y = detail::result<double>(x.extents, x);
      *y.value = *x.value > 0 ? *x.value : 0;
      return detail::record("relu(%0)", y, [=] { *x.gradient += at_zero * *y.gradient; }, x);
    };
  };
  for (const double inside : {0.0, 0.3, 0.5, 1.0}) {
    const auto report = check_gradients(relu_with(inside), input<>("x", {0.0}));
    INFO(report.text());
    CHECK(report.ok());
    CHECK(report.kinks() == 1);
  }
  for (const double outside : {-0.1, 1.1, 2.0, not_a_number})
    CHECK_FALSE(check_gradients(relu_with(outside), input<>("x", {0.0})).ok());
}

TEST_CASE("a function that is not deterministic is caught") {
  double calls = 0;
  check_caught(check_gradients([&](auto x) { return x * (1 + 1e-15 * ++calls); }, matrix), "f is not deterministic: output 0 was");
  int lengths = 0;
  const auto longer = [&](auto x) { return filled<double, Steps>(1, extent<Steps>(++lengths)) * sum(x); };
  check_caught(check_gradients(longer, matrix), "f is not deterministic: it gave 1 outputs, then 2");
}

TEST_CASE("a check of nothing fails") {
  Parameter<double, In> p;
  check_caught(check_gradients([&] { return p * 2; }), "no element was checked");
  check_caught(check_gradients({.elements = 0}, [](auto x) { return x * x; }, matrix), "no element was checked");
  check_caught(check_gradients([](auto x) { return x * 2; }, input<Steps>("x", {}, extent<Steps>(0))), "f has no output");
  // Nothing can be said of gradients that drown in the rounding of the outputs.
  const auto drowned = check_gradients([](auto x) { return 1e-20 * x + 1; }, matrix);
  check_caught(drowned, "not resolved: 6 gradients hidden by the rounding of the outputs");
  CHECK(drowned.failed() == 0);
}

TEST_CASE("the table shows the worst elements first, and how many more there are") {
  const auto backward = adds([](double x, double dy, std::size_t i) { return 2 * x * dy + 1e-3 * static_cast<double>(i * i); });
  const auto report = check_square(backward, random_input<Time, In>("x"));
  const std::string text = report.text();
  INFO(text);
  CHECK(text.find("gradient check: 11 of 12 gradients wrong (tolerance 1e-07)\n") == 0);
  CHECK(text.find("parameter  element") != std::string::npos);
  CHECK(text.find("  .. and 3 more\n") != std::string::npos);
  CHECK(text.find("x          Time[3] In[") < text.find("x          Time[1] In["));
}

TEST_CASE("the parameters of several modules are told apart") {
  Parameter<double, In> a, b;
  initialise_uniform(a, 1, Random{1});
  initialise_uniform(b, 1, Random{2});
  const auto f = [&] { return a * detach(b.var()); };
  check_caught(check_gradients(f, a, b), "likely cause: zero: nothing arrives here (detached, cut off, or its backward is missing): parameter1 in parameter0 * parameter1\n");
}
