#include "models/draw.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace hindsight {

int draw(std::span<const double> logits, double temperature, double uniform) {
  const auto likeliest = std::max_element(logits.begin(), logits.end());
  if (temperature == 0) return static_cast<int>(likeliest - logits.begin());
  std::vector<double> weights;
  double total = 0;
  for (double logit : logits) total += weights.emplace_back(std::exp((logit - *likeliest) / temperature));
  double below = uniform * total;
  for (std::size_t k = 0; k < weights.size(); ++k)
    if ((below -= weights[k]) < 0) return static_cast<int>(k);
  return static_cast<int>(likeliest - logits.begin());
}

}  // namespace hindsight
