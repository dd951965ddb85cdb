#include "autodiff/views.hpp"

namespace hindsight::detail {

void index_outside(const char* operation, const std::string& axis, std::size_t index, std::size_t extent) {
  throw Error(std::string(operation) + ": position " + std::to_string(index) + " on axis " + axis + ", which is " +
              std::to_string(extent) + " long");
}

}  // namespace hindsight::detail
