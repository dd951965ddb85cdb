// Looks at the statements of a recording one by one: each one's backward, alone, against differences of its own result.
//
// A gradient of a whole model mixes what all its statements did. A statement alone has nothing before it and nothing
// behind it: f is run again with an operand changed while that statement computes, and set back before the next one.
#pragma once

#include "autodiff/gradcheck.hpp"

namespace hindsight::detail {

/// Adds to the report which statements' backwards are wrong, with their likely causes. Of statements that are alike, as
/// the steps of a sequence are, the last one that is wrong is told. The cause is not looked for where
/// f is too large to be run so often.
void explain_statements(CheckedFunction& f, Tape& tape, GradientReport& report);

}  // namespace hindsight::detail
