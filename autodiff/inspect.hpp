// Looking at what was recorded: a listing, a graph, and where the first NaN comes from.
//
// Each function also takes a module, whose parameters are then called by their paths.
#pragma once

#include <optional>
#include <string>

#include "autodiff/recording.hpp"

namespace hindsight {

/// The recorded statements, a line each: "z = contract<In>(x, w) + b    Batch x Hidden (3 x 5)".
std::string list(const Recording& recording);

/// The recording as a Graphviz graph: variables are ellipses, parameters and constants cylinders,
/// statements boxes, dashed where nothing is differentiated. `dot -Tsvg` draws it.
std::string draw(const Recording& recording);

/// The first statement whose value holds a NaN while its operands hold none: its text, where in it the
/// NaN is, and the line of the program. Operands that were not recorded and are in no module that is
/// given (constants) cannot be looked at; the text says so.
std::optional<std::string> first_nan(const Recording& recording);

/// The same for gradients after a backward pass, in the order of that pass: the first gradient that
/// holds a NaN, and the statements whose backward added to it.
std::optional<std::string> first_nan_gradient(const Recording& recording);

/// Throws Error with the text of `first_nan` or `first_nan_gradient` if there is one.
void throw_if_nan(const Recording& recording);

inline std::string list(const Tape& tape) { return list(Recording(tape)); }
inline std::string draw(const Tape& tape) { return draw(Recording(tape)); }
inline std::optional<std::string> first_nan(const Tape& tape) { return first_nan(Recording(tape)); }
inline std::optional<std::string> first_nan_gradient(const Tape& tape) { return first_nan_gradient(Recording(tape)); }
inline void throw_if_nan(const Tape& tape) { throw_if_nan(Recording(tape)); }

template <class Module>
std::string list(const Tape& tape, const Module& module) {
  return list(Recording(tape, named_parameters(module)));
}
template <class Module>
std::string draw(const Tape& tape, const Module& module) {
  return draw(Recording(tape, named_parameters(module)));
}
template <class Module>
std::optional<std::string> first_nan(const Tape& tape, const Module& module) {
  return first_nan(Recording(tape, named_parameters(module)));
}
template <class Module>
std::optional<std::string> first_nan_gradient(const Tape& tape, const Module& module) {
  return first_nan_gradient(Recording(tape, named_parameters(module)));
}
template <class Module>
void throw_if_nan(const Tape& tape, const Module& module) {
  throw_if_nan(Recording(tape, named_parameters(module)));
}

}  // namespace hindsight
