// An LSTM that is given another state.
// EXPECT: Lstm<In, Hidden
#include "layers/lstm.hpp"
#include "tests/compile_fail/axes.hpp"

using namespace hindsight;

void mistake(const Lstm<In, Hidden>& cell, Var<float, Batch, In> x, State<float, Batch, Hidden> s, State<float, Batch, Half> other) {
#ifdef MISTAKE
  cell(x, other);
#else
  cell(x, s);
#endif
}
