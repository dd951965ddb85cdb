// What an optimizer remembers: moments and steps saved and resumed, rows that are frozen, modules
// that do not fit, hyperparameters out of range.

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <map>

#include "autodiff/backward.hpp"
#include "autodiff/gather.hpp"
#include "autodiff/initialise.hpp"
#include "autodiff/optimizers.hpp"
#include "autodiff/reductions.hpp"
#include "tests/kernel_data.hpp"

using namespace hindsight;
using Catch::Matchers::ContainsSubstring;

namespace {

struct Vocab : Axis<5> {};
struct Emb : Axis<3> {};
struct Any : Axis<dynamic> {};
struct Ids : Axis<dynamic> {};

template <class T>
struct Model {
  using Table = Parameter<T, Vocab, Emb>;
  using Offset = Bias<Emb, T>;
  BOOST_HANA_DEFINE_STRUCT(Model, (Table, table), (Offset, bias));
};

/// Gradients as they come in step t.
template <class T>
void set_gradients(Model<T>& m, std::size_t t) {
  const auto g = numbers<T>(18, "gradients " + std::to_string(t));
  std::copy_n(g.begin(), 15, m.table.gradients().begin());
  std::copy_n(g.begin() + 15, 3, m.bias.gradients().begin());
}

template <class T>
Model<T> begun() {
  Model<T> m;
  initialise_uniform(m.table, 1, Random{3});
  initialise_uniform(m.bias, 1, Random{4});
  return m;
}

template <class T, class Optimizer>
void steps(Model<T>& m, Optimizer& optimizer, std::size_t from, std::size_t to) {
  for (std::size_t t = from; t < to; ++t) {
    set_gradients(m, t);
    optimizer.step(m);
  }
}

template <class P>
auto values_of(const P& p) {
  return std::vector(p.values().begin(), p.values().end());
}
template <class T>
std::vector<T> row(const Model<T>& m, std::size_t r) {
  const auto values = m.table.values().subspan(3 * r, 3);
  return {values.begin(), values.end()};
}

/// The four optimizers with every term of their equations at work.
template <class Optimizer>
Optimizer with_everything() {
  Optimizer optimizer;
  optimizer.weight_decay = 0.01;
  if constexpr (requires { optimizer.momentum; }) optimizer.momentum = 0.9;
  return optimizer;
}

}  // namespace

TEMPLATE_TEST_CASE("a resumed optimizer goes on bit for bit", "", Sgd, RmsProp, Adam, AdamW) {
  auto model = begun<float>();
  auto optimizer = with_everything<TestType>();
  steps(model, optimizer, 0, 5);

  std::map<std::string, std::vector<float>> saved;
  optimizer.for_each_state(model, [&](const Path& path, std::span<float> s) {
    saved[path.text()].assign(s.begin(), s.end());
  });
  const std::uint64_t saved_steps = optimizer.steps;
  Model<float> saved_model = model;
  steps(model, optimizer, 5, 10);

  auto resumed = with_everything<TestType>();
  resumed.for_each_state(saved_model, [&](const Path& path, std::span<float> s) {
    REQUIRE(saved.at(path.text()).size() == s.size());
    std::copy(saved.at(path.text()).begin(), saved.at(path.text()).end(), s.begin());
  });
  resumed.steps = saved_steps;
  steps(saved_model, resumed, 5, 10);
  CHECK(same_bits(values_of(saved_model.table), values_of(model.table)));
  CHECK(same_bits(values_of(saved_model.bias), values_of(model.bias)));
}

TEST_CASE("moments are named after their parameters and begin at zero") {
  auto model = begun<double>();
  Adam adam;
  std::vector<std::string> names;
  adam.for_each_state(model, [&](const Path& path, std::span<double> s) {
    names.push_back(path.text());
    CHECK(std::vector(s.begin(), s.end()) == std::vector<double>(s.size()));
  });
  CHECK(names == std::vector<std::string>{"table.m", "table.v", "bias.m", "bias.v"});
  CHECK(adam.steps == 0);
}

TEST_CASE("moments follow the place in the module, not the address") {
  auto model = begun<double>(), other = model;
  Adam adam, other_adam;
  steps(model, adam, 0, 3);
  steps(other, other_adam, 0, 3);
  const Model<double> copy = other;
  other = copy;
  Model<double> moved = std::move(other);
  steps(model, adam, 3, 6);
  steps(moved, other_adam, 3, 6);
  CHECK(same_bits(values_of(moved.table), values_of(model.table)));
}

TEMPLATE_TEST_CASE("a frozen row keeps its bits, the others do not notice", "", Sgd, RmsProp, Adam, AdamW) {
  for (const std::size_t frozen : {0, 2, 4}) {
    auto model = begun<float>();
    auto optimizer = with_everything<TestType>();
    steps(model, optimizer, 0, 10);  // momentum from before the row became padding
    Model<float> free = model;
    auto free_optimizer = optimizer;
    model.table.freeze_row(frozen);
    const auto before = row(model, frozen);
    steps(model, optimizer, 10, 110);
    steps(free, free_optimizer, 10, 110);
    for (std::size_t r = 0; r < 5; ++r)
      CHECK(same_bits(row(model, r), r == frozen ? before : row(free, r)));
    CHECK(row(free, frozen) != before);

    Model<float> copy = model;
    steps(copy, optimizer, 110, 111);
    for (std::size_t r = 0; r < 5; ++r) CHECK((row(copy, r) == row(model, r)) == (r == frozen));
    copy.table.thaw();
    steps(copy, optimizer, 111, 112);
    CHECK(row(copy, frozen) != before);
  }
}

TEST_CASE("a padding row stays as it is while it is looked up") {
  Model<double> model = begun<double>();
  Adam adam({.rate = 0.1, .weight_decay = 0.01});
  Tape tape;
  const auto step = [&] {
    tape.reset();
    const std::vector<std::int32_t> ids{1, 0, 1, 3};
    Var loss = sum(square(gather<Vocab, Ids>(model.table, std::span(ids), 1, extent<Ids>(4))));
    backward(loss);
    adam.step(model);
    clear_gradients(model);
  };
  model.table.gradients()[3] = 5;  // momentum from before
  adam.step(model);
  clear_gradients(model);
  model.table.freeze_row(1);
  const auto padding = row(model, 1), other = row(model, 0);
  for (int i = 0; i < 100; ++i) step();
  CHECK(same_bits(row(model, 1), padding));
  CHECK(row(model, 0) != other);
}

TEST_CASE("freeze_row refuses a row that is not there") {
  Model<float> model;
  CHECK_THROWS_WITH(model.table.freeze_row(5), ContainsSubstring("row 5") && ContainsSubstring("5 rows"));
}

TEST_CASE("a row that is met twice in one batch counts one step") {
  Model<double> model;
  Sgd sgd({.rate = 0.5, .momentum = 0.5});
  for (int i = 0; i < 2; ++i) {
    Tape tape;
    const std::vector<std::int32_t> ids{2, 2};
    Var loss = sum(gather<Vocab, Ids>(model.table, std::span(ids), extent<Ids>(2)));
    backward(loss);
    sgd.step(model);
    clear_gradients(model);
  }
  CHECK(row(model, 2) == std::vector<double>(3, -0.5 * (2 + 3)));  // v = 2, then 0.5 * 2 + 2
  CHECK(row(model, 1) == std::vector<double>(3, 0));
}

TEST_CASE("a module that is not the one of the steps before is refused, unchanged") {
  const auto refused = [](Adam& adam, auto& module, const char* name) {
    std::vector<std::vector<double>> before, after;
    const auto read = [&](auto& into) {
      for_each_parameter(module, [&](const Path&, auto& p) { into.emplace_back(p.values().begin(), p.values().end()); });
    };
    read(before);
    const auto steps_before = adam.steps;
    CHECK_THROWS_WITH(adam.step(module), ContainsSubstring("Adam") && ContainsSubstring(name));
    read(after);
    CHECK(before == after);
    CHECK(adam.steps == steps_before);
  };
  Parameter<double, Any> a(extent<Any>(3)), b(extent<Any>(4)), c(extent<Any>(5));
  Parameter<float, Any> narrow(extent<Any>(4));
  for (double& g : a.gradients()) g = 1;
  auto module = std::tie(a, b);
  Adam adam;
  adam.step(module);

  auto other_size = std::tie(a, c);
  refused(adam, other_size, "'1'");
  auto other_scalar = std::tie(a, narrow);
  refused(adam, other_scalar, "'1'");
  auto more = std::tie(a, b, c);
  refused(adam, more, "'2'");
  auto fewer = std::tie(a);
  refused(adam, fewer, "1 parameters, 2");
}

TEST_CASE("float and double parameters mix in one module") {
  Parameter<float> narrow;
  Parameter<double> wide;
  narrow.gradients()[0] = 1;
  wide.gradients()[0] = 1;
  auto both = std::tie(narrow, wide);
  Sgd sgd({.rate = 0.5});
  sgd.step(both);
  CHECK(narrow.values()[0] == -0.5f);
  CHECK(wide.values()[0] == -0.5);
}

TEMPLATE_TEST_CASE("hyperparameters out of range are refused", "", Sgd, RmsProp, Adam, AdamW) {
  const auto refused = [](const char* name, auto spoil) {
    auto model = begun<double>();
    set_gradients(model, 0);
    const auto before = values_of(model.table);
    TestType optimizer;
    spoil(optimizer);
    CHECK_THROWS_WITH(optimizer.step(model), ContainsSubstring(name));
    CHECK(optimizer.steps == 0);
    CHECK(same_bits(values_of(model.table), before));
  };
  for (const double bad : {-0.1, inf<double>, not_a_number<double>}) {
    refused("rate is", [&](auto& o) { o.rate = bad; });
    refused("weight_decay is", [&](auto& o) { o.weight_decay = bad; });
    if constexpr (requires(TestType o) { o.epsilon; }) refused("epsilon is", [&](auto& o) { o.epsilon = bad; });
  }
  if constexpr (requires(TestType o) { o.epsilon; }) refused("epsilon is", [&](auto& o) { o.epsilon = 0; });
  for (const double bad : {-0.1, 1.0, not_a_number<double>}) {
    if constexpr (requires(TestType o) { o.momentum; }) refused("momentum is", [&](auto& o) { o.momentum = bad; });
    if constexpr (requires(TestType o) { o.decay; }) refused("decay is", [&](auto& o) { o.decay = bad; });
    if constexpr (requires(TestType o) { o.beta1; }) refused("beta1 is", [&](auto& o) { o.beta1 = bad; });
    if constexpr (requires(TestType o) { o.beta2; }) refused("beta2 is", [&](auto& o) { o.beta2 = bad; });
  }
}
