// Products of float and double.
// EXPECT: contract_does_not_mix_float_and_double
// EXPECT: Var<float, Batch, In>
// EXPECT: Var<double, In, Hidden>
#include "autodiff/contract.hpp"
#include "tests/compile_fail/axes.hpp"

using namespace hindsight;

void mistake(Var<float, Batch, In> x, Var<double, In, Hidden> w, Var<float, In, Hidden> v) {
#ifdef MISTAKE
  Var y = contract<In>(x, w);
#else
  Var y = contract<In>(x, v);
#endif
}
