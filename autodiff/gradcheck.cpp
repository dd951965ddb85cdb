#include "autodiff/gradcheck.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <optional>
#include <sstream>

#include "autodiff/causes/causes.hpp"
#include "autodiff/causes/statements.hpp"
#include "autodiff/slope.hpp"

namespace hindsight::detail {
namespace {

bool same_bits(double a, double b) { return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b); }

/// What a tensor holds is changed along a direction, and put back at the end. Parameters are edited, so that what was
/// packed of them is packed anew.
class Moved {
 public:
  struct Component {
    std::size_t index;
    double size;
  };

  Moved(const Subject& subject, std::vector<Component> direction) : subject_(subject), direction_(std::move(direction)) {
    for (const Component& c : direction_) before_.push_back(subject_.values[c.index]);
  }
  ~Moved() {
    edited([this](std::size_t n) { return before_[n]; });
  }
  Moved(const Moved&) = delete;
  Moved& operator=(const Moved&) = delete;

  void by(double step) {
    edited([&](std::size_t n) { return before_[n] + step * direction_[n].size; });
  }

 private:
  template <class Value>
  void edited(Value value) {
    std::optional<Edit<double>> edit;
    if (subject_.parameter) edit.emplace(*subject_.parameter);
    for (std::size_t n = 0; n < direction_.size(); ++n) subject_.values[direction_[n].index] = value(n);
  }

  const Subject& subject_;
  std::vector<Component> direction_;
  std::vector<double> before_;
};

class Check {
 public:
  Check(CheckedFunction& f, const GradientOptions& options) : f_(f), options_(options) {}

  GradientReport run() {
    report_.tolerance = options_.tolerance;
    find_analytic();
    check_repeatable();
    if (report_.problems.empty()) {
      for (std::size_t s = 0; s < f_.subjects.size(); ++s)
        options_.directions > 0 ? look_along(f_.subjects[s], analytic_[s]) : find_numeric(f_.subjects[s], analytic_[s]);
      check_repeatable();
    }
    if (report_.failed() > 0 || overwritten_) explain();
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
    weights_ = random_seed(outputs_.size(), Random{options_.seed}.child("output weights"));
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
    if (difference <= options_.tolerance * largest) return;
    overwritten_ = true;
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

    tensor.scale(std::move(scale));
    report_.tensors.push_back(std::move(tensor));
  }

  CheckedElement element(const Subject& subject, std::size_t i, double analytic, double scale) {
    if (f_.slope) {
      const auto s = static_cast<std::size_t>(&subject - f_.subjects.data());
      const double numeric = f_.slope(s, i, weights_);
      return {i, analytic, numeric, 0, false, std::abs(analytic - numeric)};
    }
    Moved moved(subject, {{i, 1}});
    return slope_at(subject.values[i], moved, i, analytic, scale);
  }

  /// The slopes along random directions of length 1, in each gate, against the gradients' products with them.
  void look_along(const Subject& subject, const std::vector<double>& analytic) {
    const std::size_t gates = std::max<std::size_t>(1, subject.tensor.axes.empty() ? 1 : subject.tensor.axes.back().gates.size());
    for (std::size_t g = 0; g < gates; ++g) {
      CheckedTensor tensor{subject.tensor.path, {{"direction", options_.directions}}};
      if (gates > 1) tensor.path += " " + subject.tensor.axes.back().gates[g];
      std::vector<std::size_t> inside;
      double norm = 0;
      for (std::size_t i = 0; i < analytic.size(); ++i)
        if (subject.tensor.gate(i) == g) {
          inside.push_back(i);
          norm = std::hypot(norm, analytic[i]);
        }
      if (inside.empty()) continue;
      const double length = std::sqrt(static_cast<double>(inside.size()));
      for (std::size_t n = 0; n < options_.directions; ++n) {
        const Random random = Random{options_.seed}.child(tensor.path).child(n);
        std::vector<Moved::Component> direction;
        double along = 0;
        for (std::size_t k = 0; k < inside.size(); ++k) {
          direction.push_back({inside[k], (random.uniform(-1.0, 1.0, k) < 0 ? -1 : 1) / length});
          along += direction[k].size * analytic[inside[k]];
        }
        Moved moved(subject, std::move(direction));
        tensor.elements.push_back(slope_at(0, moved, n, along, norm / length));
      }
      tensor.scale({norm / length});
      report_.tensors.push_back(std::move(tensor));
    }
  }

  CheckedElement slope_at(double x, Moved& moved, std::size_t index, double analytic, double scale) {
    const auto at = [&](double step) {
      moved.by(step);
      return outputs();
    };
    return compared_with(index, analytic, hindsight::slope_at(x, weights_, outputs_, at, analytic, scale, options_.tolerance));
  }

  /// The statement whose backward is wrong, if one is found that is; else what the gradients as a whole look like.
  void explain() {
    explain_statements(f_, tape_, report_);
    if (!report_.causes.empty() || !report_.unexplained.empty()) return;
    CheckedMap whole;
    for (std::size_t s = 0; options_.directions == 0 && s < report_.tensors.size(); ++s) {
      const CheckedTensor& tensor = report_.tensors[s];
      MapOperand operand{{tensor.path, tensor.axes, {}}, false, {}, {}, {}};
      for (const CheckedElement& e : tensor.elements) {
        operand.field.values.push_back(f_.subjects[s].values[e.index]);
        operand.analytic.push_back(e.analytic);
        operand.numeric.push_back(e.numeric);
      }
      if (tensor.elements.size() != tensor.size()) operand.field.axes.clear();
      whole.operands.push_back(std::move(operand));
    }
    for (std::size_t s = 0; s < whole.operands.size(); ++s)
      if (report_.any_wrong(report_.tensors[s]))
        for (Cause& cause : likely_causes(whole, s)) report_.causes.push_back(std::move(cause));
  }

  CheckedFunction& f_;
  GradientOptions options_;
  GradientReport report_;
  Tape tape_;
  bool overwritten_ = false;
  std::vector<double> outputs_, weights_;
  std::vector<std::vector<double>> analytic_;  // of each subject
};

}  // namespace

GradientReport check(CheckedFunction& f, const GradientOptions& options) { return Check(f, options).run(); }

}  // namespace hindsight::detail
