#include "autodiff/gradcheck.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <optional>
#include <sstream>

#include "autodiff/slope.hpp"

namespace hindsight::detail {
namespace {

bool same_bits(double a, double b) { return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b); }

/// What a place holds is changed, and put back at the end. Parameters are edited, so that what was
/// packed of them is packed anew.
class Nudged {
 public:
  Nudged(const Subject& subject, std::size_t i) : subject_(subject), i_(i), before_(subject.values[i]) {}
  ~Nudged() { set(before_); }
  Nudged(const Nudged&) = delete;
  Nudged& operator=(const Nudged&) = delete;

  void set(double value) {
    std::optional<Edit<double>> edit;
    if (subject_.parameter) edit.emplace(*subject_.parameter);
    subject_.values[i_] = value;
  }
  double before() const { return before_; }

 private:
  const Subject& subject_;
  std::size_t i_;
  double before_;
};

class Check {
 public:
  Check(CheckedFunction& f, const GradientOptions& options) : f_(f), options_(options) {}

  GradientReport run() {
    report_.tolerance = options_.tolerance;
    find_analytic();
    check_repeatable();
    if (report_.problems.empty()) {
      for (std::size_t s = 0; s < f_.subjects.size(); ++s) find_numeric(f_.subjects[s], analytic_[s]);
      check_repeatable();
    }
    return std::move(report_);
  }

 private:
  /// The outputs, with nothing recorded.
  std::vector<double> outputs() {
    tape_.reset();
    const NoRecording guard;
    const CheckedOutput y = f_.run();
    return {y.value, y.value + y.size};
  }

  /// The gradients of the weighted outputs, by the backward pass that is checked.
  void find_analytic() {
    const KeptGradients kept(tape_);
    const CheckedOutput y = f_.run();
    outputs_.assign(y.value, y.value + y.size);
    if (outputs_.empty()) report_.problems.push_back("f has no output: nothing was checked");
    draw_weights();
    for (const Subject& s : f_.subjects) analytic_.emplace_back(s.tensor.size(), 0.0);
    if (!y.gradient) return;  // nothing is differentiated: all gradients are 0, right or wrong

    analytic_ = gradients(y, analytic_);
    // A second pass that finds the gradients of the first in place must add to them.
    const std::vector<std::vector<double>> twice = gradients(y, analytic_);
    for (std::size_t s = 0; s < twice.size(); ++s) check_added(f_.subjects[s], analytic_[s], twice[s]);
  }

  /// One backward pass that finds the gradients at `before`.
  std::vector<std::vector<double>> gradients(const CheckedOutput& y, const std::vector<std::vector<double>>& before) {
    const std::uint64_t pass = tape_.begin_pass();
    const auto add_to = [pass](Node* node, double* gradient, const std::vector<double>& seed) {
      if (!gradient) return;
      node->reach(pass);
      for (std::size_t i = 0; i < seed.size(); ++i) gradient[i] += seed[i];
    };
    for (std::size_t s = 0; s < before.size(); ++s) add_to(f_.subjects[s].node, f_.subjects[s].gradient, before[s]);
    add_to(y.node, y.gradient, weights_);
    tape_.run_backward(y.value, pass);

    std::vector<std::vector<double>> after;
    for (const Subject& s : f_.subjects) after.emplace_back(s.gradient, s.gradient + s.tensor.size());
    return after;
  }

  void check_added(const Subject& s, const std::vector<double>& once, const std::vector<double>& twice) {
    double largest = 0, difference = 0;
    for (std::size_t i = 0; i < once.size(); ++i) {
      largest = std::max(largest, std::abs(once[i]));
      difference = std::max(difference, std::abs(twice[i] - 2 * once[i]));
    }
    if (difference > options_.tolerance * largest)
      report_.problems.push_back(s.tensor.path +
                                 ": the backward pass overwrites its gradient instead of adding to it, so that the "
                                 "gradient of any other use would be lost");
  }

  /// f computes the same bits as when it was recorded.
  void check_repeatable() {
    for (int times = 0; times < 2 && report_.problems.empty(); ++times) {
      const std::vector<double> again = outputs();
      const auto [first, second] =
          std::mismatch(outputs_.begin(), outputs_.end(), again.begin(), again.end(), same_bits);
      if (first == outputs_.end() && second == again.end()) continue;
      std::ostringstream text;
      text.precision(17);
      text << "f is not deterministic: ";
      if (again.size() != outputs_.size())
        text << "it gave " << outputs_.size() << " outputs, then " << again.size();
      else
        text << "output " << first - outputs_.begin() << " was " << *first << ", then " << *second;
      report_.problems.push_back(text.str());
    }
  }

  /// Signs at random and sizes in [0.5, 1.5), so that no output is lost and nothing cancels.
  void draw_weights() {
    const Random random = Random{options_.seed}.child("output weights");
    for (std::size_t k = 0; k < outputs_.size(); ++k) {
      const double u = random.uniform(-1.0, 1.0, k);
      weights_.push_back(u < 0 ? u - 0.5 : u + 0.5);
    }
  }

  /// The elements to check, in order.
  std::vector<std::size_t> chosen(const CheckedTensor& tensor) const {
    std::vector<std::size_t> all(tensor.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    if (all.size() > options_.elements) {
      shuffle(std::span(all), Random{options_.seed}.child(tensor.path));
      all.resize(options_.elements);
      std::sort(all.begin(), all.end());
    }
    return all;
  }

  void find_numeric(const Subject& subject, const std::vector<double>& analytic) {
    CheckedTensor tensor = subject.tensor;
    std::vector<double> scale(tensor.blocks(), 0.0);  // the largest gradient of each block
    for (std::size_t i = 0; i < analytic.size(); ++i) {
      double& largest = scale[tensor.block(i)];
      largest = std::max(largest, std::abs(analytic[i]));
    }
    for (const std::size_t i : chosen(tensor))
      tensor.elements.push_back(element(subject, i, analytic[i], scale[tensor.block(i)]));

    for (const CheckedElement& e : tensor.elements) {
      double& largest = scale[tensor.block(e.index)];
      largest = std::max(largest, std::abs(e.numeric));
    }
    for (CheckedElement& e : tensor.elements) {
      e.scale = scale[tensor.block(e.index)];
      e.error = e.off == 0 ? 0 : e.off / e.scale;  // NaN stays NaN
    }
    report_.tensors.push_back(std::move(tensor));
  }

  /// As many steps as it takes for the slope to agree with the backward pass, or to be sure by itself.
  CheckedElement element(const Subject& subject, std::size_t i, double analytic, double scale) {
    if (f_.slope) {
      const auto s = static_cast<std::size_t>(&subject - f_.subjects.data());
      const double numeric = f_.slope(s, i, weights_);
      return {i, analytic, numeric, 0, false, std::abs(analytic - numeric)};
    }
    Nudged nudged(subject, i);
    SlopeEstimate slope(nudged.before(), weights_, outputs_);
    double step = SlopeEstimate::first_step(nudged.before());
    for (std::size_t steps = 1; steps <= SlopeEstimate::all_steps; ++steps, step /= 2) {
      const double right = nudged.before() + step, left = nudged.before() - step;
      nudged.set(right);
      const std::vector<double> y_right = outputs();
      nudged.set(left);
      const std::vector<double> y_left = outputs();
      slope.add(right, y_right, left, y_left);
      const double enough = options_.tolerance / 1000 * std::max(scale, std::abs(slope.value()));
      const bool agrees = std::abs(analytic - slope.value()) <= enough + slope.rounding();
      if (steps >= 2 && (agrees || slope.uncertainty() <= enough) && !slope.may_be_kink()) break;
    }
    const double off = slope.is_kink() ? slope.outside_of_kink(analytic) : std::abs(analytic - slope.value());
    return {i, analytic, slope.value(), slope.rounding(), slope.is_kink(), off};
  }

  CheckedFunction& f_;
  GradientOptions options_;
  GradientReport report_;
  Tape tape_;
  std::vector<double> outputs_, weights_;
  std::vector<std::vector<double>> analytic_;  // of each subject
};

}  // namespace

GradientReport check(CheckedFunction& f, const GradientOptions& options) { return Check(f, options).run(); }

}  // namespace hindsight::detail
