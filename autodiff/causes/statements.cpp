#include "autodiff/causes/statements.hpp"

#include <algorithm>
#include <set>

#include "autodiff/causes/causes.hpp"
#include "autodiff/causes/rerun.hpp"
#include "autodiff/recording.hpp"

namespace hindsight::detail {
namespace {

/// A statement, where its operands are, and what tells it from statements that are not like it.
struct Candidate {
  CheckedMap map;
  std::size_t number;
  std::vector<Place> places;
  std::string where, likeness;

  /// How many numbers its operands are.
  std::size_t size() const {
    std::size_t n = 0;
    for (const MapOperand& operand : map.operands) n += operand.field.values.size();
    return n;
  }
};

class Explanation {
 public:
  Explanation(CheckedFunction& f, Tape& tape, GradientReport& report)
      : f_(f), tape_(tape), report_(report), rerun_(f, tape) {}

  void run() {
    look_at_all();
    for (std::size_t c = candidates_.size(); c-- > 0;) explain(candidates_[c]);
    // A variable that was detached on purpose is cut off too, and a kink has no derivative: no news beside a backward
    // that is wrong.
    for (const Mistake lesser : {Mistake::cut_off, Mistake::kink}) {
      const auto is_lesser = [lesser](const Cause& cause) { return cause.mistake == lesser; };
      if (!std::all_of(causes_.begin(), causes_.end(), is_lesser)) std::erase_if(causes_, is_lesser);
    }
    report_.causes = causes_;
    if (causes_.empty()) report_.unexplained = unexplained_;
  }

 private:
  /// Records f, and runs each statement backwards alone.
  void look_at_all() {
    const KeptGradients kept(tape_);
    const std::vector<Entry*>& entries = rerun_.record();
    std::vector<NamedTensor> parameters;
    std::vector<std::size_t> subject_of;
    for (std::size_t s = 0; s < f_.subjects.size(); ++s) {
      const Subject& subject = f_.subjects[s];
      if (!subject.parameter) continue;
      const std::size_t bytes = subject.tensor.size() * sizeof(double);
      parameters.push_back({subject.tensor.path, axes_text(subject.tensor.axes), extents(subject.tensor.axes),
                            subject.values, subject.gradient, bytes, sizeof(double)});
      subject_of.push_back(s);
    }
    const Recording recording(tape_, parameters);
    statements_ = entries.size();
    for (std::size_t n = 0; n < entries.size(); ++n) {
      const RecordedStatement& s = recording.statements()[n];
      const Statement described = entries[n]->statement();
      everything_.push_back(field(s.result));
      everything_.back().made_by = described.expression;
      if (described.expression.empty() || s.result.scalar_bytes != sizeof(double) || s.result.bytes == 0) continue;

      Candidate c{{shortened(s.expression), everything_.back(), {}, {}, {}, {}}, n, {}, s.where(), {}};
      c.likeness = described.expression + " " + c.where;
      for (std::size_t i = 0; i < s.operands.size(); ++i) {
        const RecordedOperand& operand = s.operands[i];
        const bool outside = operand.statement == not_recorded;
        if (outside && operand.outside >= subject_of.size()) continue;  // a constant
        if (!outside && !entries[operand.statement]->gradient) continue;
        Place place{operand.statement, outside ? subject_of[operand.outside] : not_recorded};
        MapOperand by;
        by.field = outside ? field(parameters[operand.outside]) : everything_[operand.statement];
        const auto* begin = static_cast<const double*>(
            outside ? parameters[operand.outside].value : recording.statements()[operand.statement].result.value);
        narrow(by.field, place, described.operands[i], begin, operand.text);
        if (std::find(c.places.begin(), c.places.end(), place) != c.places.end()) continue;
        c.places.push_back(place);
        c.map.operands.push_back(std::move(by));
      }
      if (c.places.empty()) continue;
      c.map.result.name = "the result";
      c.map.seed = random_seed(c.map.result.values.size(), Random{n}.child("seed"));
      run_backward(c, *entries[n], entries);
      candidates_.push_back(std::move(c));
    }
    for (const NamedTensor& p : parameters) everything_.push_back(field(p));
  }

  /// What an operand sees of a tensor, where that is one place along the first axis or one gate: "x[Time 3]",
  /// "z[Forget]".
  static void narrow(Field& field, Place& place, const Statement::Operand& operand, const double* begin,
                     const std::string& text) {
    if (field.axes.empty()) return;
    const std::size_t offset = static_cast<std::size_t>(static_cast<const double*>(operand.value) - begin);
    std::vector<NamedAxis> seen(field.axes.begin() + 1, field.axes.end());
    Place part = place;
    part.offset = offset;
    if (const NamedAxis& last = field.axes.back(); !last.gates.empty()) {
      std::vector<NamedAxis> gate = field.axes;
      gate.back() = {last.each, last.gate_extent()};
      if (operand.axes == axes_text(gate) && offset < last.extent && offset % last.gate_extent() == 0) {
        seen = gate;
        part.row = last.gate_extent();
        part.stride = last.extent;
      }
    }
    if (operand.axes != axes_text(seen) || (part.row == 0 && (field.axes.size() < 2 || offset % count(seen) != 0)))
      return;
    Field narrowed{text, seen, {}, "a part of " + field.name};
    for (std::size_t i = 0; i < count(seen); ++i) narrowed.values.push_back(field.values[part.at(i)]);
    field = std::move(narrowed);
    place = part;
  }

  /// Sets the result's gradient, runs the one backward, and takes what it added; once on zeros, once on other numbers.
  void run_backward(Candidate& c, Entry& entry, const std::vector<Entry*>& entries) {
    const Random random = Random{c.number}.child("gradients that were there before");
    for (const bool before : {false, true}) {
      const std::uint64_t pass = tape_.begin_pass();
      if (entry.gradient) {
        entry.reach(pass);
        std::copy(c.map.seed.begin(), c.map.seed.end(), static_cast<double*>(entry.gradient));
      }
      std::vector<std::vector<double>> there;
      for (std::size_t o = 0; o < c.places.size(); ++o) {
        Node& node = node_of(c.places[o], entries);
        node.reach(pass);
        double* gradient = static_cast<double*>(node.gradient);
        there.emplace_back(c.map.operands[o].field.values.size(), 0.0);
        if (before) fill_uniform(there[o].size(), 1.0, 2.0, random.child(o), there[o].data());
        for (std::size_t j = 0; j < there[o].size(); ++j) gradient[c.places[o].at(j)] = there[o][j];
      }
      if (entry.gradient) tape_.run_alone(entry, pass);
      for (std::size_t o = 0; o < c.places.size(); ++o) {
        MapOperand& by = c.map.operands[o];
        const double* gradient = static_cast<const double*>(node_of(c.places[o], entries).gradient);
        for (std::size_t j = 0; j < there[o].size(); ++j) {
          const double added = gradient[c.places[o].at(j)] - there[o][j];
          if (!before)
            by.analytic.push_back(added);
          else if (std::abs(added - by.analytic[j]) > 1e-9 * (1 + std::abs(by.analytic[j])))
            by.overwrites = true;
        }
      }
    }
  }

  /// The statement's backward for each element of its result alone.
  void run_backward_by_result(Candidate& c) {
    const std::size_t results = c.map.seed.size();
    if (results * c.size() > 1'000'000) return;
    const KeptGradients kept(tape_);
    const std::vector<Entry*>& entries = rerun_.record();
    Entry& entry = *entries[c.number];
    for (std::size_t k = 0; entry.gradient && k < results; ++k) {
      const std::uint64_t pass = tape_.begin_pass();
      entry.reach(pass);
      static_cast<double*>(entry.gradient)[k] = 1;
      for (const Place& place : c.places) node_of(place, entries).reach(pass);
      tape_.run_alone(entry, pass);
      for (std::size_t o = 0; o < c.places.size(); ++o) {
        MapOperand& by = c.map.operands[o];
        const double* gradient = static_cast<const double*>(node_of(c.places[o], entries).gradient);
        for (std::size_t j = 0; j < by.analytic.size(); ++j)
          by.analytic_jacobian.push_back(gradient[c.places[o].at(j)]);
      }
    }
  }

  Node& node_of(const Place& place, const std::vector<Entry*>& entries) const {
    return place.subject != not_recorded ? *f_.subjects[place.subject].node : *entries[place.statement];
  }

  void explain(Candidate& c) {
    // Of a long recording one statement of those that are alike is looked at.
    if (statements_ > 500 && !looked_at_.insert(c.likeness).second) return;
    c.map.elsewhere = everything_;
    c.map.evaluate = [&](std::span<const Substitution> substitutions) {
      std::vector<Replaced> replaced;
      for (const auto& [operand, values] : substitutions) replaced.push_back({c.places[operand], values});
      return rerun_.result(c.number, replaced);
    };
    std::vector<std::size_t> wrong;
    for (std::size_t o = 0; o < c.places.size(); ++o) {
      const MapOperand& by = c.map.operands[o];
      if (told_.contains(c.likeness + " " + std::to_string(o))) continue;
      if (by.overwrites || !agrees(c.map, o, by.field.values, 0x1p-9, 1e-7)) wrong.push_back(o);
    }
    if (wrong.empty()) return;
    const bool small = most_runs_ > c.size() * statements_;
    if (small) run_backward_by_result(c);
    for (std::size_t o = 0; small && o < c.places.size(); ++o) differentiate(c.map, o);
    for (const std::size_t o : wrong) {
      if (small && !is_wrong(c.map.operands[o], 1e-7)) continue;
      told_.insert(c.likeness + " " + std::to_string(o));
      const std::string in = " in " + c.map.name + (c.where.empty() ? "" : " (" + c.where + ")");
      std::vector<Cause> found = small ? likely_causes(c.map, o) : std::vector<Cause>{};
      if (found.empty()) unexplained_.push_back(c.map.operands[o].field.name + in);
      for (Cause& cause : found) {
        cause.place += in;
        causes_.push_back(std::move(cause));
      }
    }
  }

  static Field field(const NamedTensor& tensor) {
    const double* value = static_cast<const double*>(tensor.value);
    const std::size_t size = tensor.scalar_bytes == sizeof(double) ? tensor.bytes / sizeof(double) : 0;
    return {tensor.name, named_axes(tensor.axes, tensor.extents), {value, value + size}};
  }
  static std::string axes_text(const std::vector<NamedAxis>& axes) {
    std::string text;
    for (const NamedAxis& axis : axes) text += (text.empty() ? "" : " x ") + axis.name;
    return text.empty() ? "scalar" : text;
  }
  static std::vector<std::size_t> extents(const std::vector<NamedAxis>& axes) {
    std::vector<std::size_t> all;
    for (const NamedAxis& axis : axes) all.push_back(axis.extent);
    return all;
  }
  static std::string shortened(const std::string& text) {
    constexpr std::size_t longest = 60;
    return text.size() <= longest ? text : text.substr(0, longest) + "..";
  }

  // Statements that are run for one look into a statement; more than these are not.
  static constexpr std::size_t most_runs_ = 10'000'000;

  CheckedFunction& f_;
  Tape& tape_;
  GradientReport& report_;
  Rerun rerun_;
  std::size_t statements_ = 0;
  std::vector<Candidate> candidates_;
  std::vector<Field> everything_;
  std::set<std::string> told_, looked_at_;
  std::vector<Cause> causes_;
  std::vector<std::string> unexplained_;
};

}  // namespace

void explain_statements(CheckedFunction& f, Tape& tape, GradientReport& report) { Explanation(f, tape, report).run(); }

}  // namespace hindsight::detail
