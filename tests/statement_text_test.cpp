// How a statement is written in graphs and messages.

#include <catch2/catch_test_macros.hpp>
#include <string_view>

#include "autodiff/select.hpp"

using namespace hindsight;

namespace {

struct Two : Axis<2> {};

}  // namespace

TEST_CASE("a statement says what it is, for graphs and messages") {
  Tape tape;
  const auto a = variable<Two>({1.0, 2.0}), b = variable<Two>({3.0, 4.0});
  const auto described = [&](auto expression) {
    Var<double, Two>{expression};
    const Statement s = tape.last()->statement();
    CHECK(s.axes == "Two");
    CHECK(s.operands.front().value == a.value);
    return s.expression;
  };
  CHECK(described(a + b * a) == "%0 + %1 * %2");
  CHECK(described((a + b) * a) == "(%0 + %1) * %2");
  CHECK(described(a - (b - a)) == "%0 - (%1 - %2)");
  CHECK(described(a - (b + a)) == "%0 - (%1 + %2)");
  CHECK(described(a - b * a) == "%0 - %1 * %2");
  CHECK(described(a - tanh(b + a)) == "%0 - tanh(%1 + %2)");
  CHECK(described(a / (b * a)) == "%0 / (%1 * %2)");
  CHECK(described(a / (b / a)) == "%0 / (%1 / %2)");
  CHECK(described(a / sigmoid(b * a)) == "%0 / sigmoid(%1 * %2)");
  CHECK(described(-(a + b)) == "-(%0 + %1)");
  CHECK(described(-a * b) == "-%0 * %1");
  CHECK(described(a - (-b)) == "%0 - -%1");
  CHECK(described(a + (-2.5)) == "%0 + -2.5");
  CHECK(described(max(a, b) + min(a, 1)) == "max(%0, %1) + min(%2, 1)");
  CHECK(described(select(a < b, exp(a), b)) == "select(%0 < %1, exp(%2), %3)");
  CHECK(described((a < b) + a) == "(%0 < %1) + %2");
  CHECK(described((a + b) < a) == "%0 + %1 < %2");
  CHECK(described(a < (b < a)) == "%0 < (%1 < %2)");
  CHECK(described(pow(a, 2.5)) == "pow(%0, 2.5)");
  [[maybe_unused]] const Var y = a * 2;
  CHECK(std::string_view(tape.last()->where.file).ends_with("statement_text_test.cpp"));
  CHECK(tape.last()->where.line > 0);
}
