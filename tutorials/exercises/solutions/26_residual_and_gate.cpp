// 26. Predict: what does a residual connection share with a gate?
//
//     plain      y = F(x)
//     residual   y = x + F(x)
//     gated      y = g x + (1 - g) F(x)        g = sigmoid(2) = 0.88, a number that does not depend on x
//
// Fifty such layers, one upon the other. Let F be of slope 0 where it is used, as a net of saturated units is.
// What is left of the gradient, d y_50 / d y_0, in each of the three? 5 % off will do.

// Both have a way past F whose slope does not depend on F: 1 for a residual connection, g for a gate. The gate can
// also shut; the residual connection cannot forget.
constexpr double plain = 0, residual = 1, gated = 0.00175;  // gated: 0.8808^50
