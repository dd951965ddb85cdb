#include "autodiff/contract.hpp"

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>

#include "autodiff/reductions.hpp"
#include "tests/error_text.hpp"
#include "tests/strided_views.hpp"

using namespace hindsight;

namespace {

struct Batch : Axis<> {};
struct Source : Axis<> {};
struct Target : Axis<> {};
struct In : Axis<> {};
struct Out : Axis<> {};
struct Two : Axis<2> {};
struct Three : Axis<3> {};

/// Small whole numbers, so that every order of summation is exact.
template <class T>
std::vector<T> whole_numbers(std::size_t n, std::string_view name) {
  std::vector<T> v(n);
  for (std::size_t i = 0; i < n; ++i) v[i] = static_cast<T>(Random{3}.child(name).below(7, i)) - 3;
  return v;
}

template <class T, IsAxis... As, class... Given>
Var<T, As...> whole(std::string_view name, Extent<Given>... given) {
  const auto extents = detail::extents_of(Axes<As...>{}, given...);
  return variable<As...>(whole_numbers<T>(detail::count(extents), name), given...);
}

/// The definition: out[o] = sum over the axes K of a b, element by element.
template <IsAxis... K, class T, IsAxis... As, IsAxis... Bs>
std::vector<T> by_definition(const Var<T, As...>& a, const Var<T, Bs...>& b) {
  using Result = Joined<Without<Axes<As...>, Axes<K...>>, Without<Axes<Bs...>, Axes<As...>>>;
  using All = Joined<Result, Axes<K...>>;
  return [&]<IsAxis... Us>(Axes<Us...>) {
    const auto extent_of = [&]<IsAxis U>(Axes<U>) {
      if constexpr (contains<U, Axes<As...>>)
        return a.template extent<U>();
      else
        return b.template extent<U>();
    };
    const auto stride_of = [&]<IsAxis U, class V>(Axes<U>, const V& v) -> std::size_t {
      if constexpr (contains<U, typename V::Shape>)
        return v.strides[index_in<U, typename V::Shape>];
      else
        return 0;
    };
    constexpr std::size_t rank = sizeof...(Us), kept = Result::rank;
    const Extents<rank> extents{extent_of(Axes<Us>{})...}, a_strides{stride_of(Axes<Us>{}, a)...},
        b_strides{stride_of(Axes<Us>{}, b)...};
    std::size_t size = 1, sums = 1;
    for (std::size_t d = 0; d < rank; ++d) (d < kept ? size : sums) *= extents[d];
    std::vector<T> out(size);
    std::vector<std::size_t> at_a, at_b;
    detail::each_offset(extents, a_strides, [&](std::size_t at) { at_a.push_back(at); });
    detail::each_offset(extents, b_strides, [&](std::size_t at) { at_b.push_back(at); });
    for (std::size_t i = 0; i < at_a.size(); ++i) out[i / sums] += a.value[at_a[i]] * b.value[at_b[i]];
    return out;
  }
  (All{});
}

template <IsAxis... K, class A, class B>
void check_definition(const A& a, const B& b) {
  const Var y = contract<K...>(a, b);
  REQUIRE(y.values() == by_definition<K...>(a, b));
}

}  // namespace

TEMPLATE_TEST_CASE("products are what the definition says, at every size", "", float, double) {
  using T = TestType;
  for (const std::size_t n : sizes<T>())
    for (const std::size_t k : {std::size_t{0}, std::size_t{1}, std::size_t{3}, lanes<T>() + 1}) {
      INFO("n " << n << ", k " << k);
      Tape tape;
      const auto b = extent<Batch>(3);
      const auto s = extent<Source>(n);
      const auto t = extent<Target>(2);
      const auto i = extent<In>(k);
      const auto o = extent<Out>(n);
      check_definition<In>(whole<T, Batch, In>("x", b, i), whole<T, In, Out>("w", i, o));      // x W
      check_definition<In>(whole<T, Batch, In>("x", b, i), whole<T, Out, In>("w", i, o));      // x W^T
      check_definition<In>(whole<T, In, Batch>("x", b, i), whole<T, In, Out>("w", i, o));      // x^T W
      check_definition<In>(whole<T, In>("x", i), whole<T, In, Out>("w", i, o));                // vector
      check_definition<In>(whole<T, Out, In>("w", i, o), whole<T, In>("x", i));                // matrix vector
      check_definition<In>(whole<T, In>("x", i), whole<T, In>("y", i));                        // dot
      check_definition<>(whole<T, Source>("x", s), whole<T, In>("y", i));                      // outer
      check_definition<>(whole<T, Batch, Source>("x", b, s), whole<T, Batch, In>("y", b, i));  // outer, batched
      check_definition<>(whole<T, Batch>("x", b), whole<T, Batch>("y", b));                    // elementwise
      check_definition<In>(whole<T, Source, Batch, In>("m", s, b, i), whole<T, Batch, In>("q", b, i));  // scores
      check_definition<Source>(whole<T, Source, Batch>("a", s, b), whole<T, Source, Batch, In>("m", s, b, i));  // read
      check_definition<In>(whole<T, Target, Batch, In>("q", t, b, i), whole<T, Source, Batch, In>("m", s, b, i));
      check_definition<Source>(whole<T, Target, Batch, Source>("a", t, b, s),
                               whole<T, Source, Batch, In>("m", s, b, i));
      check_definition<Source, In>(whole<T, Source, Batch, In>("m", s, b, i), whole<T, In, Out, Source>("w", i, o, s));
      check_definition<Batch, In>(whole<T, Batch, Source, In>("m", s, b, i), whole<T, Batch, Target, In>("w", b, t, i));
      check_definition<In>(whole<T, Two, Source, Three, In>("m", s, i), whole<T, In, Three, Target, Out>("w", i, t, o));
    }
}

TEST_CASE("the result has the left operand's remaining axes, then the right's new ones") {
  Tape tape;
  const auto memory = whole<double, Source, Batch, In>("m", extent<Source>(2), extent<Batch>(3), extent<In>(4));
  const auto weight = whole<double, In, Out, Batch>("w", extent<In>(4), extent<Out>(5), extent<Batch>(3));
  static_assert(std::same_as<decltype(Var(contract<In>(memory, weight))), Var<double, Source, Batch, Out>>);
  static_assert(std::same_as<decltype(Var(contract<In>(weight, memory))), Var<double, Out, Batch, Source>>);
  static_assert(std::same_as<decltype(Var(contract<In, Batch>(memory, weight))), Var<double, Source, Out>>);
  static_assert(std::same_as<decltype(Var(outer(memory, weight))), Var<double, Source, Batch, In, Out>>);
  static_assert(std::same_as<decltype(Var(contract<Source, Batch, In>(memory, memory))), Var<double>>);
}

TEST_CASE("products have their gradients") {
  const auto n = GENERATE(from_range(around_the_width()));
  const auto b = extent<Batch>(3);
  const auto s = extent<Source>(n);
  const auto t = extent<Target>(2);
  const auto i = extent<In>(3);
  const auto o = extent<Out>(n);
  const auto over_in = [](auto x, auto y) { return contract<In>(x, y); };
  check_gradient(over_in, operand<Batch, In>("x", b, i), operand<In, Out>("w", i, o));
  check_gradient(over_in, operand<Batch, In>("x", b, i), operand<Out, In>("w", i, o));
  check_gradient(over_in, operand<In, Batch>("x", b, i), operand<In, Out>("w", i, o));
  check_gradient(over_in, operand<In>("x", i), operand<In, Out>("w", i, o));
  check_gradient(over_in, operand<Out, In>("w", i, o), operand<In>("x", i));
  check_gradient(over_in, operand<In>("x", i), operand<In>("y", i));
  check_gradient(over_in, operand<Source, Batch, In>("m", s, b, i), operand<Batch, In>("q", b, i));
  check_gradient(over_in, operand<Target, Batch, In>("q", t, b, i), operand<Source, Batch, In>("m", s, b, i));
  check_gradient(over_in, operand<Two, Source, Three, In>("m", s, i), operand<In, Three, Target, Out>("w", i, t, o));
  check_gradient([](auto x, auto y) { return outer(x, y); }, operand<Batch, Source>("x", b, s),
                 operand<Batch, In>("y", b, i));
  check_gradient([](auto x, auto y) { return contract<Source, In>(x, y); }, operand<Source, Batch, In>("m", s, b, i),
                 operand<In, Out, Source>("w", i, o, s));
  check_gradient([](auto x, auto y) { return contract<Source>(softmax<Source>(contract<In>(x, y)), x); },
                 operand<Source, Batch, In>("m", extent<Source>(n + 1), b, i), operand<Batch, In>("q", b, i));
}

TEST_CASE("a tensor multiplied by itself") {
  Tape tape;
  const auto a = variable<Two>({1., 3.});
  Var pairs = contract<>(a, rename<Two, Next<Two>>(a));  // a a^T
  Var s = sum(pairs);
  CHECK(s.item() == 16);
  backward(s, variable(1.));
  CHECK(a.gradients() == std::vector{8., 8.});
  const auto x = variable<Two>({3., -1.});
  Var dot = contract<Two>(x, x);
  backward(dot, variable(1.));
  CHECK(x.gradients() == std::vector{6., -2.});
  check_gradient([](auto x) { return contract<In>(x, rename<Batch, Target>(x)); },
                 operand<Batch, In>("x", extent<Batch>(3), extent<In>(4)));
}

TEMPLATE_TEST_CASE("products of views equal those of the same numbers in a row", "", float, double) {
  using T = TestType;
  const auto other = [](std::size_t n, const char* name) {
    return constant<Col, Out>(numbers<T>(n * 3, name), extent<Col>(n), extent<Out>(3));
  };
  check_views<T>([&](auto v) { return contract<Col>(v, other(v.extents[2], "w")); });
  check_views<T>([&](auto v) { return contract<Col>(other(v.extents[2], "w"), v); });
  check_views<T>(
      [](auto v) { return contract<Mid>(v, constant<Mid>(numbers<T>(v.extents[1], "w"), extent<Mid>(v.extents[1]))); });
  check_views<T>([](auto v) { return contract<Row, Mid>(v, v); });
  check_views<T>([](auto v) { return contract<Row>(v, rename<Col, Target>(v)); });
}

TEMPLATE_TEST_CASE("a row gives the same bits alone and in a batch", "", float, double) {
  using T = TestType;
  Tape tape;
  const auto w = variable<In, Out>(numbers<T>(37 * 33, "w"), extent<In>(37), extent<Out>(33));
  const auto x = variable<Batch, In>(numbers<T>(29 * 37, "x"), extent<Batch>(29), extent<In>(37));
  const Var together = contract<In>(x, w);
  for (std::size_t b = 0; b < 29; ++b) {
    const Var alone = contract<In>(at<Batch>(x, b), w);
    REQUIRE(same_bits(alone.values(), at<Batch>(together, b).values()));
  }
}

TEMPLATE_TEST_CASE("a product of nothing is 0, and a NaN is not hidden by a 0", "", float, double) {
  using T = TestType;
  Tape tape;
  const auto x = variable<Two, In>(std::vector<T>{}, extent<In>(0));
  const auto w = variable<In, Three>(std::vector<T>{}, extent<In>(0));
  const Parameter<T, Three> bias;
  CHECK(Var(contract<In>(x, w)).values() == std::vector<T>(6));
  const Var y = contract<In>(x, w) + bias;
  CHECK(y.values() == std::vector<T>(6));
  backward(y, filled<T, Two, Three>(T(1)));
  CHECK(std::vector<T>(bias.gradients().begin(), bias.gradients().end()) == std::vector<T>{2, 2, 2});
  const auto zeros = filled<T, Two>(T(0));
  CHECK(std::isnan(Var(contract<Two>(zeros, constant<Two>({not_a_number<T>, T(1)}))).item()));
}

TEMPLATE_TEST_CASE("products without rows have no gradients to give", "", float, double) {
  using T = TestType;
  Tape tape;
  Parameter<T, Two, Three> w;
  const auto x = variable<Batch, Two>(std::vector<T>{}, extent<Batch>(0));
  const Var y = contract<Two>(x, w);
  CHECK(y.size() == 0);
  backward(y, filled<T, Batch, Three>(T(1), extent<Batch>(0)));
  for (const T g : w.gradients()) CHECK(g == 0);
}

TEST_CASE("sums of products and biases are one statement") {
  Tape tape;
  Parameter<double, In, Out> w(extent<In>(2), extent<Out>(3));
  Parameter<double, Two, Out> v(extent<Out>(3));
  Parameter<double, Out> b(extent<Out>(3));
  for (std::size_t i = 0; double& e : w.edit()) e = static_cast<double>(++i);
  for (std::size_t i = 0; double& e : v.edit()) e = static_cast<double>(10 * ++i);
  for (std::size_t i = 0; double& e : b.edit()) e = static_cast<double>(100 * ++i);
  const auto x = variable<Batch, In>({1., 2., 3., 4.}, extent<Batch>(2), extent<In>(2));
  const auto h = variable<Batch, Two>({1., 0., 0., 1.}, extent<Batch>(2));
  const std::vector expected{9. + 10 + 100,  12. + 20 + 200, 15. + 30 + 300,
                             19. + 40 + 100, 26. + 50 + 200, 33. + 60 + 300};
  const std::size_t before = tape.size();
  const Var y = contract<In>(x, w) + contract<Two>(h, v) + b;
  CHECK(tape.size() == before + 1);
  CHECK(y.values() == expected);
  CHECK(Var(b + contract<In>(x, w) + contract<Two>(h, v)).values() == expected);
  CHECK(Var(contract<In>(x, w) + (b + contract<Two>(h, v))).values() == expected);
  CHECK(Var(contract<In>(x, w) + contract<Two>(h, v) + b * 1.0).values() == expected);
  CHECK(Var(contract<In>(x, w) + b + contract<Two>(h, v) + b).values()[0] == expected[0] + 100);
  CHECK(Var((contract<In>(x, w) + contract<Two>(h, v)) * 2).values()[0] == 2 * (expected[0] - 100));
  CHECK(Var(tanh(contract<In>(x, w))).values()[0] == std::tanh(9.));
  CHECK(Var(contract<In>(contract<Out>(b, w), w)).values()[0] == (100. + 400 + 900) * 1 + (400. + 1000 + 1800) * 4);
}

TEST_CASE("the gradient of a sum of products") {
  const auto b = extent<Batch>(3);
  const auto i = extent<In>(2);
  const auto o = extent<Out>(5);
  check_gradient(
      [](auto x, auto w, auto h, auto v) { return contract<In>(x, w) + contract<Two>(h, v) + contract<In>(x, w); },
      operand<Batch, In>("x", b, i), operand<In, Out>("w", i, o), operand<Batch, Two>("h", b),
      operand<Two, Out>("v", o));
  check_gradient([](auto x, auto w, auto u, auto s) { return tanh(contract<In>(x, w) + u) * s; },
                 operand<Batch, In>("x", b, i), operand<In, Out>("w", i, o), operand<Batch, Out>("u", b, o),
                 operand<>("s"));
}

TEST_CASE("extents that differ at run time are refused in products") {
  Tape tape;
  const auto x = variable<Batch, In>(numbers<double>(6, "x"), extent<Batch>(2), extent<In>(3));
  const auto w = variable<In, Out>(numbers<double>(8, "w"), extent<In>(4), extent<Out>(2));
  CHECK(says(error_text([&] { contract<In>(x, w); }), {"contract", "axis In", "3 long", "4"}));
  const Parameter<double, Out> bias(extent<Out>(3));
  const auto v = variable<In, Out>(numbers<double>(6, "w"), extent<In>(3), extent<Out>(2));
  CHECK(says(error_text([&] { contract<In>(x, v) + bias; }), {"addition", "axis Out", "2", "3"}));
  const auto u = variable<In, Out>(numbers<double>(9, "w"), extent<In>(3), extent<Out>(3));
  CHECK(says(error_text([&] { contract<In>(x, v) + contract<In>(x, u); }), {"addition", "axis Out", "2", "3"}));
}
