// checkpoint(f, x...): what a function may not do is refused, and nothing of a pass that broke off is left.
#include "tests/checkpointed_net.hpp"

using namespace hindsight;
using namespace hindsight::checkpoint_test;

TEST_CASE("what a function under checkpoint may not do is an error in words, and the tape goes on") {
  Net n = net();
  Tape tape;
  const auto x = variable(2.0);
  const Var w = x * 3;
  CHECK(says(misuse([&] { checkpoint([&](const auto& in) { return in * w; }, x); }),
             {"checkpoint", "not one of its arguments", "pass it"}));
  CHECK(says(misuse([&] { checkpoint([&](const auto&) { return w; }, x); }), {"not one of its arguments"}));
  Var<double> leaked;
  checkpoint([&](const auto& in) { return leaked = in * 2; }, x);
  CHECK(says(misuse([&] { Var(leaked * 2); }), {"another recording"}));
  CHECK(says(misuse([&] { checkpoint([](const auto& in) { return backward(Var(in * 2)), in; }, x); }),
             {"backward inside", "checkpoint"}));
  CHECK(says(misuse([&] { checkpoint([](const auto& in) { return Tape::current().reset(), in; }, x); }),
             {"tape.reset() inside", "checkpoint"}));
  CHECK(says(misuse([&] { checkpoint([&](const auto& in) { return tape.reset(), in; }, x); }),
             {"tape.reset() inside"}));
  CHECK(says(misuse([&] { checkpoint([](const auto& in) { return in * 2; }, Var<double>()); }),
             {"never given a value"}));
  CHECK(says(misuse([&] { checkpoint([](const auto&) { return Var<double>(); }, x); }), {"never given a value"}));
  CHECK(says(error_text([&] { checkpoint([](const auto& in) { return std::tuple(in, filled<float>(1.0F)); }, x); }),
             {"several types", "float and double"}));
  CHECK(says(error_text([&] { checkpoint([](const auto& in) -> Var<double> { return throw Error("mine"), in; }, x); }),
             {"mine"}));
  CHECK(&Tape::current() == &tape);
  const Var y = checkpoint([](const auto& in, const auto& by) { return in * by; }, x, w);
  backward(y);
  CHECK(x.gradient_at() == 12);
}

TEST_CASE("a function that has other values when it runs again is refused") {
  Tape tape;
  const auto x = variable(2.0);
  Var<double> y = x;
  for (double k = 1; k < 3; ++k) {
    static double counter;  // as a loop's counter would be, if it could be looked at afterwards
    counter = k;
    y = checkpoint([&](const auto& in) { return in * counter; }, y);
  }
  CHECK(says(misuse([&] { backward(y); }), {"other values", "captured by reference"}));
  tape.reset();
  std::size_t length = 2;
  const auto v = variable<Batch>({1.0, 2.0, 3.0}, extent<Batch>(3));
  const Var total = sum(checkpoint([&](const auto& in) { return slice<Batch>(in, 0, length); }, v));
  length = 3;
  CHECK(says(misuse([&] { backward(total); }), {"other values"}));
}

TEST_CASE("a parameter that is edited before the backward pass is refused, though no value shows it") {
  Parameter<double> p, beside;
  p.edit()[0] = 2;
  Tape tape;
  const auto begin = [&] {
    tape.reset();
    return variable(0.0);
  };
  const auto run = [&p](const auto& in) { return in * p; };
  auto x = begin();
  Var y = checkpoint(run, x);
  p.edit()[0] = 3;
  CHECK(says(misuse([&] { backward(y); }), {"parameter was edited"}));
  x = begin();
  y = checkpoint(run, x);
  beside.edit()[0] = 3;  // which the function does not read
  backward(y);
  CHECK(x.gradient_at() == 3);
}

TEST_CASE("a pass that breaks off in a checkpoint leaves nothing for the next one") {
  Net n = net();
  Tape tape;
  bool broken = true;
  const auto f = [&](const auto& in) {
    const Var y = n(in);
    auto z = detail::result<double, Batch, Hidden>(y.extents, y);
    std::copy_n(y.value, y.size(), z.value);
    return n(contract<Hidden>(detail::record("breaks(%0)", z, [&broken, y, z] {
      if (broken) throw Error("broken");
      kernels::add(y.size(), z.gradient, y.gradient);
    }, y), n.weight));
  };
  const auto step = [&] {
    tape.reset();
    backward(Var(sum(checkpoint(f, input()))));
  };
  CHECK(says(error_text(step), {"broken"}));
  broken = false;
  n.clear();
  step();
  const auto after = n.gradients();
  n.clear();
  tape.reset();
  backward(Var(sum(f(input()))));
  check_close(after, n.gradients());
}
