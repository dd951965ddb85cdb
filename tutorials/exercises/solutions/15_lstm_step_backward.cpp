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
  // c is read twice: by the next step, and by h through tanh. From there on each product gives each factor the other.
  const double tanh_c = std::tanh(s.c);
  const double dc_all = dc + dh * s.o * (1 - tanh_c * tanh_c);
  d.z_o = dh * tanh_c * s.o * (1 - s.o);
  d.z_f = dc_all * s.c_before * s.f * (1 - s.f);
  d.z_i = dc_all * s.g * s.i * (1 - s.i);
  d.z_g = dc_all * s.i * (1 - s.g * s.g);
  d.c_before = dc_all * s.f;  // the path that keeps the gradient: no matrix, and no slope of a tanh
  return d;
}
