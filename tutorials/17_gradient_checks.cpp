// 17. Why gradient checks fail
//
// A gradient check compares a backward pass with differences of values. It fails where the backward is wrong, but also where
// the step is too large or too small, where numbers are too short, and where there is no slope. And it passes where it should
// not, if what is checked hides the mistake: behind a plain sum, behind zeros, behind symmetry. Each of these, once.
#include <cmath>
#include <cstdio>

#include "autodiff/backward.hpp"
#include "autodiff/complex_step.hpp"
#include "autodiff/reductions.hpp"
#include "layers/lstm.hpp"
#include "layers/unroll.hpp"
#include "tutorials/program.hpp"

using namespace hindsight;
using tutorial::result;
using tutorial::text;

namespace {

struct Time : Axis<3> {};
struct Batch : Axis<2> {};
struct In : Axis<3> {};
struct Hidden : Axis<4> {};

// ---------------------------------------------------------------- the step

/// The sum of what an LSTM shows, in numbers of type T, as a function of one of its weights.
template <class T>
class LossOfOneWeight {
 public:
  explicit LossOfOneWeight(std::uint64_t seed) : inputs_(tutorial::noise(Time::extent * Batch::extent * In::extent, 1, seed)) {
    Lstm<In, Hidden, double> drawn;
    initialise(drawn, seed);
    std::vector<std::vector<double>> values;
    for_each_parameter(drawn, [&](const Path&, const auto& p) { values.emplace_back(p.values().begin(), p.values().end()); });
    std::size_t n = 0;
    for_each_parameter(cell_, [&](const Path&, auto& p) {
      std::copy(values[n].begin(), values[n].end(), p.edit().begin());
      ++n;
    });
  }

  /// d loss / d weight by the tape.
  double by_the_tape() {
    Tape tape;
    const Var loss = record();
    backward(loss);
    return weight().gradients()[0];
  }
  T weight_value() { return weight().values()[0]; }

  /// The loss with the weight at w.
  T operator()(T w) {
    weight().edit()[0] = w;
    Tape tape;
    const NoRecording guard;
    return record().item();
  }

 private:
  Var<T> record() {
    const std::vector<T> inputs(inputs_.begin(), inputs_.end());
    const auto xs = constant<Time, Batch, In>(inputs);
    return sum(unroll(cell_, xs, cell_.template initial<Batch>()).outputs);
  }
  auto& weight() { return cell_.from_input.weight; }

  std::vector<double> inputs_;
  Lstm<In, Hidden, T> cell_;
};

struct Best {
  double error = INFINITY, step = 0;
  void see(double e, double h) {
    if (e < error) *this = {e, h};
  }
};

struct Steps {
  Best forward, central, in_float, complex;
};

/// The relative error of the slope of one weight, by the size of the step and the way it is taken.
Steps error_against_step(std::uint64_t seed) {
  LossOfOneWeight<double> f(seed);
  LossOfOneWeight<float> short_f(seed);
  LossOfOneWeight<Complex> complex_f(seed);
  const double slope = f.by_the_tape(), w = f.weight_value();
  const float short_w = short_f.weight_value();
  tutorial::Table table("17_step_size", {"step", "one-sided", "central", "in float", "complex step"});
  Steps best;
  for (int n = 1; n <= 16; ++n) {
    const double h = std::pow(10.0, -n);
    const float short_h = static_cast<float>(h);
    // 1e-17 stands for no error at all: the axis is logarithmic.
    const auto error = [slope](double estimate) { return std::max(std::abs(estimate - slope) / std::abs(slope), 1e-17); };
    const double forward = error((f(w + h) - f(w)) / h);
    const double central = error((f(w + h) - f(w - h)) / (2 * h));
    const double in_float = error(static_cast<double>((short_f(short_w + short_h) - short_f(short_w - short_h)) / (2 * short_h)));
    const double complex = error(complex_f(Complex(w, h)).imag() / h);
    table.row({h, forward, central, in_float, complex});
    best.forward.see(forward, h);
    best.central.see(central, h);
    best.in_float.see(in_float, h);
    best.complex.see(complex, h);
  }
  std::printf("\nThe slope of one weight of an LSTM over three steps, and how far each estimate of it is off:\n");
  table.print();
  table.save({.title = "A step that is neither too large nor too small", .x = "step h", .y = "relative error of the slope",
              .see = "going left, the error of a difference falls until the rounding of f drowns it; in float that is soon; the "
                     "complex step has nothing to drown in",
              .log_x = true, .log_y = true});
  return best;
}

// ---------------------------------------------------------------- what hides a mistake

struct Row : Axis<3> {};

/// What is checked, and the largest difference between its gradient and its slopes: what a check by hand would print.
template <IsAxis... As, class Loss>
double largest_difference(Loss loss, std::vector<double> x) {
  std::vector<double> gradient;
  {
    Tape tape;
    const auto v = variable<As...>(x);
    const Var<double> recorded = detail::as_var(loss(v));
    backward(recorded);
    gradient = v.gradients();
  }
  const auto value = [&] {
    Tape tape;
    const NoRecording guard;
    return detail::as_var(loss(variable<As...>(x))).item();
  };
  double largest = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double before = x[i], h = 1e-5;
    x[i] = before + h;
    const double right = value();
    x[i] = before - h;
    const double slope = (right - value()) / (2 * h);
    x[i] = before;
    largest = std::max(largest, std::abs(slope - gradient[i]));
  }
  return largest;
}

// Values that are right with a gradient that is not. detach(y) is a value that is not differentiated by.
auto with_the_sign_flipped(const auto& y) { return 2 * detach(y) - y; }
auto with_the_gradient_of(const auto& value, const auto& other) { return detach(value) + (other - detach(other)); }

/// A mistake, what hides it, and how far off it looks hidden and in the open.
void show(const char* mistake, const char* hidden_by, double hidden, double open) {
  std::printf("  %-34s %-26s %10.1e   %10.1e\n", mistake, hidden_by, hidden, open);
}

double what_hides_mistakes(std::uint64_t seed) {
  std::printf("\nThree backwards that are wrong, and how far off a check finds them:\n");
  std::printf("  %-34s %-26s %10s   %10s\n", "mistake", "hidden by", "hidden", "in the open");
  const std::vector<double> weights = tutorial::noise(Hidden::extent, 1, seed + 1);

  // softmax sums to 1, whatever goes in: the slope of its plain sum is 0, and so is the gradient, flipped or not.
  const auto flipped = [&](bool weighted) {
    return largest_difference<Hidden>(
        [&](auto e) {
          Var y = softmax<Hidden>(e);
          Var wrong = with_the_sign_flipped(y);
          Var w = weighted ? constant<Hidden>(weights) : filled<double, Hidden>(1.0);
          return sum(w * wrong);
        },
        tutorial::noise(Hidden::extent, 1, seed));
  };
  const double a = flipped(false);
  show("softmax with the sign flipped", "a plain sum of the outputs", a, flipped(true));

  // c_1 = f c_0 + i g: where c_0 is 0, the forget gate has no gradient to be wrong.
  const auto forgotten = [&](double c0) {
    return largest_difference<Hidden>(
        [&](auto z) {
          Var f = sigmoid(detach(z));
          return sum(f * c0 + sigmoid(z) * 0.5);
        },
        tutorial::noise(Hidden::extent, 1, seed));
  };
  const double b = forgotten(0);
  show("no gradient for the forget gate", "a first memory of 0", b, forgotten(0.7));

  // y = x W with all inputs alike and a plain sum: the gradient is one number everywhere, transposed or not.
  const auto transposed = [&](const std::vector<double>& inputs) {
    return largest_difference<Row, Next<Row>>(
        [&](auto W) {
          const auto turned = rename<From<Row>, Row>(rename<Row, Next<Row>>(rename<Next<Row>, From<Row>>(W)));
          Var wrong = with_the_gradient_of(W, transpose<Row, Next<Row>>(turned));
          return sum(contract<Row>(constant<Row>(inputs), wrong));
        },
        tutorial::noise(Row::extent * Row::extent, 1, seed));
  };
  const double c = transposed({1, 1, 1});
  show("a weight gradient transposed", "inputs that are all 1", c, transposed({0.3, -0.7, 1.1}));
  return std::max({a, b, c});
}

// ---------------------------------------------------------------- where there is no slope, or no digits

void kinks_and_digits() {
  const auto relu_at = [](double x) { return std::max(x, 0.0); };
  const double h = 1e-5;
  std::printf("\nrelu at 0: %.1f to the left, %.1f to the right, and the central difference says %.1f.\n",
              (relu_at(0) - relu_at(-h)) / h, (relu_at(h) - relu_at(0)) / h, (relu_at(h) - relu_at(-h)) / (2 * h));
  const auto report = check_gradients([](auto x) { return relu(x); }, input<>("x", {0.0}));
  std::printf("The checker: %s", report.text().c_str());

  const float x = 1000, step = 1e-5f;
  std::printf("\nf(x) = 3 x at x = 1000 in float: x + 0.00001 is %s x, so the difference says the slope is %.0f.\n",
              x + step == x ? "the same as" : "not", static_cast<double>((3 * (x + step) - 3 * x) / step));
}

}  // namespace

int main(int argc, char** argv) {
  tutorial::Program program("Why gradient checks fail where they should pass, and pass where they should fail.");
  std::uint64_t seed = 1;
  program.option("--seed", seed, "of weights and inputs");
  return program.run(argc, argv, [&] {
    const Steps best = error_against_step(seed);
    kinks_and_digits();
    const double hidden = what_hides_mistakes(seed);
    result(text("a slope is off by at least %.0e one-sided, %.0e central, %.0e in float, %.0e by the complex step; "
                "three wrong backwards look right to %.0e",
                best.forward.error, best.central.error, best.in_float.error, best.complex.error, hidden));
  });
}
