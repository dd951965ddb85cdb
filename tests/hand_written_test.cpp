// Backwards that are written by hand, on plain numbers: right ones pass, wrong ones are explained.
#include "autodiff/hand_written.hpp"

#include <catch2/catch_test_macros.hpp>
#include <cmath>

#include "autodiff/random.hpp"

using namespace hindsight;

namespace {

Numbers drawn(std::size_t size, const char* name) {
  Numbers values(size);
  fill_uniform(size, -1.0, 1.0, Random{3}.child(name), values.data());
  return values;
}

Numbers softmax(const OperandValues& x) {
  Numbers y;
  double sum = 0;
  for (const double e : x[0]) y.push_back(std::exp(e)), sum += y.back();
  for (double& a : y) a /= sum;
  return y;
}

/// softmax's backward with its sum times `factor`: 1 is right.
auto softmax_backward(double factor) {
  return [factor](const OperandValues& x, const Numbers& dy) {
    const Numbers y = softmax(x);
    Numbers dx(y.size());
    double dot = 0;
    for (std::size_t i = 0; i < y.size(); ++i) dot += y[i] * dy[i];
    for (std::size_t i = 0; i < y.size(); ++i) dx[i] = y[i] * (dy[i] - factor * dot);
    return OperandValues{dx};
  };
}

bool says(const GradientReport& report, const std::string& words) {
  INFO(report.text());
  CHECK_FALSE(report.ok());
  return report.text().find(words) != std::string::npos;
}

}  // namespace

TEST_CASE("a right backward by hand passes, every element of every operand checked") {
  const std::vector<Field> e{{"e", {{"Source", 5}}, drawn(5, "e")}};
  const auto report = check_backward("softmax", e, softmax, softmax_backward(1));
  INFO(report.text());
  CHECK(report.ok());
  CHECK(report.checked() == 5);
  CHECK(report.causes.empty());
}

TEST_CASE("a wrong backward by hand is explained") {
  const std::vector<Field> e{{"e", {{"Source", 5}}, drawn(5, "e")}};
  CHECK(says(check_backward("softmax", e, softmax, softmax_backward(0)),
             "likely cause: a term of a sum is missing: each element sees its own result alone, not its neighbours': e "
             "in softmax\n"));
  const auto tanh_with = [&](auto derivative) {
    return check_backward(
        "tanh", {{"x", {}, drawn(4, "x")}},
        [](const OperandValues& x) {
          Numbers y = x[0];
          for (double& v : y) v = std::tanh(v);
          return y;
        },
        [=](const OperandValues& x, const Numbers& dy) {
          Numbers dx = dy;
          for (std::size_t i = 0; i < dx.size(); ++i) dx[i] *= derivative(x[0][i]);
          return OperandValues{dx};
        });
  };
  CHECK(tanh_with([](double x) { return 1 - std::tanh(x) * std::tanh(x); }).ok());
  CHECK(says(tanh_with([](double) { return 1.0; }), "the factor 1 - y^2, y = tanh(x) is missing: x in tanh\n"));
  CHECK(says(tanh_with([](double x) { return 1 - x * x; }),
             "it is off as if it had the factor 1 - y^2, y = x where 1 - y^2, y = tanh(x) belongs"));
  CHECK(says(tanh_with([](double) { return NAN; }), "makes NaN"));
}

TEST_CASE("a backward that returns other shapes than its operands is a problem") {
  const std::vector<Field> e{{"e", {}, drawn(3, "e")}};
  const auto none = [](const OperandValues&, const Numbers&) { return OperandValues{}; };
  const auto short_by_one = [](const OperandValues&, const Numbers&) { return OperandValues{{1, 2}}; };
  CHECK(
      says(check_backward("softmax", e, softmax, none), "the backward of softmax returns 0 gradients for 1 operands"));
  CHECK(says(check_backward("softmax", e, softmax, short_by_one), "returns 2 numbers for e, which has 3"));
}

TEST_CASE("a scalar function of scalars is checked too") {
  const auto product = [](const OperandValues& x) { return Numbers{x[0][0] * x[1][0]}; };
  const auto backward = [](const OperandValues& x, const Numbers& dy) {
    return OperandValues{{dy[0] * x[1][0]}, {dy[0] * x[0][0]}};
  };
  const auto report = check_backward("product", {{"a", {}, {2}}, {"b", {}, {3}}}, product, backward);
  INFO(report.text());
  CHECK(report.ok());
  CHECK(report.checked() == 2);
}
