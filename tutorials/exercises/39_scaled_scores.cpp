// 39. Predict: why a dot product is divided by sqrt(d)
//
//     e = sum_k s_k h_k        k = 1 .. d, with d = 64
//
// The s_k and h_k are independent, of mean 0 and variance 1. What is the variance of e, and what is that of
// e / sqrt(d)? 10 % off will do. And of ten such scores a softmax is taken: is its largest weight nearer to 1 without
// the division?

constexpr double variance_of_e = 1, variance_of_scaled = 1;  // HERE
constexpr bool unscaled_is_sharper = false;                  // HERE
