// Dropout (Srivastava et al. 2014): while training, each element is dropped with a probability and
// the others are scaled up, so that the mean stays.
#pragma once

#include <string>

#include "autodiff/contract.hpp"
#include "autodiff/random.hpp"

namespace hindsight {

/// y = x m / (1 - rate), m = 0 with probability rate; y = x unless tape.occasion.training. The shape stays.
///
/// What is dropped is a function of the occasion (seed, training step, time step), of the layer's
/// path in the model and of the element's place in x, and of nothing else: no order of calls changes
/// it. Two pieces of a batch that are run under one occasion are masked alike; to have them differ,
/// give each a seed of its own. The path is given by `initialise(model, seed)`; without it, training
/// throws Error, and so does a rate outside [0, 1).
struct Dropout {
  double rate = 0;

  template <class T, IsAxis... As>
  Var<T, As...> operator()(const Var<T, As...>& x) const {
    const Occasion& occasion = Tape::current().occasion;
    if (!occasion.training || rate == 0) return x;
    if (!(rate > 0 && rate < 1)) throw Error("dropout: the rate is " + std::to_string(rate) + ", it must be in [0, 1)");
    if (!named_) throw Error("dropout: call initialise(model, seed) first, it gives each layer its path");
    Var<T, As...> mask = detail::allocate<T, As...>(x.extents);
    const Random random = Random{occasion.seed, path_}.child(occasion.step).child(occasion.time);
    dropout_mask(mask.size(), 1 - rate, random, 0, mask.value);
    return x * mask;
  }

  void initialise(const Random& random) {
    path_ = random.stream;
    named_ = true;
  }

 private:
  std::uint64_t path_ = 0;
  bool named_ = false;
};

}  // namespace hindsight
