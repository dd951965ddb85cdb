// A mask in double for scores in float.
// EXPECT: mask_does_not_mix_float_and_double
// EXPECT: Var<double, Batch>
// EXPECT: Var<float, Source, Batch>
#include "autodiff/reductions.hpp"
#include "tests/compile_fail/axes.hpp"

using namespace hindsight;

void mistake(Var<float, Source, Batch> e, Var<double, Batch> mask, Var<float, Batch> kept) {
#ifdef MISTAKE
  Var a = softmax<Source>(e, mask);
#else
  Var a = softmax<Source>(e, kept);
#endif
}
