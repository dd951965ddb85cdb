// 31. Make it compile, and rightly: the axis of a softmax
//
//     alpha_{t,i} = exp(e_{t,i}) / sum_k exp(e_{t,k})
//
// At one target step there is a score for each source position i of each sentence of the batch. The axes are
// types here, and the compiler knows that something is mixed up.
#include "autodiff/reductions.hpp"

struct Source : hindsight::Axis<5> {};
struct Target : hindsight::Axis<5> {};
struct Batch : hindsight::Axis<2> {};

auto attention_weights(const hindsight::Var<double, Source, Batch>& e) {
  // A decoder's state asks the whole source: the weights compete over i. Source and Target are equally long here, so
  // with numbered axes nobody would have noticed.
  return hindsight::softmax<Source>(e);
}
