// 24. Write a backward: a step of a GRU
//
//     r = sigmoid(a_r)   z = sigmoid(a_z)   n = tanh(a_n + u r h_before)
//     h = z h_before + (1 - z) n
//
// For one unit, whose recurrent weight in the candidate is u. Given dL/dh, return the gradients of a_r, a_z, a_n and
// h_before. (What h_before gives to a_r and a_z, in a whole cell, is theirs to pass on.)

/// What the forward kept
struct GruStep {
  double r, z, n, h_before, u;
};
struct GruGradients {
  double a_r = 0, a_z = 0, a_n = 0, h_before = 0;
};

GruGradients gru_step_backward(const GruStep& s, double dh) {
  GruGradients d;
  // HERE
  return d;
}
