// The gradient checker on right gradients: it passes them, with room to spare, and leaves everything
// as it was. gradcheck_faults_test.cpp has the wrong ones.
#include "autodiff/gradcheck.hpp"

#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <stdexcept>

#include "autodiff/gather.hpp"
#include "autodiff/loss.hpp"
#include "layers/lstm.hpp"

using namespace hindsight;

namespace {

struct Batch : Axis<3> {};
struct In : Axis<4> {};
struct Hidden : Axis<5> {};
struct Time : Axis<> {};
struct Words : Axis<> {};
struct First;
struct Second;
using Both = Gates<Hidden, First, Second>;

// The tolerance is 1e-7; right gradients are expected to be better by far.
void check_right(const GradientReport& report) {
  INFO(report.text());
  CHECK(report.ok());
  CHECK(report.worst() < 2e-10);
  CHECK(report.unresolved() == 0);
}

template <class F>
void check_on(std::vector<double> values, F f) {
  check_right(check_gradients(f, input<Time>("x", values, extent<Time>(values.size()))));
}

}  // namespace

TEST_CASE("elementwise functions have right gradients") {
  const std::vector<double> any{-3, -1.5, -0.7, -1e-3, 1e-3, 0.4, 1, 2.5, 4};
  const std::vector<double> positive{1e-4, 0.02, 0.3, 1, 1.7, 12, 1000};
  check_on(any, [](auto x) { return -x + 2 * x - x / 3; });
  check_on(any, [](auto x) { return exp(x); });
  check_on(any, [](auto x) { return expm1(x); });
  check_on(any, [](auto x) { return sigmoid(x); });
  check_on(any, [](auto x) { return tanh(x); });
  check_on(any, [](auto x) { return softplus(x); });
  check_on(any, [](auto x) { return sin(x); });
  check_on(any, [](auto x) { return cos(x); });
  check_on(any, [](auto x) { return square(x); });
  check_on(any, [](auto x) { return reciprocal(x); });
  check_on(any, [](auto x) { return abs(x); });
  check_on(any, [](auto x) { return relu(x); });
  check_on(any, [](auto x) { return pow(x, 3); });
  check_on(any, [](auto x) { return max(x, 0.5) * min(x, 2.0); });
  check_on(any, [](auto x) { return select(x > 0.0, x * x, -x); });
  check_on(positive, [](auto x) { return log(x); });
  check_on(positive, [](auto x) { return log1p(x); });
  check_on(positive, [](auto x) { return sqrt(x); });
  check_on(positive, [](auto x) { return pow(x, 0.3); });
}

TEST_CASE("binary operations have right gradients for both operands, broadcast or not") {
  const auto a = random_input<Batch, In>("a");
  const auto b = random_input<In>("b");
  check_right(check_gradients([](auto x, auto y) { return x * y + x / (y + 3.0); }, a, b));
  check_right(check_gradients([](auto x, auto y) { return y - x * exp(y); }, a, b));
  check_right(check_gradients([](auto x, auto y) { return max(x, y) + min(y, 2 * x); }, a, b));
}

TEST_CASE("contractions have right gradients, batch axes included") {
  const auto a = random_input<Time, Batch, In>("a", extent<Time>(2));
  const auto b = random_input<Batch, In>("b");
  const auto w = random_input<In, Hidden>("w");
  check_right(check_gradients([](auto x, auto y) { return contract<In>(x, y); }, a, b));
  check_right(check_gradients([](auto x, auto y) { return contract<Batch, In>(x, y); }, a, b));
  check_right(check_gradients([](auto x, auto y) { return contract<In>(x, y); }, a, w));
  check_right(check_gradients([](auto x, auto y) { return outer(x, y); }, b, w));
}

TEST_CASE("reductions and softmax have right gradients") {
  const auto x = random_input<Batch, In>("x");
  check_right(check_gradients([](auto v) { return sum<Batch>(v); }, x));
  check_right(check_gradients([](auto v) { return mean(v); }, x));
  check_right(check_gradients([](auto v) { return max<In>(v); }, x));
  check_right(check_gradients([](auto v) { return logsumexp<In>(v); }, x));
  check_right(check_gradients([](auto v) { return softmax<In>(3 * v); }, x));
  check_right(check_gradients([](auto v) { return softmax<Batch>(v, constant<Batch>({1.0, 0.0, 1.0})); }, x));
  check_right(check_gradients([](auto v) { return log_softmax<In>(v); }, x));
  const std::vector<std::int32_t> targets{2, -1, 0};
  check_right(check_gradients([&](auto v) { return cross_entropy<In>(v, targets, {.smoothing = 0.1}); }, x));
}

TEST_CASE("an embedding has right gradients in a table's rows, those met twice and never included") {
  Parameter<double, Words, Hidden> table(extent<Words>(4));
  initialise_uniform(table, 1, Random{});
  const std::vector<std::int32_t> ids{1, 3, 1};
  check_right(check_gradients([&] { return gather<Words, Batch>(table, std::span(ids)); }, table));
}

TEST_CASE("an LSTM over three steps has right gradients in every parameter and input") {
  Lstm<In, Hidden, double> cell;
  initialise(cell, 1);
  const auto run = [&](auto x, auto h, auto c) {
    State s{h, c};
    for (std::size_t t = 0; t < 3; ++t) s = cell(at<Time>(x, t), s);
    return s.h + 2 * s.c;
  };
  const auto report = check_gradients(run, cell, random_input<Time, Batch, In>("x", extent<Time>(3)),
                                      random_input<Batch, Hidden>("h"), random_input<Batch, Hidden>("c"));
  check_right(report);
  CHECK(report.checked() == 4 * 5 * (4 + 5 + 1) + 3 * 3 * 4 + 2 * 3 * 5);
}

TEST_CASE("f may return any shape, a view, an expression, a sum of products or what it was given") {
  Parameter<double, In, Both> w;
  Bias<Both, double> b;
  initialise_uniform(w, 1, Random{1});
  initialise_uniform(b, 1, Random{2});
  const auto x = random_input<Batch, In>("x");
  check_right(check_gradients([&](auto v) { return contract<In>(v, w) + b; }, w, b, x));
  check_right(check_gradients([&](auto v) { return gate<Second>(contract<In>(v, w) + b); }, w, b, x));
  check_right(check_gradients([&](auto v) { return transpose<In, Batch>(v); }, x));
  check_right(check_gradients([&](auto v) { return v; }, x));
  check_right(check_gradients([&] { return b.var(); }, b));
  check_right(check_gradients([&](auto v) { return sum(v) * sum(contract<In>(v, w)); }, w, x));
}

TEST_CASE("a parameter used in a product and elementwise, or named twice, is checked once and right") {
  Parameter<double, In, Hidden> w;
  initialise_uniform(w, 1, Random{});
  const auto f = [&](auto x) {
    Var scaled = w * w;
    return contract<In>(x, w) + contract<In>(x, scaled);
  };
  const auto report = check_gradients(f, w, w, random_input<Batch, In>("x"));
  check_right(report);
  CHECK(report.checked() == 4 * 5 + 3 * 4);
}

TEST_CASE("inputs that are zero, large and tiny get steps of their size") {
  check_on({0, 1e-9, 1e6, -1e8}, [](auto x) { return x * x; });
  check_on({1e-6, 1e5}, [](auto x) { return log(x); });
  check_on({1000}, [](auto x) { return 3 * x; });  // x + 1e-5 would be x in float
}

TEST_CASE("an element with a small gradient in a right block does not fail") {
  // d sin = cos, which is 6e-17 at pi/2 and 1 at 0: elementwise relative error would be anything.
  const auto report = check_gradients([](auto x) { return sin(x); }, input<In>("x", {std::acos(0.0), 0, 1, 2}));
  check_right(report);
}

TEST_CASE("values and gradients of parameters are afterwards what they were") {
  Parameter<double, In, Hidden> w, other;
  initialise_uniform(w, 1, Random{1});
  initialise_uniform(other, 1, Random{2});
  for (std::size_t i = 0; i < w.size(); ++i) w.gradients()[i] = other.gradients()[i] = 0.1 * static_cast<double>(i);
  const std::vector<double> values(w.values().begin(), w.values().end());
  const std::vector<double> gradients(w.gradients().begin(), w.gradients().end());
  const auto same = [](auto a, const std::vector<double>& b) { return std::equal(a.begin(), a.end(), b.begin(), b.end()); };

  int calls = 0;
  const auto f = [&](auto x) {
    if (++calls == 20) throw std::runtime_error("on purpose");
    return contract<In>(x, w) + contract<In>(x, other);
  };
  const auto x = random_input<Batch, In>("x");
  CHECK_THROWS_AS(check_gradients(f, w, x), std::runtime_error);
  CHECK(calls == 20);
  CHECK(same(w.values(), values));
  CHECK(same(w.gradients(), gradients));
  check_right(check_gradients(f, w, x));
  CHECK(same(w.values(), values));
  CHECK(same(w.gradients(), gradients));
  CHECK(same(other.gradients(), gradients));

  // What was packed for the product is that of the values that were put back.
  Tape tape;
  const Var y = contract<In>(filled<double, Batch, In>(1.0), w);
  double expected = 0;
  for (std::size_t i = 0; i < 4; ++i) expected += w.values()[i * 5];
  CHECK(std::abs(y.at(0, 0) - expected) < 1e-15);
}

TEST_CASE("the tape that recorded before the check records after it") {
  Tape tape;
  const auto x = variable(3.0);
  check_right(check_gradients([](auto v) { return v * v; }, input<>("v", {2.0})));
  const Var y = x * x;
  backward(y);
  CHECK(x.gradient_at() == 6);
}

TEST_CASE("a part of the elements can be checked") {
  const auto x = random_input<Time>("x", extent<Time>(1000));
  const auto report = check_gradients({.elements = 7}, [](auto v) { return sin(v); }, x);
  check_right(report);
  CHECK(report.checked() == 7);
}

TEST_CASE("a kink is reported and the slope on either side of it passes") {
  const auto at_relus_kink = check_gradients([](auto x) { return relu(x); }, input<>("x", {0.0}));
  CHECK(at_relus_kink.ok());
  CHECK(at_relus_kink.kinks() == 1);
  CHECK(at_relus_kink.text().find("not differentiable here: x") != std::string::npos);

  // Closer to the kink than any step of use.
  const auto beside = check_gradients([](auto x) { return max(x, 1.0); }, input<>("x", {1 + 1e-7}));
  CHECK(beside.ok());
  CHECK(beside.kinks() == 1);

  // Inside the first steps, outside the last: an ordinary point.
  const auto near = check_gradients([](auto x) { return max(x, 1.0); }, input<>("x", {1 + 1e-4}));
  CHECK(near.ok());
  CHECK(near.kinks() == 0);

  const auto smooth = check_gradients([](auto x) { return 1000 * x * x; }, input<Batch>("x", {0, 1e-4, 0.1}));
  CHECK(smooth.ok());
  CHECK(smooth.kinks() == 0);
}

TEST_CASE("cancellation inside f cannot be seen from outside: a limit, documented") {
  // The slope is 1, but the values at 1 and beside it are all 0, so both methods agree on 0.
  const auto report = check_gradients([](auto x) { return (x + 1e20 * x) - 1e20 * x; }, input<>("x", {1.0}));
  CHECK(report.ok());
}
