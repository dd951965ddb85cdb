// checkpoint(f, x...): a function whose recording is dropped and made again computes and differentiates as f does, and
// what it may not do is refused.
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <limits>

#include "autodiff/backward.hpp"
#include "autodiff/checkpoint.hpp"
#include "autodiff/gradcheck.hpp"
#include "autodiff/initialise.hpp"
#include "autodiff/inspect.hpp"
#include "autodiff/reductions.hpp"
#include "tests/error_text.hpp"
#include "tests/kernel_data.hpp"

using namespace hindsight;

namespace {

struct Batch : Axis<> {};
struct In : Axis<3> {};
struct Hidden : Axis<2> {};

struct Net {
  using Weight = Parameter<double, In, Hidden>;
  using Offset = Bias<Hidden, double>;
  BOOST_HANA_DEFINE_STRUCT(Net, (Weight, weight), (Offset, bias));

  template <class X>
  Var<double, Batch, Hidden> operator()(const X& x) const {
    Var z = contract<In>(x, weight) + bias;
    return tanh(z) * z;
  }
  void clear() { clear_gradients(*this); }
  std::vector<double> gradients() const {
    std::vector<double> all(weight.gradients().begin(), weight.gradients().end());
    all.insert(all.end(), bias.gradients().begin(), bias.gradients().end());
    return all;
  }
};

Net net() {
  Net net;
  std::uint64_t n = 0;
  for_each_parameter(net, [&](const Path&, auto& p) { initialise_uniform(p, 0.9, Random{5}.child(n++)); });
  return net;
}

auto input() { return variable<Batch, In>(numbers<double>(12, "x"), extent<Batch>(4)); }

/// What a computation and its backward pass give: values, gradients of the input and of the parameters.
struct Outcome {
  std::vector<double> values, by_input, by_parameters;
};
template <class F>
Outcome outcome(Net& net, F f) {
  Tape tape;
  net.clear();
  const auto x = input();
  const Var<double> loss = f(x);
  backward(loss);
  return {{loss.item()}, x.gradients(), net.gradients()};
}

void check_close(const std::vector<double>& a, const std::vector<double>& b) {
  REQUIRE(a.size() == b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    CAPTURE(i, a[i], b[i]);
    CHECK(std::abs(a[i] - b[i]) <= 1e-14 * (std::abs(b[i]) + 1));
  }
}

template <class F>
std::string misuse(F f) {
  return error_text<TapeError>(f);
}

}  // namespace

TEST_CASE("a checkpointed function has the values and the gradients of the function") {
  Net n = net();
  const auto plain = outcome(n, [&](auto x) { return Var(sum(n(x)) + sum(square(n(x)))); });
  const auto checkpointed = outcome(n, [&](auto x) {
    const Var first = checkpoint([&n](const auto& in) { return sum(n(in)); }, x);
    return Var(first + sum(square(checkpoint([&n](const auto& in) { return n(in); }, x))));
  });
  CHECK(same_bits(plain.values, checkpointed.values));
  check_close(checkpointed.by_input, plain.by_input);
  check_close(checkpointed.by_parameters, plain.by_parameters);
}

TEST_CASE("a weight that is used before, in and after a checkpoint gets the gradient of each use once") {
  Net n = net();
  const auto use = [&n](const auto& in) { return sum(n(in)); };
  const auto plain = outcome(n, [&](auto x) { return Var(use(x) * use(2 * x) * use(3 * x) * use(-1 * x)); });
  const auto mixed = outcome(n, [&](auto x) {
    Var before = use(x);
    Var within = checkpoint(use, 2 * x) * checkpoint(use, 3 * x);
    Var after = use(-1 * x);
    return Var(before * within * after);
  });
  check_close(mixed.by_input, plain.by_input);
  check_close(mixed.by_parameters, plain.by_parameters);
}

TEST_CASE("checkpoints in checkpoints, of every kind of argument and result, pass the gradient check") {
  Net n = net();
  Parameter<double, Hidden> scale;
  initialise_uniform(scale, 0.9, Random{7});
  const auto report = check_gradients(
      [&](auto x, auto y) {
        const auto f = [&n](const auto& in, const auto& pair, const auto& by, double k, std::span<const double> data) {
          const auto& [a, b] = pair;
          const Var h = checkpoint([&n](const auto& again) { return n(again); }, in * k);
          const auto doubled = checkpoint(
              [](const auto& v, const auto& w) { return std::tuple(Var(2 * v), std::tuple(w)); }, Var(h * by), a);
          return std::tuple(transpose<Hidden, Batch>(std::get<0>(doubled)), in, std::get<0>(std::get<1>(doubled)),
                            detach(b), constant<Batch>(data, extent<Batch>(4)), by);
        };
        static const std::vector<double> data{1, 2, 3, 4};
        const auto [h, same, a, cut, given, by] = checkpoint(f, 2 * x, std::tuple(y, Var(x * 1.0)), scale, 1.5,
                                                             std::span<const double>(data));
        const Var parts = sum<Batch>(h) * by + sum(a * sum<In>(same) * given) + sum(square(cut)) * 0;
        return parts;
      },
      n, scale, random_input<Batch, In>("x", extent<Batch>(4)), random_input<Batch>("y", extent<Batch>(4)));
  INFO(report.text());
  CHECK(report.ok());
}

TEST_CASE("a backward that is wrong inside a checkpoint is found, and told as the checkpoint's") {
  const auto report = check_gradients(
      [](auto x) {
        const auto f = [](const auto& in) {
          auto y = detail::like(in);
          for (std::size_t i = 0; i < y.size(); ++i) y.value[i] = in.value[i] * in.value[i];
          const auto wrong = [in, y] { kernels::add(y.size(), y.gradient, in.gradient); };
          const auto z = detail::record("wrong(%0)", y, wrong, in);
          return std::tuple(z, Var(in * 2));
        };
        const auto [y, doubled] = checkpoint(f, x);
        return y + doubled;
      },
      random_input<Batch, In>("x", extent<Batch>(2)));
  CHECK_FALSE(report.ok());
  CHECK(report.text().find("checkpoint(x)") != std::string::npos);
}

TEST_CASE("several seeds on one recording, and a Jacobian that leaves the parameters' gradients alone") {
  Net n = net();
  Tape tape;
  const auto x = input();
  const Var y = checkpoint([&n](const auto& in) { return n(in); }, x);
  const Var plain = n(x);
  const auto seed = constant<Batch, Hidden>(numbers<double>(8, "seed"), extent<Batch>(4));
  n.clear();
  backward(plain, seed);
  const auto by_input = x.gradients();
  const auto by_parameters = n.gradients();
  n.clear();
  for (int i = 1; i <= 3; ++i) {
    backward(y, seed);
    check_close(x.gradients(), by_input);
  }
  std::vector<double> thrice;
  for (const double g : by_parameters) thrice.push_back(3 * g);
  check_close(n.gradients(), thrice);
  const auto before = n.gradients();
  check_close(jacobian(y, x), jacobian(plain, x));
  CHECK(n.gradients() == before);
}

TEST_CASE("a checkpoint that nothing reaches does not run again, and one result reached is enough") {
  int runs = 0;
  Tape tape;
  const auto x = variable(2.0);
  const auto f = [&runs](const auto& in) {
    ++runs;
    return std::tuple(Var(in * in), Var(log(in * 0)));
  };
  const auto [square_, beside] = checkpoint(f, x);
  const Var other = 3 * x;
  CHECK(runs == 1);
  backward(other, constant<>({1.0}));
  CHECK(runs == 1);
  CHECK(x.gradient_at() == 3);
  CHECK(square_.gradient_at() == 0);
  backward(square_, constant<>({1.0}));
  CHECK(runs == 2);
  CHECK(tape.size() == 3);
}

TEST_CASE("a function may look at the gradient of an argument, which is that of the last pass") {
  Tape tape;
  const auto x = variable(2.0);
  const Var beside = variable(1.0) * 2;
  double seen = -1;
  const auto look = [&seen](const auto& in) {
    seen = in.gradient_at();
    return in * 2;
  };
  checkpoint(look, x);
  CHECK(seen == 0);
  backward(Var(3 * x), constant<>({1.0}));
  checkpoint(look, x);
  CHECK(seen == 3);
  backward(beside, constant<>({1.0}));  // which does not come to x
  checkpoint(look, x);
  CHECK(seen == 0);
}

TEST_CASE("nothing is recorded while NoRecording lives, and results that are not differentiated have no gradient") {
  Tape tape;
  const auto x = variable(2.0);
  const auto f = [](const auto& in) { return std::tuple(Var(in * in), detach(in)); };
  {
    const NoRecording guard;
    const auto [y, z] = checkpoint(f, x);
    CHECK((y.item() == 4 && z.item() == 2));
    CHECK_FALSE(y.has_gradient());
  }
  CHECK(tape.size() == 1);
  const auto [y, z] = checkpoint(f, x);
  CHECK((y.has_gradient() && !z.has_gradient()));
  CHECK(says(misuse([&, z = z] { backward(z); }), {"depends on nothing that is differentiated"}));
}

TEST_CASE("the occasion when it runs again is that of the first time") {
  Tape tape;
  tape.occasion = {.seed = 1, .step = 2, .time = 3, .training = true};
  const auto x = variable(2.0);
  const Var y = checkpoint(
      [](const auto& in) {
        const Occasion& now = Tape::current().occasion;
        return in * static_cast<double>(100 * now.seed + 10 * now.step + now.time) * (now.training ? 1.0 : 0.0);
      },
      x);
  tape.occasion = {};
  backward(y);
  CHECK(x.gradient_at() == 123);
}

TEST_CASE("values below the smallest normal number are the same when they are computed again") {
  Tape tape;
  const auto x = variable(1.0F);
  const auto [tiny, y] = checkpoint([](const auto& in) { return std::tuple(Var(in * 1e-39F), Var(in * 2)); }, x);
  CHECK(tiny.item() > 0);
  backward(y);
  CHECK(x.gradient_at() == 2);
}

TEST_CASE("a recording lists a checkpoint as one statement of its arguments") {
  Tape tape;
  const auto x = named("x", variable(2.0));
  const Var y = checkpoint([](const auto& a, const auto& b) { return a * b; }, x, Var(x * 3));
  CHECK(list(Recording(tape)).find("checkpoint(x, v1)") != std::string::npos);
  CHECK(y.item() == 12);
}

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
  const auto record = [&] {
    tape.reset();
    return std::pair(variable(0.0), 0);
  };
  const auto run = [&p](const auto& in) { return in * p; };
  auto x = record().first;
  Var y = checkpoint(run, x);
  p.edit()[0] = 3;
  CHECK(says(misuse([&] { backward(y); }), {"parameter was edited"}));
  x = record().first;
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

namespace {

/// The most bytes that a step over `steps` steps takes, in segments.
std::size_t peak(std::size_t steps, std::size_t segment) {
  const auto run = [](Var<double, Batch> h, std::size_t count) {
    for (std::size_t t = 0; t < count; ++t) h = Var(tanh(h) * 0.5);
    return h;
  };
  Tape tape;
  const auto x = variable<Batch>(std::vector<double>(64, 0.5), extent<Batch>(64));
  Var<double, Batch> h = x;
  if (segment == 0) h = run(h, steps);
  for (std::size_t t = 0; segment > 0 && t < steps; t += segment)
    h = checkpoint(run, h, std::min(segment, steps - t));
  backward(Var(sum(h)));
  return tape.peak();
}

}  // namespace

TEST_CASE("segments of sqrt(T) steps take memory that grows as sqrt(T)") {
  const std::size_t all = peak(400, 0), quarter = peak(100, 0);
  CHECK(all > 3 * quarter);
  CHECK(all < 5 * quarter);
  std::size_t before = peak(100, segment_for(100));
  for (std::size_t steps = 400; steps <= 102400; steps *= 4) {
    const std::size_t now = peak(steps, segment_for(steps));
    CAPTURE(steps, before, now);
    CHECK(now < 2.6 * static_cast<double>(before));  // blocks of doubling size: not exactly 2
    before = now;
  }
  CHECK(peak(102400, segment_for(102400)) < peak(1000, 0));
  CHECK(segment_for(0) == 1);
  CHECK(segment_for(1) == 1);
  CHECK(segment_for(100) == 10);
  CHECK(segment_for(101) == 11);
}

TEST_CASE("checkpoints in checkpoints of checkpoints take memory that grows as the logarithm") {
  struct Half {
    Var<double, Batch> operator()(const Var<double, Batch>& h, std::size_t steps) const {
      if (steps == 1) return tanh(h) * 0.5;
      return checkpoint(*this, checkpoint(*this, h, steps / 2), steps - steps / 2);
    }
  };
  const auto most = [](std::size_t steps) {
    Tape tape;
    const auto x = variable<Batch>(std::vector<double>(64, 0.5), extent<Batch>(64));
    backward(Var(sum(Half()(x, steps))));
    return tape.peak();
  };
  const double once = static_cast<double>(most(32));
  CHECK(static_cast<double>(most(1024)) < 2.5 * once);  // 10 halvings and 5
}
