// The smallest program that trains something: what a consumer's own code looks like.
#include <cstdio>

#include "autodiff/backward.hpp"
#include "autodiff/optimizers.hpp"
#include "autodiff/reductions.hpp"
#include "layers/lstm.hpp"
#include "layers/unroll.hpp"

#ifndef HWY_COMPILE_ONLY_STATIC
#error "the flags that inline code depends on do not reach the consumer"
#endif

using namespace hindsight;

struct Time : Axis<> {};
struct Batch : Axis<2> {};
struct In : Axis<1> {};
struct Hidden : Axis<3> {};

int main() {
  Lstm<In, Hidden> cell;
  initialise(cell, 1);
  Adam adam;
  Tape tape;
  float loss[2] = {};
  for (float& now : loss) {
    tape.reset();
    const auto xs = constant<Time, Batch, In>({1.f, 2.f, 3.f, 4.f}, extent<Time>(2));
    Var y = mean(square(unroll(cell, xs, cell.initial<Batch>()).last.h - 1));
    backward(y);
    adam.step(cell);
    clear_gradients(cell);
    now = y.item();
  }
  std::printf("loss %.4f, then %.4f\n", loss[0], loss[1]);
  return loss[1] < loss[0] ? 0 : 1;
}
