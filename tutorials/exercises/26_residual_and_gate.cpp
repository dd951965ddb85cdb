// 26. Predict: what does a residual connection share with a gate?
//
//     plain      y = F(x)
//     residual   y = x + F(x)
//     gated      y = g x + (1 - g) F(x)        g = sigmoid(2) = 0.88, a number that does not depend on x
//
// Fifty such layers, one upon the other. Let F be of slope 0 where it is used, as a net of saturated units is.
// What is left of the gradient, d y_50 / d y_0, in each of the three? 5 % off will do.

constexpr double plain = 1, residual = 1, gated = 1;  // HERE
