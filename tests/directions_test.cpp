// The gradient check along random directions: for models too large to check element by element.
#include <catch2/catch_test_macros.hpp>

#include "autodiff/gradcheck.hpp"
#include "layers/lstm.hpp"
#include "layers/unroll.hpp"

using namespace hindsight;

namespace {

struct Time : Axis<> {};
struct Batch : Axis<> {};
struct In : Axis<40> {};
struct Hidden : Axis<60> {};

/// y = x, whose backward is wrong in one element.
template <IsAxis... As>
Var<double, As...> wrong_in_one(const Var<double, As...>& x, std::size_t wrong, double factor) {
  auto y = detail::like(x);
  std::copy_n(x.value, x.size(), y.value);
  return detail::record(
      "wrong_in_one(%0)", y,
      [=] {
        for (std::size_t i = 0; i < x.size(); ++i) x.gradient[i] += (i == wrong ? factor : 1) * y.gradient[i];
      },
      x);
}

}  // namespace

TEST_CASE("an LSTM of 24,000 parameters is checked along directions in each parameter, gate and input") {
  Lstm<In, Hidden, double> cell;
  initialise(cell, 1);
  const auto report = check_gradients(
      {.directions = 3}, [&](auto x) { return unroll(cell, x, cell.initial(extent<Batch>(2))).outputs; }, cell,
      random_input<Time, Batch, In>("x", extent<Time>(3), extent<Batch>(2)));
  INFO(report.text());
  CHECK(report.ok());
  CHECK(report.checked() == 3 * (3 * 4 + 1));  // three parameters with four gates, and x
}

TEST_CASE("one wrong element among thousands is caught, and the parameter named") {
  Parameter<double, From<Hidden>, Hidden> W;
  initialise_uniform(W, 1, Random{2});
  const auto f = [&](double factor) {
    return check_gradients(
        {.directions = 5}, [&](auto x) { return contract<From<Hidden>>(x, wrong_in_one(W.var(), 1234, factor)); }, W,
        random_input<Batch, From<Hidden>>("x", extent<Batch>(4)));
  };
  CHECK(f(1).ok());
  const auto report = f(1.1);
  INFO(report.text());
  CHECK_FALSE(report.ok());
  CHECK(report.text().find("parameter  direction[") != std::string::npos);
  CHECK(report.text().find("x          direction[") == std::string::npos);
  const auto flipped = f(-1);
  CHECK_FALSE(flipped.ok());
}
