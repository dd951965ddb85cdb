// The example of docs/gradient-checking.md: the page shows what this prints.
#include <catch2/catch_test_macros.hpp>
#include <fstream>
#include <iterator>
#include <string>

#include "autodiff/gradcheck.hpp"
#include "autodiff/initialise.hpp"

using namespace hindsight;

namespace {

struct Batch : Axis<2> {};
struct In : Axis<3> {};
struct Hidden : Axis<2> {};
struct Keep;
struct Write;

struct Cell {
  using Z = Gates<Hidden, Keep, Write>;
  using Weight = Parameter<double, In, Z>;
  using Offset = Bias<Z, double>;
  BOOST_HANA_DEFINE_STRUCT(Cell, (Weight, weight), (Offset, bias));

  void initialise(const Random& random) {
    initialise_uniform(weight, 1, random.child("weight"));
    initialise_uniform(bias, 1, random.child("bias"));
  }
};

/// y = x^3 as an operation of its own, d y / d x = factor x^2: 3 is right.
template <IsAxis... As>
Var<double, As...> cube(double factor, const Var<double, As...>& view) {
  const auto x = detail::contiguous(view);
  auto y = detail::result<double, As...>(x.extents, x);
  for (std::size_t i = 0; i < x.size(); ++i) y.value[i] = x.value[i] * x.value[i] * x.value[i];
  return detail::record("cube(%0)", y, [=] {
    for (std::size_t i = 0; i < x.size(); ++i) x.gradient[i] += factor * x.value[i] * x.value[i] * y.gradient[i];
  }, x);
}

GradientReport check_cell(double factor) {
  Cell cell;
  initialise(cell, 1);
  return check_gradients(
      [&](auto x, auto h) {
        auto z = named("z", Var(contract<In>(x, cell.weight) + cell.bias));
        return sigmoid(gate<Keep>(z)) * h + cube(factor, gate<Write>(z));
      },
      cell, random_input<Batch, In>("x"), random_input<Batch, Hidden>("h"));
}

std::string page() {
  std::ifstream file("docs/gradient-checking.md");
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

TEST_CASE("the page on gradient checking shows what its example prints") {
  const std::string shown = page();
  REQUIRE_FALSE(shown.empty());
  const std::string wrong = check_cell(1).text(), right = check_cell(3).text();
  INFO(right);
  INFO(wrong);
  CHECK(shown.find(wrong) != std::string::npos);
  // How good a right gradient is depends on the last bits: only up to there.
  CHECK(shown.find(right.substr(0, right.find("error is "))) != std::string::npos);
}
