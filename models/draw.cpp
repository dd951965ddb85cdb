#include "models/draw.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "autodiff/error.hpp"

namespace hindsight {

int draw(std::span<const double> logits, double temperature, double uniform) {
  for (std::size_t k = 0; k < logits.size(); ++k)
    if (std::isnan(logits[k])) throw Error("draw: the logit of symbol " + std::to_string(k) + " is NaN");
  const auto likeliest = std::max_element(logits.begin(), logits.end());
  if (logits.empty()) throw Error("draw: there is no symbol to draw");
  if (!std::isfinite(*likeliest))
    throw Error("draw: the largest logit, of symbol " + std::to_string(likeliest - logits.begin()) + ", is " +
                std::to_string(*likeliest));
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
