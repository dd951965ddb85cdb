#include "autodiff/gather.hpp"

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>

#include "tests/error_text.hpp"
#include "tests/strided_views.hpp"

using namespace hindsight;

namespace {

struct Vocabulary : Axis<> {};
struct Time : Axis<> {};
struct Batch : Axis<> {};
struct Emb : Axis<2> {};
struct Three : Axis<3> {};
using Ids = std::vector<std::int32_t>;

template <class T>
std::vector<T> gradient_of(const Parameter<T, Vocabulary, Emb>& table) {
  return {table.gradients().begin(), table.gradients().end()};
}

}  // namespace

TEMPLATE_TEST_CASE("gradients of an id that is met again add up", "", float, double) {
  using T = TestType;
  Tape tape;
  Parameter<T, Vocabulary, Emb> table(extent<Vocabulary>(3));
  for (std::size_t i = 0; T& x : table.edit()) x = static_cast<T>(i++);
  const Var<T, Batch, Emb> y = gather<Vocabulary, Batch>(table, Ids{2, 0, 2, 2}, extent<Batch>(4));
  CHECK(y.values() == std::vector<T>{4, 5, 0, 1, 4, 5, 4, 5});
  backward(y, constant<Batch, Emb>({T(1), T(10), T(2), T(20), T(3), T(30), T(4), T(40)}, extent<Batch>(4)));
  CHECK(gradient_of(table) == std::vector<T>{2, 20, 0, 0, 8, 80});
}

TEMPLATE_TEST_CASE("ids over several axes, and of none", "", float, double) {
  using T = TestType;
  Tape tape;
  const auto table = variable<Vocabulary, Emb>({T(0), T(1), T(2), T(3), T(4), T(5)}, extent<Vocabulary>(3));
  const Var<T, Time, Three, Emb> y = gather<Vocabulary, Time, Three>(table, Ids{0, 1, 2, 2, 1, 0}, extent<Time>(2));
  CHECK(y.values() == std::vector<T>{0, 1, 2, 3, 4, 5, 4, 5, 2, 3, 0, 1});
  CHECK(gather<Vocabulary, Batch>(table, Ids{}, extent<Batch>(0)).size() == 0);
  CHECK(gather<Vocabulary>(table, Ids{1}).values() == std::vector<T>{2, 3});
}

TEST_CASE("10000 ids over 3 rows are added in their order") {
  Tape tape;
  constexpr std::size_t n = 10000;
  Ids ids(n);
  for (std::size_t i = 0; i < n; ++i) ids[i] = static_cast<std::int32_t>(Random{1}.below(3, i));
  const auto table = variable<Vocabulary, Emb>(numbers<float>(6, "table"), extent<Vocabulary>(3));
  const Var y = gather<Vocabulary, Batch>(table, ids, extent<Batch>(n));
  const std::vector<float> dy = weights_like(y).values();
  backward(y, weights_like(y));
  std::vector<float> expected(6);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t c = 0; c < 2; ++c) expected[2 * static_cast<std::size_t>(ids[i]) + c] += dy[2 * i + c];
  CHECK(same_bits(table.gradients(), expected));
}

TEST_CASE("the padding row gets exactly no gradient, however many ids name it") {
  for (std::size_t n = 1; n <= 2000; n += n < 40 ? 1 : 97) {
    Tape tape;
    const auto table = variable<Vocabulary, Emb>(numbers<double>(6, "table"), extent<Vocabulary>(3));
    Ids ids(n, 1);
    ids.push_back(2);
    const Var y = gather<Vocabulary, Batch>(table, ids, 1, extent<Batch>(n + 1));
    backward(y, filled<double, Batch, Emb>(1.0, extent<Batch>(n + 1)));
    REQUIRE(table.gradients() == std::vector{0., 0., 0., 0., 1., 1.});
  }
}

TEST_CASE("the gradient of a gather, from a table and from a view of one") {
  const Ids ids{4, 1, 1, 0, 4};
  check_gradient([&](auto table) { return tanh(gather<Vocabulary, Batch>(table, ids, extent<Batch>(5))); },
                 operand<Vocabulary, Three>("table", extent<Vocabulary>(5)));
  check_gradient(
      [&](auto table) { return gather<Vocabulary, Batch>(transpose<Vocabulary, Three>(table), ids, extent<Batch>(5)); },
      operand<Three, Vocabulary>("table", extent<Vocabulary>(5)));
  check_gradient(
      [&](auto table) { return gather<Vocabulary, Batch>(slice<Vocabulary>(table, 1, 10, 2), ids, extent<Batch>(5)); },
      operand<Vocabulary, Three>("table", extent<Vocabulary>(10)));
}

TEST_CASE("an id outside the table, and a wrong number of ids, are refused") {
  Tape tape;
  Parameter<double, Vocabulary, Emb> table(extent<Vocabulary>(3));
  const auto gathered = [&](Ids ids, std::size_t n) {
    return error_text([&] { gather<Vocabulary, Batch>(table, ids, extent<Batch>(n)); });
  };
  CHECK(says(gathered({0, 3, 1}, 3), {"id 3", "position 1", "3"}));
  CHECK(says(gathered({0, 1, -1}, 3), {"id -1", "position 2"}));
  CHECK(says(gathered({0, 1}, 3), {"gather", "2 ids", "3", "Batch"}));
  CHECK(says(gathered({}, 3), {"gather", "0 ids"}));
  CHECK(gathered({0, 2, 1}, 3).empty());
}
