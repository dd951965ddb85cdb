#include "autodiff/loss.hpp"

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>
#include <catch2/matchers/catch_matchers.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>

#include "tests/error_text.hpp"
#include "tests/strided_views.hpp"

using namespace hindsight;
using Catch::Matchers::WithinAbs;
using Catch::Matchers::WithinRel;

namespace {

struct Batch : Axis<> {};
struct Time : Axis<> {};
struct Two : Axis<2> {};
struct Class : Axis<3> {};
struct Classes : Axis<> {};
using Ids = std::vector<std::int32_t>;

template <class T>
void check_values(const std::vector<T>& found, const std::vector<double>& expected, double tolerance = 1e-6) {
  REQUIRE(found.size() == expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    INFO("element " << i);
    CHECK_THAT(found[i], WithinAbs(expected[i], tolerance));
  }
}

}  // namespace

TEMPLATE_TEST_CASE("cross-entropy of extreme logits", "", float, double) {
  using T = TestType;
  Tape tape;
  const auto logits = variable<Class>({T(1000), T(0), T(-1000)});
  const Var loss = cross_entropy<Class>(logits, Ids{2});
  CHECK(loss.item() == 2000);
  backward(loss);
  CHECK(logits.gradients() == std::vector<T>{1, 0, -1});
}

TEMPLATE_TEST_CASE("binary cross-entropy at 0 and where the answer is sure", "", float, double) {
  using T = TestType;
  const auto check = [](double logit, double target, double loss, double slope, double relative) {
    INFO("logit " << logit << ", target " << target);
    Tape tape;
    const auto x = variable(static_cast<T>(logit));
    const Var y = binary_cross_entropy(x, target);
    const Var same = binary_cross_entropy(x, constant<>({static_cast<T>(target)}));
    CHECK(same.item() == y.item());
    CHECK_THAT(y.item(), WithinRel(loss, relative) || WithinAbs(loss, loss == 0 ? 1e-30 : 0));
    backward(y);
    CHECK_THAT(x.gradient_at(), WithinAbs(slope, 1e-6));
  };
  check(0, 0, 0.693147181, 0.5, 1e-6);
  check(0, 1, 0.693147181, -0.5, 1e-6);
  check(-200, 1, 200, -1, 1e-7);
  check(200, 0, 200, 1, 1e-7);
  check(30, 1, 9.35762e-14, 0, 1e-5);
  check(200, 1, 0, 0, 0);
  const double infinite = inf<double>;
  check(infinite, 1, 0, 0, 0);
  check(-infinite, 0, 0, 0, 0);
  check(infinite, 0, infinite, 1, 1e-6);
  check(-infinite, 1, infinite, -1, 1e-6);
  Tape tape;
  CHECK(Var(binary_cross_entropy(variable(T(200)), 1)).item() < 1e-80);
  const auto x = variable<Two>({T(30), T(-30)});
  backward(sum(binary_cross_entropy(x, constant<Two>({T(1), T(0)}))));
  CHECK_THAT(x.gradient_at(0), WithinRel(-9.35762e-14, 1e-5));  // sigmoid(30) - 1 would have lost its digits
  CHECK_THAT(x.gradient_at(1), WithinRel(9.35762e-14, 1e-5));
}

TEMPLATE_TEST_CASE("when every target is ignored the loss is 0, and so are the gradients", "", float, double) {
  using T = TestType;
  Tape tape;
  const auto logits = variable<Batch, Class>({T(1), T(2), T(3)}, extent<Batch>(1));
  const Var loss = cross_entropy<Class>(logits, Ids{-1});
  CHECK(loss.item() == 0);
  CHECK(counted(Ids{-1}) == 0);
  backward(loss);
  CHECK(logits.gradients() == std::vector<T>{0, 0, 0});
}

TEMPLATE_TEST_CASE("an ignored row is not looked at", "", float, double) {
  using T = TestType;
  Tape tape;
  const auto logits = variable<Two, Class>({T(1), T(2), T(3), inf<T>, not_a_number<T>, T(0)});
  const Var loss = cross_entropy<Class>(logits, Ids{0, -1});
  CHECK_THAT(loss.item(), WithinRel(2.407605964, 1e-6));
  backward(loss);
  check_values(logits.gradients(), {-0.909969427, 0.244728471, 0.665240956, 0, 0, 0});
  CHECK(at<Two>(logits, 1).gradients() == std::vector<T>{0, 0, 0});
}

TEST_CASE("targets that are no class are refused, with their position") {
  Tape tape;
  const auto logits = variable<Two, Class>({1., 2., 3., 4., 5., 6.});
  CHECK(says(error_text([&] { cross_entropy<Class>(logits, Ids{0, -4}); }), {"target -4", "position 1", "-1"}));
  CHECK(says(error_text([&] { token_losses<Class>(logits, Ids{3, 0}); }), {"target 3", "position 0", "3"}));
  CHECK(says(error_text([&] {
               sum(token_losses<Class>(logits, Ids{0, 3}, {.ignored = 0}));
             }),
             {"target 3", "position 1"}));
  CHECK(says(error_text([&] {
               cross_entropy<Class>(logits, Ids{0, -1}, {.ignored = 2});
             }),
             {"target -1", "position 1"}));
  CHECK(says(error_text([&] { cross_entropy<Class>(logits, Ids{0}); }),
             {"cross_entropy", "1 targets", "2 positions", "Two"}));
}

TEST_CASE("a smoothing that is no probability and a count of 0 for what is counted are refused") {
  Tape tape;
  const auto logits = variable<Two, Class>({1., 2., 3., 4., 5., 6.});
  for (const double smoothing : {-0.5, 1.0, 1.5, not_a_number<double>, inf<double>}) {
    CHECK(says(error_text([&] { cross_entropy<Class>(logits, Ids{0, 1}, {.smoothing = smoothing}); }),
               {"cross_entropy", "smoothing", "less than 1"}));
    CHECK_THROWS_AS(token_losses<Class>(logits, Ids{0, 1}, {.smoothing = smoothing}), Error);
  }
  CHECK(says(error_text([&] { cross_entropy<Class>(logits, Ids{0, -1}, {.tokens = 0}); }),
             {"cross_entropy", "tokens = 0", "1 targets"}));
}

TEST_CASE("another id may be the ignored one, a class too") {
  Tape tape;
  const auto logits = variable<Two, Class>({1., 2., 3., 3., 2., 1.});
  const Var loss = cross_entropy<Class>(logits, Ids{0, 2}, {.ignored = 2});
  CHECK_THAT(loss.item(), WithinRel(2.407605964, 1e-9));
}

TEST_CASE("every counted token weighs the same, in one batch or in pieces") {
  // One class of two has the logit -log(e^L - 1): its loss is L.
  const auto logit = [](double loss) { return -std::log(std::exp(loss) - 1); };
  Tape tape;
  const auto whole = variable<Batch, Two>({logit(4), 0., logit(1), 0., logit(1), 0., logit(1), 0.}, extent<Batch>(4));
  const Var together = cross_entropy<Two>(whole, Ids{0, 0, 0, 0});
  CHECK_THAT(together.item(), WithinRel(1.75, 1e-12));
  const auto first = variable<Batch, Two>({logit(4), 0.}, extent<Batch>(1));
  const auto rest = variable<Batch, Two>({logit(1), 0., logit(1), 0., logit(1), 0.}, extent<Batch>(3));
  const Var pieces =
      cross_entropy<Two>(first, Ids{0}, {.tokens = 4}) + cross_entropy<Two>(rest, Ids{0, 0, 0}, {.tokens = 4});
  CHECK_THAT(pieces.item(), WithinRel(1.75, 1e-12));
  backward(pieces, constant<>({1.}));
  std::vector<double> gradient = first.gradients();
  for (const double g : rest.gradients()) gradient.push_back(g);
  backward(together, constant<>({1.}));
  check_values(whole.gradients(), gradient, 1e-15);
  const Var none = cross_entropy<Two>(first, Ids{-1}, {.tokens = 0});
  CHECK(none.item() == 0);
}

TEST_CASE("cross-entropy has its gradient") {
  const auto classes = GENERATE(from_range(around_the_width(2)));
  const auto c = extent<Classes>(classes);
  const Ids targets{0, 1, -1, 1, 0, 1};
  const auto smoothing = GENERATE(0.0, 0.1);
  const CrossEntropyOptions options{.smoothing = smoothing};
  check_gradient([&](auto x) { return cross_entropy<Classes>(x, targets, options); },
                 operand<Time, Batch, Classes>("x", extent<Time>(2), extent<Batch>(3), c));
  check_gradient([&](auto x) { return token_losses<Classes>(x, targets, options); },
                 operand<Time, Classes, Batch>("x", extent<Time>(2), c, extent<Batch>(3)));
  check_gradient([&](auto x) { return token_losses<Classes>(tanh(x), Ids{1}, options); }, operand<Classes>("x", c));
  check_gradient([](auto x) { return binary_cross_entropy(x, 0.3); }, operand<Classes>("x", c));
  check_gradient([](auto x, auto y) { return binary_cross_entropy(x, y); },
                 operand<Batch, Classes>("x", extent<Batch>(2), c), operand<Classes>("y", c));
}

TEST_CASE("label smoothing spreads s evenly over the classes") {
  Tape tape;
  const auto logits = variable<Class>({1., 2., 3.});
  const double lse = std::log(std::exp(1) + std::exp(2) + std::exp(3)), s = 0.3;
  const Var loss = cross_entropy<Class>(logits, Ids{0}, {.smoothing = s});
  CHECK_THAT(loss.item(), WithinRel((1 - s) * (lse - 1) + s / 3 * (3 * lse - 6), 1e-12));
  backward(loss);
  check_values(logits.gradients(), {std::exp(1 - lse) - 0.7 - 0.1, std::exp(2 - lse) - 0.1, std::exp(3 - lse) - 0.1},
               1e-12);
}

TEMPLATE_TEST_CASE("token losses of views equal those of the same numbers in a row", "", float, double) {
  using T = TestType;
  check_views<T>([](auto v) {
    const Ids targets(v.extents[0] * v.extents[2], v.extents[1] > 1 ? 1 : v.extents[1] == 1 ? 0 : -1);
    return token_losses<Mid>(v, targets);
  });
}
