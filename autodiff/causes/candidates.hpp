// What a backward may have taken for a tensor: one of the same axes, its neighbour in time, the tensor turned.
#pragma once

#include "autodiff/causes/evidence.hpp"

namespace hindsight::causes {

struct Candidate {
  std::string text;
  Mistake mistake;
  std::vector<double> values;
};

std::vector<Candidate> candidates(const CheckedMap& map, const Field& field);

}  // namespace hindsight::causes
