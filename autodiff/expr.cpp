#include "autodiff/expr.hpp"

#include <cstdio>

namespace hindsight::detail {

std::string number_text(double number) {
  char text[32];
  std::snprintf(text, sizeof text, "%g", number);
  return text;
}

}  // namespace hindsight::detail
