#include "autodiff/shape.hpp"

namespace hindsight::detail {

void extents_differ(const std::string& operation, const std::string& axis, std::size_t a, std::size_t b) {
  throw Error(operation + ": axis " + axis + " is " + std::to_string(a) + " long in one operand and " +
              std::to_string(b) + " in the other");
}

void extent_missing(const std::string& axis) {
  throw Error("a tensor: the extent of dynamic axis " + axis + " was not given; pass extent<" + axis + ">(n)");
}

}  // namespace hindsight::detail
