// What a handle may be used for: on its own recording, and while it stands for something.

#include <catch2/catch_test_macros.hpp>
#include <memory>
#include <optional>

#include "autodiff/backward.hpp"
#include "autodiff/join.hpp"
#include "autodiff/reductions.hpp"
#include "tests/error_text.hpp"

using namespace hindsight;

namespace {

struct Batch : Axis<> {};
struct Two : Axis<2> {};

}  // namespace

TEST_CASE("a handle from before a reset is an error in every use, never a number") {
  Tape tape;
  const auto x = variable<Two>({1.0, 2.0});
  const auto c = constant<Two>({1.0, 2.0});
  const Var y = x * 2;
  const auto s = variable(1.0);
  const Var scalar = s * s;
  const auto lazy = x * 3;
  const auto product = contract<Two>(x, x);
  tape.reset();
  const auto now = variable<Two>({1.0, 2.0});
  const auto refused = [](auto f) { return says(error_text<TapeError>(f), {"another recording", "reset"}); };
  CHECK(refused([&] { x.values(); }));
  CHECK(refused([&] { c.values(); }));
  CHECK(refused([&] { x.at(0); }));
  CHECK(refused([&] { x.gradients(); }));
  CHECK(refused([&] { x.gradient_at(0); }));
  CHECK(refused([&] { s.item(); }));
  CHECK(refused([&] { Var<double, Two>(now + x); }));
  CHECK(refused([&] { Var<double, Two>(c * now); }));
  CHECK(refused([&] { Var<double, Two>{lazy}; }));
  CHECK(refused([&] { Var<double>{product}; }));
  CHECK(refused([&] { Var<double, Two>(select(x > 0, now, now)); }));
  CHECK(refused([&] { Var<double>(contract<Two>(now, y)); }));
  CHECK(refused([&] { at<Two>(x, 0); }));
  CHECK(refused([&] { detach(x); }));
  CHECK(refused([&] { sum(x); }));
  CHECK(refused([&] { sum(now, c); }));
  CHECK(refused([&] { softmax<Two>(y); }));
  CHECK(refused([&] { concatenate<Two, Two>(now, x); }));
  CHECK(refused([&] { stack<Batch>(std::vector{now, x}); }));
  CHECK(refused([&] { backward(scalar); }));
  CHECK(refused([&] { backward(y, now); }));
  CHECK(refused([&] { backward(Var(now * 2), x); }));
  CHECK(refused([&] { jacobian(Var(now * 2), x); }));
  CHECK(refused([&] { jacobian(y, now); }));
}

TEST_CASE("a handle that outlives its tape, or belongs to an outer one, is refused") {
  std::optional<Var<double>> escaped;
  {
    Tape tape;
    escaped = variable(1.0);
  }
  CHECK(says(error_text<TapeError>([&] { escaped->item(); }), {"no tape"}));
  CHECK(says(error_text<TapeError>([] { variable(1.0); }), {"no tape"}));
  Tape outer;
  CHECK_THROWS_AS(escaped->item(), TapeError);
  const auto x = variable(3.0);
  const Var y = x * x;
  {
    Tape inner;
    CHECK_THROWS_AS(Var(x * 2), TapeError);
    CHECK_THROWS_AS(x.item(), TapeError);
    CHECK_THROWS_AS(backward(y), TapeError);
    const auto z = variable(5.0);
    backward(Var(z * z));
    CHECK(z.gradient_at() == 10);
  }
  CHECK(y.item() == 9);
  backward(y);
  CHECK(x.gradient_at() == 6);
}

TEST_CASE("tapes that end in another order than they began") {
  auto first = std::make_unique<Tape>();
  auto second = std::make_unique<Tape>();
  const auto x = variable(3.0);
  first.reset();
  backward(Var(x * x));
  CHECK(x.gradient_at() == 6);
  second.reset();
  CHECK_THROWS_AS(variable(1.0), TapeError);
}

TEST_CASE("an empty handle is refused") {
  Tape tape;
  const Var<double, Two> nothing;
  const Var<double> scalar;
  const auto x = variable<Two>({1.0, 2.0});
  CHECK_THROWS_AS(scalar.item(), TapeError);
  CHECK_THROWS_AS(nothing.values(), TapeError);
  CHECK_THROWS_AS(Var(x + nothing), TapeError);
  CHECK_THROWS_AS(Var(contract<Two>(x, nothing)), TapeError);
}

TEST_CASE("what was not differentiated has no gradient to ask for") {
  Tape tape;
  const auto x = variable(2.0);
  const auto c = constant<>({2.0});
  CHECK(says(error_text<TapeError>([&] { c.gradients(); }), {"gradient", "constant", "detached"}));
  CHECK(says(error_text<TapeError>([&] { detach(x).gradients(); }), {"gradient", "detached"}));
  CHECK(
      says(error_text<TapeError>([&] { backward(Var(c * c)); }), {"backward(loss)", "nothing that is differentiated"}));
  CHECK(says(error_text<TapeError>([&] { backward(Var(detach(x) * c), c); }), {"backward(y, seed)"}));
  CHECK(says(error_text<TapeError>([&] { jacobian(Var(x * c), c); }), {"jacobian(y, x)"}));
}

TEST_CASE("a seed with other extents is refused, and one of a strided view is taken by its names") {
  Tape tape;
  const auto x = variable<Batch, Two>({1., 2., 3., 4.}, extent<Batch>(2));
  const Var y = x * 1;
  CHECK(says(error_text([&] { backward(y, filled<double, Batch, Two>(1.0, extent<Batch>(3))); }),
             {"backward(y, seed)", "axis Batch", "2", "3"}));
  backward(y, transpose<Batch, Two>(constant<Two, Batch>({1., 2., 3., 4.}, extent<Batch>(2))));
  CHECK(x.gradients() == std::vector{1., 3., 2., 4.});
  backward(y, y);  // its own values as the seed
  CHECK(x.gradients() == std::vector{1., 2., 3., 4.});
}
