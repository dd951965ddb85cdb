// Every way in which a view can lie in memory, for the tests of the operations that read and write
// through strides.
//
// A Row x Mid x Col view is taken from a tensor whose axes come in any of the six orders, and along
// each axis it has the whole axis, a slice of it, or every second position: 162 layouts, among them
// gates, transposed matrices and their like. What an operation makes of a view must be what it makes
// of the same numbers lying in a row.
#pragma once

#include <array>
#include <catch2/catch_test_macros.hpp>

#include "autodiff/backward.hpp"
#include "autodiff/views.hpp"
#include "tests/finite_difference.hpp"

namespace hindsight {

struct Row : Axis<> {};
struct Mid : Axis<> {};
struct Col : Axis<> {};

namespace detail {

enum class Taken { whole, slice, every_second };

/// How long an axis must be to take `extent` positions from it.
inline std::size_t length_of(Taken taken, std::size_t extent) {
  return taken == Taken::whole ? extent : taken == Taken::slice ? extent + 2 : 2 * extent + 1;
}

template <IsAxis A, class V>
V taken_along(Taken taken, std::size_t extent, const V& v) {
  return taken == Taken::whole   ? v
         : taken == Taken::slice ? slice<A>(v, 1, 1 + extent)
                                 : slice<A>(v, 1, 1 + 2 * extent, 2);
}

template <class T, IsAxis A, IsAxis B, IsAxis C, class F>
void views_in_order(const Extents<3>& extents, F f) {
  using All = Axes<Row, Mid, Col>;
  const std::size_t a = extents[index_in<A, All>], b = extents[index_in<B, All>], c = extents[index_in<C, All>];
  for (const Taken along_a : {Taken::whole, Taken::slice, Taken::every_second})
    for (const Taken along_b : {Taken::whole, Taken::slice, Taken::every_second})
      for (const Taken along_c : {Taken::whole, Taken::slice, Taken::every_second}) {
        INFO("order " << shape_name(Axes<A, B, C>{}) << ", taken " << static_cast<int>(along_a)
                      << static_cast<int>(along_b) << static_cast<int>(along_c) << ", extents " << a << " x " << b
                      << " x " << c);
        Tape tape;
        const Extents<3> whole{length_of(along_a, a), length_of(along_b, b), length_of(along_c, c)};
        const auto base = variable<A, B, C>(numbers<T>(count(whole), "base"), extent<A>(whole[0]), extent<B>(whole[1]),
                                            extent<C>(whole[2]));
        const auto view = taken_along<A>(along_a, a, taken_along<B>(along_b, b, taken_along<C>(along_c, c, base)));
        f(base, transpose<Row, Mid, Col>(view));
      }
}

}  // namespace detail

/// Calls f(base, view) for the 162 layouts of a Row x Mid x Col view; `base` is what it is taken from.
template <class T, class F>
void for_each_view(const Extents<3>& extents, F f) {
  detail::views_in_order<T, Row, Mid, Col>(extents, f);
  detail::views_in_order<T, Row, Col, Mid>(extents, f);
  detail::views_in_order<T, Mid, Row, Col>(extents, f);
  detail::views_in_order<T, Mid, Col, Row>(extents, f);
  detail::views_in_order<T, Col, Row, Mid>(extents, f);
  detail::views_in_order<T, Col, Mid, Row>(extents, f);
}

/// Extents of views: 0, 1, and around the vector width on each axis.
template <class T>
std::vector<Extents<3>> view_extents() {
  const std::size_t width = lanes<T>();
  return {{2, 3, width + 1}, {3, 2, 1}, {1, width, 3}, {2, 1, 2 * width}, {5, 1, 1},
          {1, 1, 1},         {0, 2, 3}, {2, 0, 3},     {2, 3, 0}};
}

/// Checks that f(view) and f(the same numbers in a row) are equal to the last bit, and the gradients
/// but for the order in which shares are added, and that no gradient falls beside the view.
template <class T, class F>
void check_views(F f) {
  for (const Extents<3>& extents : view_extents<T>())
    for_each_view<T>(extents, [&](const auto& base, const auto& view) {
      Var<T, Row, Mid, Col> in_a_row = detail::copied_in<T, Row, Mid, Col>(view.values(), extents);
      detail::give_gradient(in_a_row);
      const Var y = f(view);
      const Var expected = f(in_a_row);
      REQUIRE(y.extents == expected.extents);
      REQUIRE(same_bits(y.values(), expected.values()));
      const auto seed = weights_like(y);
      backward(expected, seed);
      const std::vector<T> gradient = in_a_row.gradients();
      backward(y, seed);
      const std::vector<T> through_view = view.gradients();
      const T tolerance = 64 * std::numeric_limits<T>::epsilon();
      for (std::size_t i = 0; i < gradient.size(); ++i)
        REQUIRE(std::abs(through_view[i] - gradient[i]) <= tolerance * (1 + std::abs(gradient[i])));
      const auto not_zero = [](const std::vector<T>& v) {
        return v.size() - static_cast<std::size_t>(std::count(v.begin(), v.end(), T(0)));
      };
      REQUIRE(not_zero(base.gradients()) == not_zero(gradient));
    });
}

}  // namespace hindsight
