#include "bench/compare/contender.hpp"

#include "autodiff/error.hpp"

namespace hindsight::bench {

const Array& find(const Arrays& arrays, const std::string& name) {
  for (const Array& array : arrays)
    if (array.name == name) return array;
  throw Error("there is no array " + name);
}

}  // namespace hindsight::bench
