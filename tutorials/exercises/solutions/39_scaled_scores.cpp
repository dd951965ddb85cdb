// 39. Predict: why a dot product is divided by sqrt(d)
//
//     e = sum_k s_k h_k        k = 1 .. d, with d = 64
//
// The s_k and h_k are independent, of mean 0 and variance 1. What is the variance of e, and what is that of
// e / sqrt(d)? 10 % off will do. And of ten such scores a softmax is taken: is its largest weight nearer to 1 without
// the division?

// A sum of 64 terms of variance 1. So scores differ by 8 or so, exp(8) = 3000: one weight is nearly 1, and there the
// softmax's slope alpha (1 - alpha) is nearly 0. The wider the state, the less a score would learn.
constexpr double variance_of_e = 64, variance_of_scaled = 1;
constexpr bool unscaled_is_sharper = true;
