// EXPECTED: candidate(..) returns n_t with the reset gate applied after the product with U, as in PyTorch.
// HINT: In the second form r_t stands outside of the brackets. Which of its numbers meets row k, and does c
//   meet it?
// SHIPPED: The reset gate is applied before the product
#include EXERCISE
#include "tutorials/exercises/checks/check.hpp"

std::string exercise::check() {
  for (std::size_t H : {3, 2, 5}) {
    const Vector wx = noise(H, 1), U = noise(H * H, 2), c = noise(H, 3), h = noise(H, 5);
    Vector r = noise(H, 4, 0.5), right, before, c_outside;
    for (double& x : r) x += 0.5;
    for (std::size_t k = 0; k < H; ++k) {
      double inside = 0, product = 0;
      for (std::size_t j = 0; j < H; ++j) inside += U[k * H + j] * r[j] * h[j], product += U[k * H + j] * h[j];
      right.push_back(std::tanh(wx[k] + r[k] * (product + c[k])));
      before.push_back(std::tanh(wx[k] + inside + c[k]));
      c_outside.push_back(std::tanh(wx[k] + r[k] * product + c[k]));
    }
    compare(text("the candidate of %zu units", H), {"n", right}, candidate(wx, U, c, r, h),
            {{"n", before, "The reset gate is applied before the product: r_j where r_k belongs, and c is not reset."},
             {"n", c_outside, "r_k multiplies the bias c_k as well: that is why it cannot be merged with b."}});
  }
  return "Two nets with one name. Weights of one are no weights of the other: here they are Gru and GruResetAfter.";
}
