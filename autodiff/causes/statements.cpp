#include "autodiff/causes/statements.hpp"

#include <algorithm>
#include <optional>
#include <set>

#include "autodiff/causes/causes.hpp"
#include "autodiff/recording.hpp"

namespace hindsight::detail {
namespace {

/// Where an operand's values are: in the result of a statement, or in a parameter.
struct Place {
  std::size_t statement = not_recorded, subject = not_recorded;
  bool operator==(const Place&) const = default;
};

struct Replaced {
  Place place;
  std::span<const double> values;
};

/// Runs f, with values replaced while one statement computes.
class Rerun final : public Watcher {
 public:
  Rerun(CheckedFunction& f, Tape& tape) : f_(f), tape_(tape) {}

  /// Records f as it is.
  const std::vector<Entry*>& record() {
    run(not_recorded, {});
    return entries_;
  }

  /// What statement `number` computes with some values replaced.
  std::vector<double> result(std::size_t number, std::span<const Replaced> replaced) {
    run(number, replaced);
    return result_;
  }

 private:
  void run(std::size_t number, std::span<const Replaced> replaced) {
    number_ = number;
    replaced_ = replaced;
    entries_.clear();
    tape_.reset();
    tape_.watch(this);
    if (number_ == 0) replace();
    try {
      f_.run();
    } catch (...) {
      put_back();
      throw;
    }
    tape_.watch(nullptr);
  }

  void recorded(Entry& entry) override {
    entries_.push_back(&entry);
    if (entries_.size() == number_) replace();
    if (entries_.size() != number_ + 1) return;
    const double* value = static_cast<const double*>(entry.value);
    result_.assign(value, value + entry.value_bytes / sizeof(double));
    put_back();
  }

  void replace() {
    for (const auto& [place, values] : replaced_) {
      const double* old = values_at(place);
      before_.emplace_back(old, old + values.size());
      write(place, values);
    }
  }
  void put_back() {
    for (std::size_t i = before_.size(); i-- > 0;) write(replaced_[i].place, before_[i]);
    before_.clear();
  }

  double* values_at(const Place& place) const {
    return place.subject != not_recorded ? f_.subjects[place.subject].values
                                         : static_cast<double*>(entries_[place.statement]->value);
  }
  /// A parameter is edited, so that what was packed of it is packed anew.
  void write(const Place& place, std::span<const double> values) const {
    std::optional<Edit<double>> edit;
    if (place.subject != not_recorded) edit.emplace(*f_.subjects[place.subject].parameter);
    std::copy(values.begin(), values.end(), values_at(place));
  }

  CheckedFunction& f_;
  Tape& tape_;
  std::size_t number_ = not_recorded;
  std::span<const Replaced> replaced_;
  std::vector<std::vector<double>> before_;
  std::vector<Entry*> entries_;
  std::vector<double> result_;
};

/// A statement, where its operands are, and what tells it from statements that are not like it.
struct Candidate {
  CheckedMap map;
  std::size_t number;
  std::vector<Place> places;
  std::string where, likeness;
};

class Explanation {
 public:
  Explanation(CheckedFunction& f, Tape& tape, GradientReport& report)
      : f_(f), tape_(tape), report_(report), rerun_(f, tape) {}

  void run() {
    look_at_all();
    if (runs() * statements_ > 30'000'000) return;
    for (std::size_t c = candidates_.size(); c-- > 0;) explain(candidates_[c]);
    // A variable that was detached on purpose is cut off too: it is no news beside a backward that is wrong.
    const auto cut_off = [](const Cause& cause) { return cause.mistake == Mistake::cut_off; };
    if (!std::all_of(causes_.begin(), causes_.end(), cut_off)) std::erase_if(causes_, cut_off);
    report_.causes = causes_;
    if (causes_.empty()) report_.unexplained = unexplained_;
  }

 private:
  /// How often f has to be run.
  std::size_t runs() const {
    std::size_t n = 0;
    for (const Candidate& c : candidates_)
      for (const MapOperand& o : c.map.operands) n += 6 * o.field.values.size();
    return n;
  }

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
      parameters.push_back({subject.tensor.path, axes_text(subject.tensor.axes), extents(subject.tensor.axes), subject.values,
                            subject.gradient, bytes, sizeof(double)});
      subject_of.push_back(s);
    }
    const Recording recording(tape_, parameters);
    statements_ = entries.size();
    for (std::size_t n = 0; n < entries.size(); ++n) {
      const RecordedStatement& s = recording.statements()[n];
      Statement described;
      entries[n]->describe(*entries[n], described);
      everything_.push_back(field(s.result));
      everything_.back().made_by = described.expression;
      if (described.expression.empty() || s.result.scalar_bytes != sizeof(double) || s.result.bytes == 0) continue;

      Candidate c{{shortened(s.expression), everything_.back(), {}, {}, {}, {}}, n, {}, s.where(), {}};
      c.likeness = described.expression + " " + c.where;
      for (const RecordedOperand& operand : s.operands) {
        const bool outside = operand.statement == not_recorded;
        if (outside && operand.outside >= subject_of.size()) continue;  // a constant
        if (!outside && !entries[operand.statement]->gradient) continue;
        const Place place{operand.statement, outside ? subject_of[operand.outside] : not_recorded};
        if (std::find(c.places.begin(), c.places.end(), place) != c.places.end()) continue;
        c.places.push_back(place);
        MapOperand by;
        by.field = outside ? field(parameters[operand.outside]) : everything_[operand.statement];
        c.map.operands.push_back(std::move(by));
      }
      if (c.places.empty()) continue;
      draw_seed(c);
      run_backward(c, *entries[n], entries);
      candidates_.push_back(std::move(c));
    }
    for (const NamedTensor& p : parameters) everything_.push_back(field(p));
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
        std::copy(there[o].begin(), there[o].end(), gradient);
      }
      if (entry.gradient) tape_.run_alone(entry, pass);
      for (std::size_t o = 0; o < c.places.size(); ++o) {
        MapOperand& by = c.map.operands[o];
        const double* gradient = static_cast<const double*>(node_of(c.places[o], entries).gradient);
        for (std::size_t j = 0; j < there[o].size(); ++j) {
          const double added = gradient[j] - there[o][j];
          if (!before) by.analytic.push_back(added);
          else if (std::abs(added - by.analytic[j]) > 1e-9 * (1 + std::abs(by.analytic[j]))) by.overwrites = true;
        }
      }
    }
  }

  Node& node_of(const Place& place, const std::vector<Entry*>& entries) const {
    return place.subject != not_recorded ? *f_.subjects[place.subject].node : *entries[place.statement];
  }

  void explain(Candidate& c) {
    c.map.elsewhere = everything_;
    c.map.evaluate = [&](std::span<const Substitution> substitutions) {
      std::vector<Replaced> replaced;
      for (const auto& [operand, values] : substitutions) replaced.push_back({c.places[operand], values});
      return rerun_.result(c.number, replaced);
    };
    for (std::size_t o = 0; o < c.places.size(); ++o) differentiate(c.map, o);
    for (std::size_t o = 0; o < c.places.size(); ++o) {
      if (!is_wrong(c.map.operands[o], 1e-7)) continue;
      if (!told_.insert(c.likeness + " " + std::to_string(o)).second) continue;
      const std::string in = " in " + c.map.name + (c.where.empty() ? "" : " (" + c.where + ")");
      std::vector<Cause> found = likely_causes(c.map, o);
      if (found.empty()) unexplained_.push_back(c.map.operands[o].field.name + in);
      for (Cause& cause : found) {
        cause.place += in;
        causes_.push_back(std::move(cause));
      }
    }
  }

  /// Signs at random and sizes in [0.5, 1.5), as the weights of the outputs have.
  static void draw_seed(Candidate& c) {
    const Random random = Random{c.number}.child("seed");
    for (std::size_t k = 0; k < c.map.result.values.size(); ++k) {
      const double u = random.uniform(-1.0, 1.0, k);
      c.map.seed.push_back(u < 0 ? u - 0.5 : u + 0.5);
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

  CheckedFunction& f_;
  Tape& tape_;
  GradientReport& report_;
  Rerun rerun_;
  std::size_t statements_ = 0;
  std::vector<Candidate> candidates_;
  std::vector<Field> everything_;
  std::set<std::string> told_;
  std::vector<Cause> causes_;
  std::vector<std::string> unexplained_;
};

}  // namespace

void explain_statements(CheckedFunction& f, Tape& tape, GradientReport& report) { Explanation(f, tape, report).run(); }

}  // namespace hindsight::detail
