// Drawing from a distribution that is given by its logits.
#pragma once

#include <span>

namespace hindsight {

/// Draws a symbol from softmax(logits / temperature) by a number uniform in [0, 1); temperature 0 takes the
/// likeliest, the first of equals. Throws Error if a logit is NaN or the largest is not finite.
int draw(std::span<const double> logits, double temperature, double uniform);

}  // namespace hindsight
