// Modules: the walk and its paths, counts at compile time, first values.

#include "autodiff/module.hpp"

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>
#include <cmath>
#include <map>

#include "autodiff/initialise.hpp"
#include "tests/kernel_data.hpp"

using namespace hindsight;
using Catch::Matchers::WithinAbs;

namespace {

struct In : Axis<3> {};
struct Out : Axis<5> {};
struct Many : Axis<40> {};
struct More : Axis<60> {};
struct Rows : Axis<dynamic> {};
struct Cols : Axis<dynamic> {};
struct Forget;
struct Input;
struct Output;

struct Layer {
  using Weight = Parameter<double, In, Out>;
  using Offset = Bias<Out, double>;
  BOOST_HANA_DEFINE_STRUCT(Layer, (Weight, weight), (Offset, bias), (double, rate));

  void initialise(const Random& random) {
    initialise_uniform(weight, 1, random.child("weight"));
    initialise_uniform(bias, 1, random.child("bias"));
  }
};

/// The layer's members in another order, and one more.
struct Reordered {
  using Weight = Parameter<double, In, Out>;
  using Offset = Bias<Out, double>;
  using Scale = Parameter<double>;
  BOOST_HANA_DEFINE_STRUCT(Reordered, (Scale, scale), (Offset, bias), (Weight, weight));

  void initialise(const Random& random) {
    initialise_uniform(scale, 1, random.child("scale"));
    initialise_uniform(bias, 1, random.child("bias"));
    initialise_uniform(weight, 1, random.child("weight"));
  }
};

struct Model {
  using Pair = std::array<Layer, 2>;
  using Mixed = std::tuple<Layer, Parameter<double>>;
  BOOST_HANA_DEFINE_STRUCT(Model, (Layer, first), (Pair, layers), (Mixed, mixed));
};

struct Growing {
  using List = std::vector<Layer>;
  BOOST_HANA_DEFINE_STRUCT(Growing, (List, layers), (Layer, last));
};

/// Sets the bias of a layer that has set its own.
struct Outer {
  BOOST_HANA_DEFINE_STRUCT(Outer, (Layer, inner));
  void initialise(const Random&) { initialise_constant(inner.bias, 9); }
};

template <class H>
using Block = Gates<H, Forget, Input, Output>;

static_assert(parameters<Layer> == 3 * 5 + 5);
static_assert(parameters<Model> == 4 * 20 + 1);
static_assert(parameters<Parameter<float>> == 1);
static_assert(parameters<Bias<Block<Out>>> == 15);
static_assert(parameters<std::array<Layer, 0>> == 0);
static_assert(parameters<double> == 0);
static_assert(parameters<std::tuple<>> == 0);

template <class M>
std::vector<std::string> paths(M& module) {
  std::vector<std::string> names;
  for_each_parameter(module, [&](const Path& path, auto&) { names.push_back(path.text()); });
  return names;
}

template <class M>
std::map<std::string, std::vector<double>> values(const M& module) {
  std::map<std::string, std::vector<double>> all;
  for_each_parameter(module, [&](const Path& path, const auto& p) {
    all[path.text()].assign(p.values().begin(), p.values().end());
  });
  return all;
}

/// sum_k W[k, i] W[k, j] of a block of columns (rows x cols at `first`), or of its rows if they are fewer.
template <class P>
double product(const P& p, std::size_t first, std::size_t cols, std::size_t i, std::size_t j) {
  const std::size_t rows = p.extents()[0], stride = p.extents()[1];
  const bool tall = rows >= cols;
  const auto at = [&](std::size_t k, std::size_t v) {
    return double(tall ? p.values()[k * stride + first + v] : p.values()[v * stride + first + k]);
  };
  double sum = 0;
  for (std::size_t k = 0; k < (tall ? rows : cols); ++k) sum += at(k, i) * at(k, j);
  return sum;
}

template <class P>
void check_orthogonal(const P& p, std::size_t first, std::size_t cols, double gain) {
  const std::size_t n = std::min(p.extents()[0], cols);
  const double tolerance = gain * gain * 8 * std::numeric_limits<typename P::Scalar>::epsilon();
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j)
      CHECK_THAT(product(p, first, cols, i, j), WithinAbs(i == j ? gain * gain : 0, tolerance));
}

}  // namespace

TEST_CASE("the walk visits parameters in the order of declaration, with their paths") {
  Model model;
  CHECK(paths(model) == std::vector<std::string>{
                            "first.weight", "first.bias", "layers.0.weight", "layers.0.bias", "layers.1.weight",
                            "layers.1.bias", "mixed.0.weight", "mixed.0.bias", "mixed.1"});
  Growing growing{std::vector<Layer>(2), {}};
  CHECK(paths(growing) == std::vector<std::string>{"layers.0.weight", "layers.0.bias", "layers.1.weight",
                                                   "layers.1.bias", "last.weight", "last.bias"});
  Layer layer;
  CHECK(paths(layer) == std::vector<std::string>{"weight", "bias"});
  CHECK(paths(layer.bias) == std::vector<std::string>{""});
  auto both = std::tie(layer, model.first.bias);
  CHECK(paths(both) == std::vector<std::string>{"0.weight", "0.bias", "1"});
}

TEST_CASE("the walk visits the members themselves, not copies") {
  Model model;
  for_each_parameter(model, [](const Path&, auto& p) { initialise_constant(p, 2); });
  CHECK(model.layers[1].bias.values()[4] == 2);
  CHECK(std::get<1>(model.mixed).values()[0] == 2);
  for_each_parameter(model, [](const Path&, auto& p) { p.gradients()[0] = 3; });
  CHECK(model.first.weight.gradients()[0] == 3);
  clear_gradients(model);
  CHECK(model.first.weight.gradients()[0] == 0);
}

TEST_CASE("a module is visited after its members") {
  Outer outer;
  std::vector<std::string> visited;
  walk(outer, [&](const Path& path, auto& part) {
    if constexpr (IsModule<decltype(part)>) visited.push_back("module " + path.text());
    if constexpr (is_parameter<std::remove_cvref_t<decltype(part)>>) visited.push_back(path.text());
  });
  CHECK(visited == std::vector<std::string>{"inner.weight", "inner.bias", "module inner", "module "});
}

TEST_CASE("counts at run time include dynamic axes") {
  Model model;
  CHECK(parameter_count(model) == parameters<Model>);
  const std::tuple<Parameter<float, Rows, Out>, Layer> mixed{Parameter<float, Rows, Out>(extent<Rows>(7)), {}};
  CHECK(parameter_count(mixed) == 7 * 5 + 20);
}

TEST_CASE("a module is copied with its values and without its gradients") {
  Model model;
  initialise(model, 1);
  for_each_parameter(model, [](const Path&, auto& p) { p.gradients()[0] = 3; });
  Model copy = model;
  CHECK(values(copy) == values(model));
  for_each_parameter(copy, [](const Path&, auto& p) { CHECK(p.gradients()[0] == 0); });
  initialise_constant(copy.first.bias, 5);
  CHECK(values(copy).at("first.bias") != values(model).at("first.bias"));
}

TEST_CASE("the seed and the path decide a value, not the order or the neighbours") {
  Layer layer, again, other;
  Reordered reordered;
  initialise(layer, 1);
  initialise(again, 1);
  initialise(other, 2);
  initialise(reordered, 1);
  CHECK(values(layer) == values(again));
  CHECK(values(layer).at("weight") != values(other).at("weight"));
  CHECK(values(layer).at("bias") != values(other).at("bias"));
  CHECK(values(layer).at("weight") == values(reordered).at("weight"));
  CHECK(values(layer).at("bias") == values(reordered).at("bias"));

  Growing short_list{std::vector<Layer>(1), {}}, long_list{std::vector<Layer>(3), {}};
  initialise(short_list, 1);
  initialise(long_list, 1);
  CHECK(values(short_list).at("last.weight") == values(long_list).at("last.weight"));
  CHECK(values(short_list).at("layers.0.bias") == values(long_list).at("layers.0.bias"));
}

TEST_CASE("no two parameters of a model begin alike") {
  Model model;
  initialise(model, 1);
  const auto all = values(model);
  for (const auto& [a, x] : all)
    for (const auto& [b, y] : all)
      if (a != b) CHECK((x.size() != y.size() || x != y));
}

TEST_CASE("a module may overrule what its members set") {
  Outer outer;
  initialise(outer, 1);
  CHECK(values(outer).at("inner.bias") == std::vector<double>(5, 9));
  CHECK(outer.inner.weight.values()[0] != 0);
}

TEMPLATE_TEST_CASE("Glorot: uniform within sqrt(6 / (in + out))", "", float, double) {
  Parameter<TestType, Many, More> w;
  initialise_glorot(w, Random{1});
  const double limit = std::sqrt(6.0 / (40 + 60));
  double largest = 0, sum = 0, squares = 0;
  for (const double x : w.values()) {
    largest = std::max(largest, std::abs(x));
    sum += x;
    squares += x * x;
  }
  CHECK(largest <= limit);
  CHECK(largest > 0.99 * limit);
  CHECK_THAT(sum / 2400, WithinAbs(0, 4 * std::sqrt(0.02 / 2400)));  // four standard errors
  CHECK_THAT(squares / 2400, WithinAbs(2.0 / (40 + 60), 0.02 * 0.08));
}

TEMPLATE_TEST_CASE("orthogonal: W^T W is the identity times the gain squared", "", float, double) {
  for (const std::size_t rows : {0, 1, 5, 7, 33})
    for (const std::size_t cols : {0, 1, 5, 7, 33}) {
      Parameter<TestType, Rows, Cols> w(extent<Rows>(rows), extent<Cols>(cols));
      initialise_orthogonal(w, 1, Random{1});
      check_orthogonal(w, 0, cols, 1);
      initialise_orthogonal(w, 2.5, Random{1});
      check_orthogonal(w, 0, cols, 2.5);
    }
}

TEST_CASE("every gate gets an orthogonal matrix of its own") {
  Parameter<double, Out, Block<Out>> square;
  initialise_orthogonal(square, 1, Random{1});
  for (std::size_t gate = 0; gate < 3; ++gate) check_orthogonal(square, gate * 5, 5, 1);
  CHECK(square.values()[0] != square.values()[5]);
  CHECK(square.values()[5] != square.values()[10]);
}

TEST_CASE("one gate's bias is set, the others stay") {
  Bias<Block<In>> bias;
  initialise_constant(bias, 0.5);
  initialise_gate<Forget>(bias, 1);
  CHECK(std::vector(bias.values().begin(), bias.values().end()) ==
        std::vector<float>{1, 1, 1, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5});
  initialise_gate<Output>(bias, -2);
  CHECK(std::vector(bias.values().begin(), bias.values().end()) ==
        std::vector<float>{1, 1, 1, 0.5, 0.5, 0.5, -2, -2, -2});
}
