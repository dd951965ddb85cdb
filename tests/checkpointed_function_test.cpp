// checkpoint(f, x...): a function whose recording is dropped and made again computes and differentiates as f does.
#include <limits>

#include "autodiff/gradcheck.hpp"
#include "autodiff/inspect.hpp"
#include "tests/checkpointed_net.hpp"

using namespace hindsight;
using namespace hindsight::checkpoint_test;

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
