// 15. Write a backward: a step of an LSTM
//
//     f = sigmoid(z_f)   i = sigmoid(z_i)   g = tanh(z_g)   o = sigmoid(z_o)
//     c = f c_before + i g
//     h = o tanh(c)
//
// For one unit; the units do not meet in these lines. Two gradients come in: dL/dh, from what is shown, and
// dL/dc, from the next step. sigmoid' = s (1 - s) with s = sigmoid(z).
#include <cmath>

/// What the forward kept
struct LstmStep {
  double f, i, g, o, c_before, c;
};
struct LstmGradients {
  double z_f = 0, z_i = 0, z_g = 0, z_o = 0, c_before = 0;
};

LstmGradients lstm_step_backward(const LstmStep& s, double dh, double dc) {
  LstmGradients d;
  // HERE: first what c gets in all, from both
  return d;
}
