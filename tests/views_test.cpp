#include "autodiff/views.hpp"

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>
#include <numeric>

#include "autodiff/join.hpp"
#include "autodiff/reductions.hpp"
#include "tests/error_text.hpp"
#include "tests/strided_views.hpp"

using namespace hindsight;

namespace {

struct Time : Axis<> {};
struct Batch : Axis<> {};
struct Three : Axis<3> {};
struct Four : Axis<4> {};
struct Two : Axis<2> {};
struct Hidden : Axis<> {};
struct Forget;
struct Input;
struct Output;
using Block = Gates<Two, Forget, Input, Output>;
using DynamicBlock = Gates<Hidden, Forget, Input, Output>;

/// 0, 1, 2, ...
template <class T>
std::vector<T> counting(std::size_t n) {
  std::vector<T> v(n);
  std::iota(v.begin(), v.end(), T(0));
  return v;
}

template <class T>
Var<T, Three, Four> three_by_four() {
  return variable<Three, Four>(counting<T>(12));
}

}  // namespace

TEMPLATE_TEST_CASE("at takes one position of an axis", "", float, double) {
  using T = TestType;
  Tape tape;
  const auto x = three_by_four<T>();
  CHECK(at<Three>(x, 1).values() == std::vector<T>{4, 5, 6, 7});
  CHECK(at<Four>(x, 2).values() == std::vector<T>{2, 6, 10});
  CHECK(at<Four>(at<Three>(x, 2), 3).item() == T(11));
}

TEMPLATE_TEST_CASE("slice takes every step-th position of a dynamic axis", "", float, double) {
  using T = TestType;
  Tape tape;
  const auto x = variable<Time, Three>(counting<T>(15), extent<Time>(5));
  CHECK(slice<Time>(x, 1, 3).values() == std::vector<T>{3, 4, 5, 6, 7, 8});
  CHECK(slice<Time>(x, 0, 5, 2).values() == std::vector<T>{0, 1, 2, 6, 7, 8, 12, 13, 14});
  CHECK(slice<Time>(x, 1, 5, 4).values() == std::vector<T>{3, 4, 5});
  CHECK(slice<Time>(x, 3).values() == std::vector<T>{9, 10, 11, 12, 13, 14});
  CHECK(slice<Time, Batch>(x, 4).template extent<Batch>() == 1);
  CHECK(slice<Time>(x, 5).size() == 0);
  CHECK(slice<Time>(x, 2, 2).size() == 0);
  CHECK(slice<Time>(x, 5, 5).size() == 0);
  CHECK(slice<Three, Two>(x, 1).values() == std::vector<T>{1, 2, 4, 5, 7, 8, 10, 11, 13, 14});
}

TEMPLATE_TEST_CASE("transpose and rename give other names to the same numbers", "", float, double) {
  using T = TestType;
  Tape tape;
  const auto x = three_by_four<T>();
  const Var<T, Four, Three> y = transpose<Four, Three>(x);
  CHECK(y.values() == std::vector<T>{0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11});
  CHECK(y.at(3, 1) == T(7));
  const Var<T, Three, Time> z = rename<Four, Time>(x);
  CHECK(z.values() == x.values());
  CHECK(z.template extent<Time>() == 4);
}

TEMPLATE_TEST_CASE("a gate is its part of the block, static or dynamic", "", float, double) {
  using T = TestType;
  Tape tape;
  const auto z = variable<Three, Block>(counting<T>(18));
  const Var<T, Three, Two> i = gate<Input>(z);
  CHECK(i.values() == std::vector<T>{2, 3, 8, 9, 14, 15});
  const auto d = variable<Batch, DynamicBlock>(counting<T>(18), extent<Batch>(2), extent<DynamicBlock>(9));
  CHECK(gate<Output>(d).values() == std::vector<T>{6, 7, 8, 15, 16, 17});
  const auto turned = variable<DynamicBlock, Batch>(counting<T>(18), extent<DynamicBlock>(9), extent<Batch>(2));
  CHECK(gate<Input>(transpose<Batch, DynamicBlock>(turned)).values() == std::vector<T>{6, 8, 10, 7, 9, 11});
  const auto odd = variable<DynamicBlock>(counting<T>(7), extent<DynamicBlock>(7));
  CHECK(says(error_text([&] { gate<Forget>(odd); }),
             {"gate", "Gates<Hidden, Forget, Input, Output>", "7 long", "3 gates"}));
}

TEST_CASE("a view outside its tensor is refused, with the axis and both numbers") {
  Tape tape;
  const auto x = variable<Time, Three>(counting<double>(15), extent<Time>(5));
  CHECK(says(error_text([&] { at<Time>(x, 5); }), {"at", "position 5", "axis Time", "5 long"}));
  CHECK(says(error_text([&] { slice<Time>(x, 3, 7); }), {"slice", "position 6", "axis Time", "5 long"}));
  CHECK(says(error_text([&] { slice<Time>(x, 6, 6); }), {"slice", "position 6", "axis Time", "5 long"}));
  CHECK(says(error_text([&] { slice<Time>(x, 6); }), {"slice", "position 6", "axis Time", "5 long"}));
  CHECK(says(error_text([&] { slice<Time>(x, 3, 1); }), {"slice", "begin 3", "end 1", "axis Time"}));
  constexpr std::size_t largest = static_cast<std::size_t>(-1);
  CHECK(slice<Time>(x, 1, 5, largest).values() == std::vector<double>{3, 4, 5});
  CHECK(slice<Time>(x, 1, 5, largest - 3).values() == std::vector<double>{3, 4, 5});
  CHECK(says(error_text([&] { slice<Three, Two>(x, 0, dynamic, largest); }), {"slice", "axis Three", "3 long"}));
  CHECK(says(error_text([&] { slice<Three, Two>(x, 1, dynamic, largest); }), {"slice", "axis Three", "3 long"}));
  CHECK(says(error_text([&] { slice<Time>(x, 0, 5, 0); }), {"slice", "step 0", "axis Time"}));
  CHECK(says(error_text([&] { slice<Three, Two>(x, 2); }), {"slice", "position 3", "axis Three", "3 long"}));
  CHECK(says(error_text([&] { rename<Time, Four>(x); }), {"rename", "axis Four", "5", "4"}));
}

TEST_CASE("overlapping slices add their gradients up") {
  Tape tape;
  const auto x = variable<Time>({0., 0., 0., 0.}, extent<Time>(4));
  Var loss = sum(slice<Time>(x, 0, 3) * constant<Time>({1., 2., 3.}, extent<Time>(3)) +
                 slice<Time>(x, 1, 4) * constant<Time>({10., 20., 30.}, extent<Time>(3)));
  backward(loss);
  CHECK(x.gradients() == std::vector{1., 12., 23., 30.});
}

TEST_CASE("a strided slice gives its gradient to the elements it took") {
  const auto gradient = [](auto f) {
    Tape tape;
    const auto x = variable<Time>({1., 2., 3., 4., 5.}, extent<Time>(5));
    backward(Var<double>(f(x)));
    return x.gradients();
  };
  CHECK(gradient([](auto x) {
          return sum(slice<Time>(x, 0, 5, 4) * constant<Time>({7., 9.}, extent<Time>(2)));
        }) == std::vector{7., 0., 0., 0., 9.});
  CHECK(gradient([](auto x) { return sum(slice<Time>(x, 1, 5, 4) * 5); }) == std::vector{0., 5., 0., 0., 0.});
  CHECK(gradient([](auto x) {
          return sum(reverse<Time>(x) * constant<Time>({1., 2., 3., 4., 5.}, extent<Time>(5)));
        }) == std::vector{5., 4., 3., 2., 1.});
}

TEST_CASE("a slice of one element with a stride is not taken for a contiguous row") {
  // Time x Hidden = 4 x 5, its columns 0, 5, ..: strides (5, 5), as if the rows were one long row.
  Tape tape;
  const auto x = variable<Time, Hidden>(counting<double>(20), extent<Time>(4), extent<Hidden>(5));
  const auto column = slice<Hidden>(x, 0, 1, 5);
  Var y = column * 2;
  CHECK(y.values() == std::vector{0., 10., 20., 30.});
  backward(y, constant<Time, Hidden>({1., 2., 3., 4.}, extent<Time>(4), extent<Hidden>(1)));
  std::vector<double> expected(20);
  for (std::size_t t = 0; t < 4; ++t) expected[5 * t] = 2.0 * static_cast<double>(t + 1);
  CHECK(x.gradients() == expected);
}

TEMPLATE_TEST_CASE("every view reads and writes through its strides", "", float, double) {
  using T = TestType;
  for (const Extents<3>& extents : view_extents<T>())
    for_each_view<T>(extents, [&](const auto& base, const auto& view) {
      const std::vector<T> values = view.values();
      std::size_t i = 0;
      for (std::size_t r = 0; r < extents[0]; ++r)
        for (std::size_t m = 0; m < extents[1]; ++m)
          for (std::size_t c = 0; c < extents[2]; ++c) REQUIRE(view.at(r, m, c) == values[i++]);
      backward(view, weights_like(view));
      REQUIRE(same_bits(view.gradients(), weights_like(view).values()));
      const std::vector<T> gradient = base.gradients();
      REQUIRE(gradient.size() - static_cast<std::size_t>(std::count(gradient.begin(), gradient.end(), T(0))) ==
              values.size());
    });
}

TEST_CASE("the gradient of a statement of views of one tensor") {
  const auto n = GENERATE(from_range(around_the_width()));
  check_gradient(
      [](auto z, auto w) {
        return gate<Forget>(z) * tanh(gate<Input>(z)) + sigmoid(slice<Batch>(gate<Output>(z), 0, 3)) +
               at<Time>(transpose<Time, Hidden, Batch>(w), 1) * square(gate<Input>(z));
      },
      operand<Batch, DynamicBlock>("z", extent<Batch>(3), extent<DynamicBlock>(3 * n)),
      operand<Time, Batch, Hidden>("w", extent<Time>(2), extent<Batch>(3), extent<Hidden>(n)));
}

TEMPLATE_TEST_CASE("a statement that reads a tensor and a part of it adds both gradients, in either order", "", float,
                   double) {
  using T = TestType;
  for (const bool part_first : {false, true}) {
    Tape tape;
    const auto x = variable<Time, Three>(counting<T>(15), extent<Time>(5));
    Var y = x + T(0);  // recorded: its gradient is assigned by who writes all of it first
    const auto fourth = at<Time>(y, 3);
    Var difference = part_first ? Var<T, Time, Three>(fourth * y) : Var<T, Time, Three>(y * fourth);
    backward(sum(difference));
    std::vector<T> expected;  // d/dy[t] of sum over t of y[t] y[3]
    for (int t = 0; t < 5; ++t)
      for (int j = 0; j < 3; ++j) {
        const int fourth_value = 9 + j, total = 5 * j + 3 * (0 + 1 + 2 + 3 + 4);
        expected.push_back(T(fourth_value + (t == 3 ? total : 0)));
      }
    CHECK(y.gradients() == expected);
  }
}

TEMPLATE_TEST_CASE("a statement that reads a tensor and its transposition adds both gradients", "", float, double) {
  using T = TestType;
  Tape tape;
  struct Other : Axis<4> {};
  const auto square = variable<Four, Other, Three>(counting<T>(48));
  Var y = square + T(0);
  const auto swapped = rename<Hidden, Other>(rename<Other, Four>(rename<Four, Hidden>(y)));
  Var product = y * swapped;
  backward(sum(product));
  const std::vector<T> gradients = y.gradients(), values = y.values();
  for (std::size_t i = 0; i < 4; ++i)
    for (std::size_t j = 0; j < 4; ++j)
      for (std::size_t k = 0; k < 3; ++k)
        CHECK(gradients[(i * 4 + j) * 3 + k] == 2 * values[(j * 4 + i) * 3 + k]);
}
