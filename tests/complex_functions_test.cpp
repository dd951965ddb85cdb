// Every elementwise function in complex numbers against closed forms, and its backward against the complex step.
#include <catch2/catch_test_macros.hpp>
#include <cmath>

#include "autodiff/complex_step.hpp"

using namespace hindsight;

namespace {

struct Slope {
  double value, derivative;
};

// f and its derivative at x, by a step of its own.
template <class F>
Slope slope(F f, double x) {
  Tape tape;
  const NoRecording guard;
  const Var<Complex> y(f(filled<Complex>(Complex{x, 1e-30})));
  return {y.item().real(), y.item().imag() / 1e-30};
}

bool close(double a, double b) { return std::abs(a - b) <= 1e-14 * std::abs(b) + 1e-50; }

// A function, its value and its derivative from the C library.
template <class F, class Value, class Derivative>
void check_function(const char* name, F f, Value value, Derivative derivative, const std::vector<double>& places) {
  for (const double x : places) {
    CAPTURE(name, x);
    const Slope s = slope(f, x);
    CHECK(close(s.value, value(x)));
    CHECK(close(s.derivative, derivative(x)));
    if (std::abs(x) > 5) continue;  // a backward pass finds 1 - sigmoid(25) by a subtraction
    const auto report = check_complex_step([&](auto v) { return f(v); }, input<>("x", {x}));
    INFO(report.text());
    CHECK(report.ok());
  }
}

#define FUNCTION(f) [](const auto& x) { return f(x); }

/// x^3 - x^2 + x, an elementwise operation of its own.
struct Cubic : detail::Elementwise {
  static constexpr const char* text() { return "cubic(%0)"; }
  template <class D, class V>
  HWY_INLINE V forward(D, V x) const {
    return hn::MulAdd(hn::Mul(x, x), x, hn::NegMulAdd(x, x, x));
  }
  template <class D, class V>
  HWY_INLINE auto backward(D d, V dy, V, V x) const {
    const V one = hn::Set(d, hn::TFromD<D>{1});
    return detail::one(hn::Mul(dy, hn::MulAdd(x, hn::Sub(hn::Add(x, hn::Add(x, x)), hn::Add(one, one)), one)));
  }
};

}  // namespace

TEST_CASE("functions and their slopes in complex numbers are those of the C library") {
  const std::vector<double> all{-30, -2.5, -0.7, -1e-9, 1e-12, 0.3, 1, 4, 25}, positive{1e-9, 0.3, 1, 2.5, 1e9};
  const auto exp_ = [](double x) { return std::exp(x); };
  const auto sigmoid_ = [](double x) { return x < 0 ? std::exp(x) / (1 + std::exp(x)) : 1 / (1 + std::exp(-x)); };
  check_function("exp", FUNCTION(exp), exp_, exp_, all);
  check_function("expm1", FUNCTION(expm1), [](double x) { return std::expm1(x); }, exp_, all);
  check_function("log", FUNCTION(log), [](double x) { return std::log(x); }, [](double x) { return 1 / x; }, positive);
  check_function("log1p", FUNCTION(log1p), [](double x) { return std::log1p(x); },
                 [](double x) { return 1 / (1 + x); }, {-0.7, -1e-9, 1e-12, 0.3, 1, 4, 1e200});
  check_function("sigmoid", FUNCTION(sigmoid), sigmoid_, [&](double x) { return sigmoid_(x) * sigmoid_(-x); }, all);
  check_function("tanh", FUNCTION(tanh), [](double x) { return std::tanh(x); },
                 [](double x) { return 1 / (std::cosh(x) * std::cosh(x)); }, {-2.5, -0.7, -1e-9, 1e-12, 0.3, 1, 4});
  check_function("softplus", FUNCTION(softplus),
                 [](double x) { return x < 0 ? std::log1p(std::exp(x)) : x + std::log1p(std::exp(-x)); }, sigmoid_,
                 all);
  check_function("sin", FUNCTION(sin), [](double x) { return std::sin(x); }, [](double x) { return std::cos(x); },
                 all);
  check_function("cos", FUNCTION(cos), [](double x) { return std::cos(x); }, [](double x) { return -std::sin(x); },
                 all);
  check_function("sqrt", FUNCTION(sqrt), [](double x) { return std::sqrt(x); },
                 [](double x) { return 0.5 / std::sqrt(x); }, positive);
  check_function("square", FUNCTION(square), [](double x) { return x * x; }, [](double x) { return 2 * x; }, all);
  check_function("reciprocal", FUNCTION(reciprocal), [](double x) { return 1 / x; },
                 [](double x) { return -1 / (x * x); }, all);
  check_function("negated", FUNCTION(-), [](double x) { return -x; }, [](double) { return -1; }, all);
}

TEST_CASE("powers are those of the C library, of negative numbers too") {
  for (const double p : {-2.0, -0.5, 0.0, 0.5, 1.0, 3.0, 4.0}) {
    std::vector<double> places{0.3, 1, 2.5};
    if (p == std::floor(p)) places.insert(places.end(), {-0.3, -1, -2.5});
    CAPTURE(p);
    check_function("pow", [p](const auto& x) { return pow(x, p); }, [p](double x) { return std::pow(x, p); },
                   [p](double x) { return p == 0 ? 0 : p * std::pow(x, p - 1); }, places);
  }
}

TEST_CASE("an elementwise operation in Highway's words runs on complex numbers as it stands") {
  check_function("cubic", [](const auto& x) { return detail::apply_unary(Cubic{}, x); },
                 [](double x) { return x * (x * (x - 1) + 1); }, [](double x) { return x * (3 * x - 2) + 1; },
                 {-2.5, -0.7, 0.25, 1, 4});
}

TEST_CASE("what is analytic in pieces is right away from its kinks") {
  const std::vector<double> places{-2.5, -1e-9, 1e-9, 0.3, 4};
  check_function("abs", FUNCTION(abs), [](double x) { return std::abs(x); }, [](double x) { return x < 0 ? -1 : 1; },
                 places);
  check_function("relu", FUNCTION(relu), [](double x) { return x < 0 ? 0 : x; },
                 [](double x) { return x < 0 ? 0 : 1; }, places);
  check_function("max", [](const auto& x) { return max(3 * x, 0.2 + x); },
                 [](double x) { return std::max(3 * x, 0.2 + x); }, [](double x) { return x < 0.1 ? 1 : 3; }, places);
  check_function("min", [](const auto& x) { return min(3 * x, 0.2 + x); },
                 [](double x) { return std::min(3 * x, 0.2 + x); }, [](double x) { return x < 0.1 ? 3 : 1; }, places);
  check_function("select", [](const auto& x) { return select(x < 0.1, 3 * x, x * x); },
                 [](double x) { return x < 0.1 ? 3 * x : x * x; }, [](double x) { return x < 0.1 ? 3 : 2 * x; },
                 places);
}

TEST_CASE("a function of real numbers that is NaN is NaN in complex numbers") {
  CHECK(std::isnan(slope(FUNCTION(log), -1).value));
  CHECK(std::isnan(slope(FUNCTION(log1p), -2).value));
  CHECK(std::isnan(slope(FUNCTION(sqrt), -1).value));
  CHECK(std::isnan(slope([](const auto& x) { return pow(x, 0.5); }, -1).value));
  CHECK(std::isnan(slope([](const auto& x) { return max(x, 0.0); }, std::nan("")).value));
  CHECK(std::isnan(slope(FUNCTION(relu), std::nan("")).value));
}
