// What a statement says of itself, for messages and for drawing the tape.
//
// Its expression is written from the leaves up: a leaf writes itself, an operation puts together what its operands
// have just written. Nothing here depends on a tensor's type: a new statement costs its compiler a few calls.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hindsight {

/// The names of a shape's axes, as the compiler spells them.
using AxisNames = std::span<const std::string_view>;

struct Statement {
  struct Operand {
    const void* value;
    std::string axes;
  };
  std::string expression;  // "sigmoid(%0) * %1", %n standing for operand n
  std::string axes;        // "Batch x Hidden"
  std::vector<Operand> operands;
  std::vector<std::size_t> extents;
  std::size_t scalar_bytes = 0;  // 4: float, 8: double
};

/// Binds tighter than its surroundings, or is put in parentheses.
enum class Precedence { comparison, sum, product, call };

/// Writes a Statement.
class StatementText {
 public:
  /// A variable: the next operand, "%n".
  void operand(const void* value, AxisNames axes);
  /// The same of one whose axes are not known.
  void operand(const void* value);
  void number(double number);
  /// An operation on the `count` operands that were written last: "%0 + %1". A right operand of the same precedence
  /// is put in parentheses unless the operation is associative.
  void operation(std::string_view pattern, std::size_t count, Precedence precedence = Precedence::call,
                 bool associative = true);
  /// contract over these axes, of the two operands that were written last.
  void contraction(AxisNames axes);
  /// A function of the `count` operands that were written last: "checkpoint(%0, %1)".
  void call(std::string_view function, std::size_t count);
  /// The same where they are many of one kind: "stack(%0, .., %9)".
  void stack(std::string_view function, std::size_t count);
  /// What the statement computes. Several results are named together, and have no extents as a whole.
  void result(AxisNames axes, std::span<const std::size_t> extents, std::size_t scalar_bytes);

  /// All that was written; to be called once.
  Statement statement();

 private:
  struct Part {
    std::string text;
    Precedence precedence;
  };
  std::vector<Part> parts_;  // what no operation has taken yet
  Statement statement_;
};

/// A pattern with %n replaced by text n.
std::string filled_in(std::string_view pattern, std::span<const std::string> texts);

/// "2.5"
std::string number_text(double number);

namespace detail {

/// The names of a shape's axes, for messages: "Source x Batch".
std::string shape_name(AxisNames axes);

}  // namespace detail
}  // namespace hindsight
