// 16. Choose: when is d c_t / d c_{t-1} near the identity?
//
//     c_t = f_t c_{t-1} + i_t g_t        h_t = o_t tanh(c_t)
//
// All weights are 0 here, so the gates are sigmoid of their biases, at every step, and the candidate is tanh(1).
// Choose the biases so that over 100 steps
//
//     the gradient survives:             d c_100 / d c_0 is at least 0.99
//     the memory is not written over:    c_100 is c_0 but for 0.02
//     and is not shown:                  h_100 is less than 0.01

// f^100 > 0.99 needs 1 - f < 0.0001, and 100 i must be small as well. A gate is open at +10 and shut at -10. Near the
// identity the LSTM copies; all that it still needs is to know when not to.
constexpr double forget_bias = 10, input_bias = -10, output_bias = -10;
