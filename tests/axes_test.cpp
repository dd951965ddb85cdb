#include <catch2/catch_test_macros.hpp>

#include "autodiff/join.hpp"
#include "autodiff/named_axis.hpp"
#include "tests/error_text.hpp"

namespace {

struct Anonymous : hindsight::Axis<2> {};

}  // namespace

namespace elsewhere::inside {

struct Named : hindsight::Axis<> {};

}  // namespace elsewhere::inside

using namespace hindsight;

namespace {

struct Batch : Axis<32> {};
struct Hidden : Axis<128> {};
struct Source : Axis<dynamic> {};
struct Target : Axis<> {};
struct Forget;
struct Input;
using Z = Gates<Hidden, Forget, Input>;
using D = Gates<Source, Forget, Input>;

template <class A, class B>
concept Same = std::same_as<A, B>;

}  // namespace

TEST_CASE("extents of axes and of what is made of them") {
  STATIC_REQUIRE(Batch::extent == 32);
  STATIC_REQUIRE(is_dynamic<Source>);
  STATIC_REQUIRE(is_dynamic<Target>);
  STATIC_REQUIRE_FALSE(is_dynamic<Batch>);
  STATIC_REQUIRE(Z::extent == 256);
  STATIC_REQUIRE(is_dynamic<D>);
  STATIC_REQUIRE(Next<Hidden>::extent == 128);
  STATIC_REQUIRE(is_dynamic<Next<Source>>);
  STATIC_REQUIRE(Concat<Hidden, Batch>::extent == 160);
  STATIC_REQUIRE(is_dynamic<Concat<Hidden, Source>>);
  STATIC_REQUIRE(IsAxis<Z>);
  STATIC_REQUIRE_FALSE(IsAxis<int>);
  STATIC_REQUIRE(is_gates<Z>);
  STATIC_REQUIRE_FALSE(is_gates<Hidden>);
}

TEST_CASE("the algebra of shapes") {
  using Shape = Axes<Source, Batch, Hidden>;
  STATIC_REQUIRE(contains<Batch, Shape>);
  STATIC_REQUIRE_FALSE(contains<Target, Shape>);
  STATIC_REQUIRE_FALSE(contains<Next<Batch>, Shape>);
  STATIC_REQUIRE(is_subset<Axes<Hidden, Source>, Shape>);
  STATIC_REQUIRE(is_subset<Axes<>, Shape>);
  STATIC_REQUIRE_FALSE(is_subset<Axes<Hidden, Target>, Shape>);
  STATIC_REQUIRE(Same<Without<Shape, Axes<Batch, Target>>, Axes<Source, Hidden>>);
  STATIC_REQUIRE(Same<Without<Shape, Shape>, Axes<>>);
  STATIC_REQUIRE(Same<Joined<Axes<Source>, Axes<Hidden, Batch>>, Axes<Source, Hidden, Batch>>);
  STATIC_REQUIRE(Same<Common<Shape, Axes<Hidden, Target, Source>>, Axes<Source, Hidden>>);
  STATIC_REQUIRE(Same<Replaced<Shape, Batch, Target>, Axes<Source, Target, Hidden>>);
  STATIC_REQUIRE(index_in<Hidden, Shape> == 2);
  STATIC_REQUIRE(Shape::rank == 3);
}

TEST_CASE("axes are called by their names, without namespaces") {
  struct Local : Axis<3> {};
  CHECK(axis_name<Batch>() == "Batch");
  CHECK(axis_name<Anonymous>() == "Anonymous");
  CHECK(axis_name<elsewhere::inside::Named>() == "Named");
  CHECK(axis_name<Local>() == "Local");
  CHECK(axis_name<Z>() == "Gates<Hidden, Forget, Input>");
  CHECK(axis_name<Gates<elsewhere::inside::Named, Forget>>() == "Gates<Named, Forget>");
  CHECK(axis_name<Next<Next<Hidden>>>() == "Next<Next<Hidden>>");
  CHECK(axis_name<Concat<Hidden, Anonymous>>() == "Concat<Hidden, Anonymous>");
  CHECK(detail::shape_name(Axes<Source, Batch>{}) == "Source x Batch");
  CHECK(detail::shape_name(Axes<>{}) == "scalar");
}

TEST_CASE("a place on an axis is told by the gate it lies in") {
  const auto axes = named_axes(detail::shape_name(Axes<Hidden, Z>{}), {128, 256});
  CHECK(axes[0].position(3) == "Hidden[3]");
  CHECK(axes[1].position(3) == "Forget[3]");
  CHECK(axes[1].position(130) == "Input[2]");
  CHECK(axes[1].gates == std::vector<std::string>{"Forget", "Input"});
  CHECK(axes[1].each == "Hidden");
  CHECK(position(axes, 2 * 256 + 130) == "Hidden[2] Input[2]");
  CHECK(named_axes(detail::shape_name(Axes<D>{}), {8})[0].position(4) == "Input[0]");
  CHECK(position({}, 0) == "scalar");
}

TEST_CASE("static extents come from the types, dynamic ones from the arguments, in any order") {
  const auto extents = detail::extents_of(Axes<Source, Batch, Target>{}, extent<Target>(7), extent<Source>(0));
  CHECK(extents == Extents<3>{0, 32, 7});
  CHECK(detail::extents_of(Axes<Batch>{}, extent<Batch>(32)) == Extents<1>{32});
  CHECK(says(error_text([] { detail::extents_of(Axes<Source, Batch>{}); }), {"Source", "not given"}));
  CHECK(says(error_text([] { detail::extents_of(Axes<Batch>{}, extent<Batch>(31)); }), {"Batch", "32", "31"}));
  CHECK(detail::row_major(Extents<3>{2, 3, 4}) == Extents<3>{12, 4, 1});
  CHECK(detail::count(Extents<3>{2, 3, 4}) == 24);
  CHECK(detail::count(Extents<0>{}) == 1);
}

TEST_CASE("a tensor is made of as many values as its axes ask for") {
  Tape tape;
  const auto x = variable<Source, Anonymous>({1., 2., 3., 4., 5., 6.}, extent<Source>(3));
  CHECK(x.extent<Source>() == 3);
  CHECK(x.extent<Anonymous>() == 2);
  CHECK(x.size() == 6);
  CHECK(x.at(2, 0) == 5);
  CHECK(says(error_text([&] { x.at(0, 2); }), {"index 2", "2 long"}));
  CHECK(says(error_text([&] { x.at(-1, 0); }), {"index", "3 long"}));
  CHECK(says(error_text([] { variable<Anonymous>({1., 2., 3.}); }), {"3 values", "2", "Anonymous"}));
  CHECK(says(error_text([] { constant<Source>(std::vector{1.f}, extent<Source>(2)); }), {"1 values", "2", "Source"}));
  CHECK(variable(2.5f).item() == 2.5f);
  CHECK(filled<double, Anonymous>(4.0).values() == std::vector{4., 4.});
}
