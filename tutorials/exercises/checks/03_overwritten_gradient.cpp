// EXPECTED: after product_backward(a, b, y) the gradients of a and b have grown by what y contributes.
// HINT: What does a.gradient hold when this product is reached, if another product has read the same number?
// SHIPPED: The second use wiped out the gradient of the first
#include EXERCISE
#include "tutorials/exercises/checks/check.hpp"

std::string exercise::check() {
  const Vector v = noise(3, 5, 2);
  {
    Number w{v[0]}, x{v[1]}, y{w.value * x.value, 1};
    product_backward(w, x, y);
    compare("y = w x", {"dy/dw", {x.value}}, {w.gradient});
    compare("y = w x", {"dy/dx", {w.value}}, {x.gradient});
  }
  for (const bool x_is_first : {false, true}) {
    Number u{v[0]}, w{v[1]}, x{v[2]}, y1{u.value * x.value, 1}, y2{w.value * x.value, 1};
    x_is_first ? product_backward(x, u, y1) : product_backward(u, x, y1);
    x_is_first ? product_backward(x, w, y2) : product_backward(w, x, y2);
    compare(x_is_first ? "L = x u + x w" : "L = u x + w x", {"dL/dx", {u.value + w.value}}, {x.gradient},
            {{"dL/dx", {w.value}, "The second use wiped out the gradient of the first."}});
  }
  Number x{v[2]}, y{x.value * x.value, 1};
  product_backward(x, x, y);
  compare("y = x x", {"dy/dx", {2 * x.value}}, {x.gradient});
  return "A backward adds. In a recurrent net a weight that is overwritten keeps the gradient of one step of T.";
}
