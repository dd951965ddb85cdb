// 18. Find the bug: a forget bias of 1
//
//     z = W x_t + b_ih + U h_{t-1} + b_hh        blocks of H: input, forget, candidate, output
//
// Some libraries have two biases for each gate. They mean the same and are added. At first the forget gates are to be
// sigmoid(1) = 0.73, and all else is to be sigmoid(0) or tanh(0).
#include <vector>

using Vector = std::vector<double>;

struct Biases {
  Vector ih, hh;
};

Biases first_biases(std::size_t hidden) {
  Biases b{Vector(4 * hidden, 0.0), Vector(4 * hidden, 0.0)};
  for (std::size_t k = 0; k < hidden; ++k) {
    b.ih[hidden + k] = 1;
    b.hh[hidden + k] = 1;
  }
  return b;
}
