// 17. Predict: why is the forget gate's bias 1 at first?
//
// At the start of training the weights are small, and f_t is about sigmoid(b_f) at every step. How much of a
// gradient is left after 20 steps along the memory, d c_20 / d c_0, if all weights are 0 and b_f is 0, and if
// it is 1? 10 % off will do. sigmoid(b) = 1 / (1 + exp(-b)).

constexpr double with_bias_0 = 1, with_bias_1 = 1;  // HERE
