// A state of one's own without zip.
// EXPECT: a_state_needs_a_zip_over_its_variables<MyState>
#include "layers/unroll.hpp"
#include "tests/compile_fail/axes.hpp"

using namespace hindsight;

struct Time : Axis<> {};

struct MyState {
  Var<float, Batch, Hidden> h, v;
};
#ifdef MISTAKE
#else
template <class F, class... More>
MyState zip(F f, const MyState& s, const More&... more) {
  return {f(s.h, more.h...), f(s.v, more.v...)};
}
#endif
Var<float, Batch, Hidden> output(const MyState& s) { return s.h; }

struct MyCell {
  MyState operator()(const Var<float, Batch, In>&, const MyState& s) const { return s; }
};

void mistake(const MyCell& cell, Var<float, Time, Batch, In> xs, const MyState& s) { unroll(cell, xs, s); }
