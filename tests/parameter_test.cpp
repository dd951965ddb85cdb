// A parameter outside the tape: edits, packed copies, several uses in one pass, copies.

#include "autodiff/parameter.hpp"

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>

#include "autodiff/backward.hpp"
#include "autodiff/gather.hpp"
#include "autodiff/initialise.hpp"
#include "autodiff/join.hpp"
#include "autodiff/reductions.hpp"
#include "autodiff/views.hpp"
#include "tests/error_text.hpp"

using namespace hindsight;

namespace {

struct Batch : Axis<2> {};
struct In : Axis<2> {};
struct Out : Axis<2> {};
struct Wide : Axis<19> {};
struct Wider : Axis<37> {};
struct Any : Axis<dynamic> {};
struct Vocab : Axis<3> {};
struct Emb : Axis<2> {};
struct Hidden : Axis<1> {};
struct Far : Axis<2> {};
struct Keep;
struct Write;

template <class P>
void set(P& p, std::initializer_list<typename P::Scalar> values) {
  auto edit = p.edit();
  REQUIRE(values.size() == edit.size());
  std::copy(values.begin(), values.end(), edit.begin());
}

template <class P>
std::vector<double> gradients_of(const P& p) {
  return {p.gradients().begin(), p.gradients().end()};
}

using Matrix = Parameter<double, In, Out>;

/// [[1, 2], [3, -1]]: columns sum to 4 and 1.
auto input() { return constant<Batch, In>({1.0, 2.0, 3.0, -1.0}); }

}  // namespace

TEMPLATE_TEST_CASE("a product sees every edit, also one under way", "", float, double) {
  using T = TestType;
  Parameter<T, Wide, Wider> w;
  const std::vector<T> ones(2 * 19, 1);
  const auto forward_and_back = [&](T expected) {
    Tape tape;
    const auto x = variable<Batch, Wide>(ones);
    Var y = contract<Wide>(x, w);
    Var loss = sum(y);
    backward(loss);
    CHECK(y.values() == std::vector<T>(2 * 37, 19 * expected));
    CHECK(x.gradients() == std::vector<T>(2 * 19, 37 * expected));
  };
  initialise_constant(w, 1);
  forward_and_back(1);
  forward_and_back(1);
  initialise_constant(w, 2);
  forward_and_back(2);
  {
    auto edit = w.edit();
    std::fill(edit.begin(), edit.end(), T(3));
    forward_and_back(3);
    std::fill(edit.begin(), edit.end(), T(4));
    forward_and_back(4);
    {
      auto second = w.edit();
      std::fill(second.begin(), second.end(), T(5));
    }
    forward_and_back(5);
    std::fill(edit.begin(), edit.end(), T(6));
  }
  forward_and_back(6);
}

TEST_CASE("a parameter in a product and elementwise") {
  Matrix w;
  set(w, {1, 2, 3, 4});
  Tape tape;
  Var loss = sum(contract<In>(input(), w)) + sum(square(w));
  backward(loss);
  CHECK(gradients_of(w) == std::vector<double>{4 + 2, 4 + 4, 1 + 6, 1 + 8});
}

TEST_CASE("a parameter used as it is and transposed") {
  Matrix w;
  set(w, {1, 2, 3, 4});
  Tape tape;
  Var straight = contract<In>(input(), w);
  Var back = contract<Out>(constant<Batch, Out>({1.0, 0.0, 2.0, 5.0}), w);
  CHECK(straight.values() == std::vector<double>{7, 10, 0, 2});
  CHECK(back.values() == std::vector<double>{1, 3, 12, 26});
  Var loss = sum(straight) + sum(back);
  backward(loss);
  CHECK(gradients_of(w) == std::vector<double>{4 + 3, 4 + 5, 1 + 3, 1 + 5});
}

TEST_CASE("a tied table: rows looked up and, transposed, scores of all rows") {
  Parameter<double, Vocab, Emb> table;
  set(table, {1, 2, 3, 4, 5, 6});
  Tape tape;
  const std::vector<std::int32_t> ids{0, 2};
  Var scores = contract<Emb>(gather<Vocab, Batch>(table, std::span(ids)), table);
  CHECK(scores.values() == std::vector<double>{5, 11, 17, 17, 39, 61});
  Var loss = sum(scores * constant<Batch, Vocab>({1.0, 2.0, 3.0, 4.0, 5.0, 6.0}));
  backward(loss);
  // As scores: (21, 26), (27, 34), (33, 42). As rows: (22, 28), 0, (49, 64).
  CHECK(gradients_of(table) == std::vector<double>{43, 54, 27, 34, 82, 106});
}

TEST_CASE("a parameter seen as one matrix and as another in one pass") {
  Parameter<double, In, Out, Emb> w;
  Tape tape;
  const auto pairs = constant<Batch, In, Out>({1.0, 2.0, 3.0, 4.0, 10.0, 20.0, 30.0, 40.0});
  Var loss = sum(contract<In>(input(), w)) + sum(contract<In, Out>(pairs, w));
  backward(loss);
  CHECK(gradients_of(w) == std::vector<double>{4 + 11, 4 + 11, 4 + 22, 4 + 22, 1 + 33, 1 + 33, 1 + 44, 1 + 44});
}

TEST_CASE("a gate that is never used") {
  using Block = Gates<Hidden, Keep, Write>;
  Parameter<double, In, Block> w;
  Bias<Block, double> b;
  set(w, {1, 2, 3, 4});
  Tape tape;
  Var z = contract<In>(input(), w) + b;
  Var loss = sum(gate<Write>(z) * gate<Write>(z));  // z = 10, 2
  CHECK(loss.item() == 104);
  backward(loss);
  CHECK(gradients_of(w) == std::vector<double>{0, 32, 0, 36});  // 2 z x: 20 + 12, 40 - 4
  CHECK(gradients_of(b) == std::vector<double>{0, 24});
}

TEST_CASE("what a pass does not reach keeps its gradient") {
  Matrix used, unused;
  std::fill_n(used.gradients().begin(), 4, 7);
  std::fill_n(unused.gradients().begin(), 4, 7);
  Tape tape;
  [[maybe_unused]] Var beside = contract<In>(input(), unused);
  Var loss = sum(contract<In>(input(), used));
  backward(loss);
  CHECK(gradients_of(unused) == std::vector<double>(4, 7));
  CHECK(gradients_of(used) == std::vector<double>{11, 11, 8, 8});
}

TEST_CASE("a copy has the values and not the gradients, and lives on its own") {
  Matrix w;
  set(w, {1, 2, 3, 4});
  std::fill_n(w.gradients().begin(), 4, 7);
  Matrix copy = w, assigned;
  assigned = w;
  for (const Matrix* other : {&copy, &assigned}) {
    CHECK(std::vector(other->values().begin(), other->values().end()) == std::vector<double>{1, 2, 3, 4});
    CHECK(gradients_of(*other) == std::vector<double>(4, 0));
  }
  Tape tape;
  Var before = contract<In>(input(), copy);
  set(copy, {0, 0, 0, 1});
  Var after = contract<In>(input(), copy);
  CHECK(before.values() == std::vector<double>{7, 10, 0, 2});
  CHECK(after.values() == std::vector<double>{0, 2, 0, -1});
  Var original = contract<In>(input(), w);
  CHECK(original.values() == std::vector<double>{7, 10, 0, 2});
  Var loss = sum(after);
  backward(loss);
  CHECK(gradients_of(copy) == std::vector<double>{4, 4, 1, 1});
  CHECK(gradients_of(w) == std::vector<double>(4, 7));
}

TEST_CASE("a parameter edited between forward and backward is refused, and not one edited after") {
  const auto refused = [](auto forward) {
    Matrix w;
    set(w, {1, 2, 3, 4});
    Tape tape;
    Var loss = sum(forward(w));
    set(w, {5, 6, 7, 8});
    return says(error_text<TapeError>([&] { backward(loss); }), {"edited", "forward"});
  };
  CHECK(refused([](auto& w) { return contract<In>(variable<Batch, In>({1.0, 2.0, 3.0, -1.0}), w); }));
  CHECK(refused([](auto& w) { return contract<In>(variable<Batch, In>({1.0, 2.0, 3.0, -1.0}), detach(w.var())); }));
  CHECK(refused([](auto& w) { return contract<In>(w, variable<In, Batch>({1.0, 2.0, 3.0, -1.0})); }));
  CHECK(refused([](auto& w) { return contract<In>(input(), rename<Out, Far>(w)); }));
  CHECK(refused([](auto& w) { return square(w); }));
  CHECK(refused([](auto& w) { return at<In>(w, 1) * variable<Out>({1.0, 2.0}); }));
  CHECK(refused([](auto& w) { return at<Out>(w, 1) * variable<In>({1.0, 2.0}); }));  // its rows are copied
  CHECK(refused([](auto& w) { return softmax<Out>(w); }));
  CHECK(refused([](auto& w) { return stack<Any>(std::vector{w.var(), w.var()}); }));
  Bias<Out, double> b;
  CHECK(refused([&](auto& w) {
    Var y = contract<In>(input(), w) + b;
    b.edit();
    return y;
  }));

  // What an optimizer does, several tapes, a statement that the pass does not reach, and a second forward.
  Matrix w;
  Tape outer;
  Var not_reached = sum(square(w));
  for (double step = 1; step < 4; ++step) {
    set(w, {step, step, step, step});
    Tape tape;
    for (int times = 0; times < 2; ++times) {
      tape.reset();
      w.clear_gradients();
      backward(sum(square(w)));
      CHECK(gradients_of(w) == std::vector<double>(4, 2 * step));
      w.edit();
    }
  }
  w.clear_gradients();
  backward(sum(square(w)));
  CHECK(gradients_of(w) == std::vector<double>(4, 6));
  CHECK_THROWS_AS(backward(not_reached, constant<>({1.0})), TapeError);
}

TEST_CASE("assigning a parameter leaves handles and recordings whole") {
  Matrix w, other;
  set(w, {1, 2, 3, 4});
  set(other, {5, 6, 7, 8});
  Tape tape;
  const auto handle = w.var();
  Var loss = sum(square(w));
  std::fill_n(w.gradients().begin(), 4, 7);
  w = other;
  CHECK(handle.values() == std::vector<double>{5, 6, 7, 8});
  CHECK(gradients_of(w) == std::vector<double>(4, 0));
  CHECK(says(error_text<TapeError>([&] { backward(loss); }), {"edited"}));
  Var product = contract<In>(input(), w);
  CHECK(product.values() == std::vector<double>{19, 22, 8, 10});
  w = *&w;
  CHECK(handle.values() == std::vector<double>{5, 6, 7, 8});

  Parameter<double, Any> longer(extent<Any>(3)), shorter(extent<Any>(2));
  longer.edit()[2] = 1;
  shorter = longer;  // another length needs other memory
  CHECK(std::vector(shorter.values().begin(), shorter.values().end()) == std::vector<double>{0, 0, 1});
}

TEST_CASE("parameters of no elements and of one") {
  Parameter<float, Any> none(extent<Any>(0));
  CHECK(none.size() == 0);
  CHECK(none.edit().size() == 0);
  none.clear_gradients();
  const Parameter<float> one;
  CHECK(one.size() == 1);
  CHECK(one.values()[0] == 0);
}
