// A cell to be copied; then here stands what yours is (author, year).
//
// Copy this file to tutorials/cells/NAME.cpp, call the struct by your cell's name, change the places numbered 1 to 6,
// and run `tutorials/run cells/NAME`. As it stands it is an Elman net:
//
//     h_t = tanh(W x_t + V h_{t-1} + b)
#include "tutorials/cell_program.hpp"

using namespace hindsight;

/// 1. Its name, here and in BOOST_HANA_DEFINE_STRUCT. It reads Batch x In and keeps Batch x H, in numbers of type T.
template <IsAxis In_, IsAxis H, class T = float>
struct MyCell {
  using In = In_;
  using Hidden = H;
  using Scalar = T;

  // 2. Its parameters: a type (without commas: give it a name) and a name each. Affine<From, To, T> is x W + b,
  //    Linear<From, To, T> is x W, Parameter<T, H> a vector, for products element by element.
  using FromInput = Affine<In, H, T>;
  using FromHidden = Linear<H, H, T>;
  BOOST_HANA_DEFINE_STRUCT(MyCell, (FromInput, from_input), (FromHidden, from_hidden));

  // 3. What it keeps: HiddenState has h, State has h and c.
  template <IsAxis B>
  using Kept = HiddenState<T, B, H>;

  // 4. Its equations, from x_t and the last state to the next state.
  template <IsAxis B>
  Kept<B> operator()(const Var<T, B, In>& x, const Kept<B>& s) const {
    Var a = from_input(x) + from_hidden(s.h);
    Var h = tanh(a);
    return {h};
  }

  // 5. Its first state, of as many parts as 3 has.
  template <IsAxis B>
  Kept<B> initial(Extent<B> batch = {}) const {
    return {filled<T, B, H>(T{0}, batch)};
  }

  // 6. First values of its own, after Affine and Linear have had theirs; leave it out if there are none.
  void initialise(const Random& random) {
    initialise_orthogonal(from_hidden.weight, 1, random.child("from_hidden"));
  }
};

int main(int argc, char** argv) { return tutorial::check_cells<MyCell>(argc, argv); }
