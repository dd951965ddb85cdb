#include "autodiff/join.hpp"

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <numeric>

#include "autodiff/reductions.hpp"
#include "tests/error_text.hpp"
#include "tests/strided_views.hpp"

using namespace hindsight;

namespace {

struct Time : Axis<> {};
struct Batch : Axis<> {};
struct A : Axis<1> {};
struct B : Axis<2> {};
struct C : Axis<3> {};
struct Width : Axis<> {};
struct Zero : Axis<0> {};

template <class T>
std::vector<T> counting(std::size_t n, T first) {
  std::vector<T> v(n);
  std::iota(v.begin(), v.end(), first);
  return v;
}

template <class T>
std::vector<T> to_vector(std::span<T> values) {
  return {values.begin(), values.end()};
}

}  // namespace

TEMPLATE_TEST_CASE("axes side by side, of different widths", "", float, double) {
  using T = TestType;
  Tape tape;
  const auto a = variable<Batch, A>(counting<T>(2, 0), extent<Batch>(2));
  const auto b = variable<Batch, B>(counting<T>(4, 10), extent<Batch>(2));
  const auto c = variable<Batch, C>(counting<T>(6, 20), extent<Batch>(2));
  const Var<T, Batch, Concat<A, B, C>> y = concatenate<A, B, C>(a, b, c);
  CHECK(y.values() == std::vector<T>{0, 10, 11, 20, 21, 22, 1, 12, 13, 23, 24, 25});
  backward(y, constant<Batch, Concat<A, B, C>>(counting<T>(12, 1), extent<Batch>(2)));
  CHECK(a.gradients() == std::vector<T>{1, 7});
  CHECK(b.gradients() == std::vector<T>{2, 3, 8, 9});
  CHECK(c.gradients() == std::vector<T>{4, 5, 6, 10, 11, 12});

  const Var<T, Concat<A, B, C>, Batch> rows =
      concatenate<A, B, C>(transpose<A, Batch>(a), transpose<B, Batch>(b), transpose<C, Batch>(c));
  CHECK(rows.values() == std::vector<T>{0, 1, 10, 12, 11, 13, 20, 23, 21, 24, 22, 25});
}

TEMPLATE_TEST_CASE("an empty piece in the middle", "", float, double) {
  using T = TestType;
  Tape tape;
  const auto a = variable<Batch, A>(counting<T>(2, 0), extent<Batch>(2));
  const auto none = variable<Batch, Zero>(std::vector<T>{}, extent<Batch>(2));
  const auto b = variable<Batch, B>(counting<T>(4, 10), extent<Batch>(2));
  const Var y = concatenate<A, Zero, B>(a, none, b);
  CHECK(y.values() == std::vector<T>{0, 10, 11, 1, 12, 13});
  const auto w = variable<Batch, Width>(std::vector<T>{}, extent<Batch>(2), extent<Width>(0));
  const auto v = variable<Batch, Width>(counting<T>(4, 5), extent<Batch>(2), extent<Width>(2));
  const Var z = concatenate<Width>(v, w, v);
  CHECK(z.values() == std::vector<T>{5, 6, 5, 6, 7, 8, 7, 8});
  backward(z, filled<T, Batch, Width>(T(1), extent<Batch>(2), extent<Width>(4)));
  CHECK(v.gradients() == std::vector<T>{2, 2, 2, 2});
  CHECK(w.gradients().empty());
  const auto nobody = variable<Batch, A>(std::vector<T>{}, extent<Batch>(0));
  CHECK(concatenate<A, A>(nobody, nobody).size() == 0);
}

TEST_CASE("a tensor joined with itself gets both gradients") {
  Tape tape;
  const auto x = variable<B>({1., 2.});
  const Var y = concatenate<B, B>(x, x);
  backward(y, constant<Concat<B, B>>({1., 2., 10., 20.}));
  CHECK(x.gradients() == std::vector{11., 22.});
  const auto t = variable<Time>({1., 2.}, extent<Time>(2));
  const Var z = concatenate<Time>(t, t);
  backward(z, constant<Time>({1., 2., 10., 20.}, extent<Time>(4)));
  CHECK(t.gradients() == std::vector{11., 22.});
  const Var s = stack<Time>(std::vector{x, x, x});
  backward(s, constant<Time, B>({1., 2., 10., 20., 100., 200.}, extent<Time>(3)));
  CHECK(x.gradients() == std::vector{111., 222.});
}

TEMPLATE_TEST_CASE("stack puts tensors of one shape along a new first axis", "", float, double) {
  using T = TestType;
  Tape tape;
  std::vector<Var<T, Batch, B>> parts;
  for (int t = 0; t < 3; ++t) parts.push_back(variable<Batch, B>(counting<T>(4, T(10 * t)), extent<Batch>(2)));
  parts[1] = detach(parts[1]);
  const Var<T, Time, Batch, B> y = stack<Time>(parts);
  CHECK(y.values() == std::vector<T>{0, 1, 2, 3, 10, 11, 12, 13, 20, 21, 22, 23});
  backward(y, weights_like(y));
  const std::vector<T> w = weights_like(y).values();
  CHECK(parts[0].gradients() == std::vector<T>(w.begin(), w.begin() + 4));
  CHECK(parts[2].gradients() == std::vector<T>(w.begin() + 8, w.end()));
  CHECK(Var<T, C, Batch, B>(stack<C>(parts)).size() == 12);
}

TEMPLATE_TEST_CASE("reverse turns an axis round", "", float, double) {
  using T = TestType;
  Tape tape;
  const auto x = variable<Time, B>(counting<T>(6, 0), extent<Time>(3));
  CHECK(reverse<Time>(x).values() == std::vector<T>{4, 5, 2, 3, 0, 1});
  CHECK(reverse<B>(x).values() == std::vector<T>{1, 0, 3, 2, 5, 4});
  CHECK(reverse<Time>(variable<Time>(std::vector<T>{}, extent<Time>(0))).size() == 0);
}

TEST_CASE("joined tensors have their gradients") {
  const auto n = extent<Batch>(3);
  check_gradient([](auto x, auto y, auto z) { return concatenate<A, C, B>(x, tanh(y), z); }, operand<Batch, A>("x", n),
                 operand<Batch, C>("y", n), operand<Batch, B>("z", n));
  check_gradient([](auto x, auto y) { return concatenate<Time>(x, y, x); },
                 operand<Batch, Time, B>("x", n, extent<Time>(2)), operand<Batch, Time, B>("y", n, extent<Time>(5)));
  check_gradient(
      [](auto x, auto y) {
        return stack<Time>(std::vector{Var(x * y), x, Var(x + y)});
      },
      operand<Batch, B>("x", n), operand<Batch, B>("y", n));
  check_gradient([](auto x) { return reverse<C>(reverse<Batch>(x) * x); }, operand<Batch, C, B>("x", n));
}

TEMPLATE_TEST_CASE("joins of views equal those of the same numbers in a row", "", float, double) {
  using T = TestType;
  check_views<T>([](auto v) { return concatenate<Mid>(v, v); });
  check_views<T>([](auto v) { return concatenate<Col, Width>(v, rename<Col, Width>(v)); });
  check_views<T>([](auto v) { return stack<Time>(std::vector{v, v}); });
  check_views<T>([](auto v) { return reverse<Mid>(v); });
}

TEST_CASE("parameters and expressions can be joined, each computed once") {
  Tape tape;
  Parameter<double, B> p;
  const auto x = variable<A>({1.});
  const Var y = concatenate<A, B>(x * 2, p + 1);
  CHECK(y.values() == std::vector{2., 1., 1.});
  CHECK(tape.size() == 4);  // x, x * 2, p + 1 and y
  backward(y, constant<Concat<A, B>>({1., 10., 100.}));
  CHECK(to_vector(p.gradients()) == std::vector{10., 100.});
  CHECK(x.gradients() == std::vector{2.});
  const auto t = variable<Time>({1., 2.}, extent<Time>(2));
  CHECK(Var(concatenate<Time>(t * 2, t)).values() == std::vector{2., 4., 1., 2.});
}

TEST_CASE("joins with other extents that differ are refused") {
  Tape tape;
  const auto two = variable<Batch, A>({1., 2.}, extent<Batch>(2));
  const auto three = variable<Batch, A>({1., 2., 3.}, extent<Batch>(3));
  const auto refused = [](auto f, const char* operation) {
    return says(error_text(f), {operation, "axis Batch", "2", "3"});
  };
  CHECK(refused([&] { concatenate<A, A>(two, three); }, "concatenate"));
  CHECK(refused([&] { stack<Time>(std::vector{two, three}); }, "stack"));
  const auto long_two = rename<A, Width>(two), long_three = rename<A, Width>(three);
  CHECK(refused([&] { concatenate<Width>(long_two, long_three); }, "concatenate"));
  CHECK(says(error_text([&] { stack<C>(std::vector{two, two}); }), {"stack", "axis C", "3", "2"}));
  CHECK(says(error_text([&] { stack<Time>(std::vector<Var<double, A>>{}); }), {"stack", "nothing", "axis Time"}));
}
