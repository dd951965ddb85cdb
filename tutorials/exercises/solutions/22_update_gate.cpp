// 22. Find the bug: an update gate from another paper
//
//     here, Cho et al. 2014:        h_t = z_t h_{t-1} + (1 - z_t) n_t
//     theirs, Chung et al. 2014:    h_t = (1 - z_t) h_{t-1} + z_t n_t
//     both                          z_t = sigmoid(w [x_t, h_{t-1}] + b)
//
// A net that was trained there is to run here. The same weights make a net that forgets what it kept. What must
// become of the update gate's w and b, so that every h_t is as it was there?
// (1 - sigmoid(a) is a sigmoid, too.)
#include <vector>

using Vector = std::vector<double>;

/// The update gate's weights, the last one the bias: theirs in, ours out
Vector from_chung(Vector w) {
  // Our z must be 1 minus theirs, and 1 - sigmoid(a) = sigmoid(-a): the gate is the same one, asked the opposite.
  for (double& x : w) x = -x;
  return w;
}
