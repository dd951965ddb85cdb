// 3. Find the bug: a variable that is used twice
//
//     y = a b        dL/da = dL/dy b        dL/db = dL/dy a
//
// A number on a tape, and the backward of a product. On y = w x it is right. On y = x x, or where x is read by two
// products, it is not.
struct Number {
  double value;
  double gradient = 0;  // dL/d this; 0 before the walk
};

void product_backward(Number& a, Number& b, const Number& y) {
  a.gradient = y.gradient * b.value;
  b.gradient = y.gradient * a.value;
}
