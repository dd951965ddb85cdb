// 32. Make it compile, and rightly: the context
//
//     c_t = sum_i alpha_{t,i} h_i
//
// contract<K>(a, b) multiplies a and b and sums over the axis K, which both must have. Axes that both have
// besides, here the batch, are kept.
#include "autodiff/contract.hpp"

struct Source : hindsight::Axis<5> {};
struct Batch : hindsight::Axis<2> {};
struct Hidden : hindsight::Axis<3> {};
using Weights = hindsight::Var<double, Source, Batch>;
using States = hindsight::Var<double, Source, Batch, Hidden>;

auto context(const Weights& alpha, const States& h) {
  // The sum is over i. What is left is Batch x Hidden: of the size of one state, however long the source is.
  return hindsight::Var(hindsight::contract<Source>(alpha, h));
}
