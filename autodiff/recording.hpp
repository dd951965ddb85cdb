// The statements on a tape as a reader wants them: in order, with names for their operands.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "autodiff/module.hpp"
#include "autodiff/tape.hpp"

namespace hindsight {

/// A tensor in memory, and what it is called.
struct NamedTensor {
  std::string name;
  std::string axes;                  // "Batch x Gates<Hidden, Forget, Input>"
  std::vector<std::size_t> extents;
  const void* value = nullptr;
  const void* gradient = nullptr;    // null where nothing is differentiated
  std::size_t bytes = 0;
  std::size_t scalar_bytes = 0;

  bool holds(const void* address) const;
  /// "Batch x Hidden (3 x 5)"
  std::string shape() const;
  /// Where element i lies: "Batch[1] Forget[3]".
  std::string position(std::size_t i) const;
  /// The elements of the value or the gradient that are NaN.
  std::vector<std::size_t> nans(const void* numbers) const;
};

/// What a statement works on: another statement, a parameter or a constant, or a part of one.
struct RecordedOperand {
  std::string text;       // "z", or a view of it: "z[Forget]", "xs[Time 3]", "x[Hidden 2..]"
  std::size_t statement;  // which one made it, or `not_recorded`
  std::size_t outside;    // which of the tensors outside of the tape it is, if not recorded
};
inline constexpr std::size_t not_recorded = static_cast<std::size_t>(-1);

/// A statement as a reader wants it: what it made, by which expression, of what.
struct RecordedStatement {
  NamedTensor result;
  std::string expression;         // "sigmoid(z) * c"; empty: a variable, which is given and not computed
  std::vector<RecordedOperand> operands;
  const Entry* entry;

  /// "c = sigmoid(z) * c0", or "x" for a variable.
  std::string text() const;
  /// "lstm.cpp:12"; empty where it is not known.
  std::string where() const;
};

/// All statements of a tape. Names are those given by `named(..)`, a parameter's path in its module,
/// else v1, v2, .. for statements and p1, p2, .. for what was not recorded: parameters, constants.
class Recording {
 public:
  explicit Recording(const Tape& tape, std::vector<NamedTensor> parameters = {});

  const std::vector<RecordedStatement>& statements() const { return statements_; }
  /// Parameters and constants that statements use; of those that are not in a module only the name and
  /// where they begin is known.
  const std::vector<NamedTensor>& outside() const { return outside_; }
  /// Whether the last backward pass came to a statement.
  bool reached(const RecordedStatement& s) const { return s.entry->gradient && s.entry->reached(pass_); }

 private:
  RecordedOperand operand(const Statement::Operand& operand, const Tape& tape);

  std::uint64_t pass_;
  std::vector<RecordedStatement> statements_;
  std::vector<NamedTensor> outside_;
  std::vector<std::pair<const void*, std::size_t>> by_address_;  // where statements' values begin
  std::size_t unnamed_outside_ = 0;
};

/// A module's parameters, called by their paths.
template <class Module>
std::vector<NamedTensor> named_parameters(const Module& module) {
  std::vector<NamedTensor> named;
  for_each_parameter(module, [&]<class T, IsAxis... As>(const Path& path, const Parameter<T, As...>& p) {
    const std::string own = path.text();
    named.push_back({own.empty() ? "parameter" : own, detail::shape_name(Axes<As...>{}),
                     {p.extents().begin(), p.extents().end()}, p.values().data(), p.gradients().data(),
                     p.size() * sizeof(T), sizeof(T)});
  });
  return named;
}

}  // namespace hindsight
