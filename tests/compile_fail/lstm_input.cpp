// An LSTM that reads another input.
// EXPECT: Lstm<In, Hidden
#include "layers/lstm.hpp"
#include "tests/compile_fail/axes.hpp"

using namespace hindsight;

void mistake(const Lstm<In, Hidden>& cell, Var<float, Batch, In> x, Var<float, Batch, Hidden> h, State<float, Batch, Hidden> s) {
#ifdef MISTAKE
  cell(h, s);
#else
  cell(x, s);
#endif
}
