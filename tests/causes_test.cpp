// Each cause that the checker knows, told from a backward that is wrong in that way; and not told of what only looks
// like it.
#include <catch2/catch_test_macros.hpp>
#include <cmath>

#include "autodiff/hand_written.hpp"
#include "autodiff/random.hpp"

using namespace hindsight;

namespace {

constexpr std::size_t batch = 3, in = 2, out = 4;

Field drawn(const std::string& name, std::vector<NamedAxis> axes) {
  Field field{name, axes, std::vector<double>(count(axes))};
  fill_uniform(field.values.size(), -1.0, 1.0, Random{7}.child(name), field.values.data());
  return field;
}

const NamedAxis Batch{"Batch", batch}, In{"In", in}, Out{"Out", out};
const BackwardOptions batch_out{.result_axes = {Batch, Out}};

/// y = x W + b
Numbers affine(const OperandValues& v) {
  Numbers y(batch * out);
  for (std::size_t n = 0; n < batch; ++n)
    for (std::size_t j = 0; j < out; ++j) {
      y[n * out + j] = v[2][j];
      for (std::size_t i = 0; i < in; ++i) y[n * out + j] += v[0][n * in + i] * v[1][i * out + j];
    }
  return y;
}
OperandValues affine_backward(const OperandValues& v, const Numbers& dy) {
  OperandValues d{Numbers(batch * in), Numbers(in * out), Numbers(out)};
  for (std::size_t n = 0; n < batch; ++n)
    for (std::size_t j = 0; j < out; ++j) {
      d[2][j] += dy[n * out + j];
      for (std::size_t i = 0; i < in; ++i) {
        d[0][n * in + i] += dy[n * out + j] * v[1][i * out + j];
        d[1][i * out + j] += dy[n * out + j] * v[0][n * in + i];
      }
    }
  return d;
}

/// The affine map with its right backward changed by `spoil(gradients, operands, dy)`.
template <class Spoil>
GradientReport check_affine(Spoil spoil) {
  return check_backward(
      "affine", {drawn("x", {Batch, In}), drawn("W", {In, Out}), drawn("b", {Out})}, affine,
      [=](const OperandValues& v, const Numbers& dy) {
        OperandValues d = affine_backward(v, dy);
        spoil(d, v, dy);
        return d;
      },
      batch_out);
}

/// An elementwise function of x and c with the gradients that `each(x, c)` says.
template <class F, class Each>
GradientReport check_elementwise(F f, Each each) {
  return check_backward(
      "f", {drawn("x", {Batch, Out}), drawn("c", {Batch, Out})},
      [=](const OperandValues& v) {
        Numbers y;
        for (std::size_t i = 0; i < batch * out; ++i) y.push_back(f(v[0][i], v[1][i]));
        return y;
      },
      [=](const OperandValues& v, const Numbers& dy) {
        OperandValues d(2);
        for (std::size_t i = 0; i < batch * out; ++i) {
          const auto [dx, dc] = each(v[0][i], v[1][i]);
          d[0].push_back(dx * dy[i]);
          d[1].push_back(dc * dy[i]);
        }
        return d;
      });
}

void check_told(const GradientReport& report, Mistake mistake, const std::string& words) {
  INFO(report.text());
  CHECK_FALSE(report.ok());
  REQUIRE(report.causes.size() == 1);
  CHECK(report.causes[0].mistake == mistake);
  CHECK(report.text().find("likely cause: " + words) != std::string::npos);
}

struct Both {
  double dx, dc;
};
double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

}  // namespace

TEST_CASE("right backwards have no cause") {
  CHECK(check_affine([](OperandValues&, const OperandValues&, const Numbers&) {}).ok());
  CHECK(check_elementwise([](double x, double c) { return x * c; },
                          [](double x, double c) {
                            return Both{c, x};
                          })
            .ok());
}

TEST_CASE("a bias that is not summed over the batch, divided by it, or has one row's gradient") {
  check_told(check_affine([](OperandValues& d, const OperandValues&, const Numbers& dy) {
               for (std::size_t j = 0; j < out; ++j) d[2][j] = dy[(batch - 1) * out + j];
             }),
             Mistake::not_reduced, "not reduced over Batch: only Batch[2] arrives: b in affine\n");
  check_told(check_affine([](OperandValues& d, const OperandValues&, const Numbers&) {
               for (double& g : d[2]) g /= batch;
             }),
             Mistake::factor, "divided by the extent of Batch, which is 3 long (a mean for a sum?): b in affine\n");
}

TEST_CASE("a weight's gradient laid out with rows for columns, and one that misses a sentence") {
  check_told(check_affine([](OperandValues& d, const OperandValues&, const Numbers&) {
               const Numbers right = d[1];
               for (std::size_t k = 0; k < in * out; ++k) d[1][k] = right[k % in * out + k / in];
             }),
             Mistake::transposed, "transposed: W in affine\n");
  check_told(check_affine([](OperandValues& d, const OperandValues& v, const Numbers& dy) {
               for (std::size_t k = 0; k < in * out; ++k) d[1][k] -= dy[k % out] * v[0][k / out];
             }),
             Mistake::missing_term, "a term of a sum is missing: nothing arrives from Batch[0]: W in affine\n");
}

TEST_CASE("a factor that is missing, too much or another's") {
  const auto gate = [](double x, double c) { return sigmoid(x) * std::tanh(c); };
  check_told(check_elementwise(gate,
                               [](double x, double c) {
                                 return Both{std::tanh(c), sigmoid(x) * (1 - std::tanh(c) * std::tanh(c))};
                               }),
             Mistake::derivative, "the factor y (1 - y), y = sigmoid(x) is missing: x in f\n");
  check_told(
      check_elementwise(gate,
                        [](double x, double c) {
                          return Both{sigmoid(x) * (1 - sigmoid(x)) * std::tanh(c), sigmoid(x) * (1 - std::tanh(c))};
                        }),
      Mistake::derivative,
      "it is off as if it had the factor 1 - tanh(c) where 1 - y^2, y = tanh(c) belongs: c in f\n");
}

TEST_CASE("a gradient at another operand's value, and one that has another operand's gradient") {
  check_told(check_elementwise([](double x, double c) { return x * x * c; },
                               [](double x, double c) {
                                 return Both{2 * c * c, x * x};
                               }),
             Mistake::other_value, "taken at c where x belongs: x in f\n");
  const auto by_c = [](double x, double c) { return -std::sin(x) * std::sin(c); };
  check_told(check_elementwise([](double x, double c) { return std::sin(x) * std::cos(c); },
                               [=](double x, double c) {
                                 return Both{by_c(x, c), by_c(x, c)};
                               }),
             Mistake::exchanged, "has the gradient of c: x in f\n");
}

TEST_CASE("the direct path of a sum that is forgotten") {
  check_told(check_elementwise([](double x, double c) { return x + std::sin(x) * c; },
                               [](double x, double c) {
                                 return Both{std::cos(x) * c, std::sin(x)};
                               }),
             Mistake::missing_term, "a term of a sum is missing: the direct path, by 1: x in f\n");
}

TEST_CASE("values that are computed in float on the way") {
  const auto in_float = [](double x, double c) {
    return static_cast<double>(std::tanh(static_cast<float>(x))) + 0 * c;
  };
  check_told(check_elementwise(in_float,
                               [](double x, double) {
                                 return Both{1 - std::tanh(x) * std::tanh(x), 0};
                               }),
             Mistake::float_precision, "right as far as float tells");
}

TEST_CASE("a point without a derivative") {
  const auto relu = [](const OperandValues& v) { return Numbers{std::max(v[0][0], 0.0)}; };
  const auto with_slope = [&](double slope) {
    return check_backward("relu", {{"x", {}, {0.0}}}, relu,
                          [=](const OperandValues&, const Numbers& dy) { return OperandValues{{slope * dy[0]}}; });
  };
  for (const double between : {0.0, 0.5, 1.0}) {
    CHECK(with_slope(between).ok());
    CHECK(with_slope(between).kinks() == 1);
  }
  check_told(with_slope(1.5), Mistake::kink, "not differentiable at this point: the slope is");
}

TEST_CASE("a mistake without a pattern is given no cause, but a place") {
  const auto report = check_affine([](OperandValues& d, const OperandValues&, const Numbers&) {
    for (std::size_t k = 0; k < d[1].size(); ++k) d[1][k] *= 1 + std::sin(static_cast<double>(k * k + 1));
  });
  INFO(report.text());
  CHECK_FALSE(report.ok());
  CHECK(report.causes.empty());
  CHECK(report.text().find("likely cause") == std::string::npos);
  CHECK(report.text().find("wrong: the backward of W in affine\n") != std::string::npos);
}
