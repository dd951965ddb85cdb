// EXPECTED: tanh_backward(y, dy) returns dL/dx, a number for each element, from y = tanh(x) and dy = dL/dy.
// HINT: The chain rule for one element: dL/dx_k = dL/dy_k times the slope of tanh at x_k, and y_k is tanh(x_k)
//   already.
// SHIPPED: backward of tanh: dL/dx
#include EXERCISE
#include "tutorials/exercises/checks/check.hpp"

std::string exercise::check() {
  for (std::size_t n : {4, 7, 1}) {
    const Vector x = noise(n, n, 2), dy = noise(n, n + 1);
    Vector y, slope_alone, of_y, without_square;
    for (std::size_t k = 0; k < n; ++k) {
      y.push_back(std::tanh(x[k]));
      slope_alone.push_back(1 - y[k] * y[k]);
      of_y.push_back(dy[k] * (1 - std::pow(std::tanh(y[k]), 2)));
      without_square.push_back(dy[k] * (1 - y[k]));
    }
    check_backward(
        "backward of tanh",
        [](const std::vector<Vector>& at) {
          Vector all;
          for (const double v : at[0]) all.push_back(std::tanh(v));
          return all;
        },
        {{"x", x}}, dy, {tanh_backward(y, dy)},
        {{"x", slope_alone, "That is the slope alone; the chain rule multiplies it by dL/dy."},
         {"x", of_y, "That is the slope at y; y is tanh(x) already."},
         {"x", without_square, "That is 1 - y; the slope is 1 - y^2."}});
  }
  return "The slope of tanh is at most 1, and near 0 where y is near 1 or -1: a saturated unit passes no gradient.";
}
