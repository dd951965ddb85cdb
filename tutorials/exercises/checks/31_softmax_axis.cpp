// EXPECTED: attention_weights(e) returns weights that sum to 1 over the source positions of each sentence.
// HINT: Read what stands behind "softmax axis not in tensor": the axis that was asked for, and the axes there
//   are. Over what is the sum of the equation?
// SHIPPED: does not compile: softmax axis not in tensor: Target, Tensor<Source, Batch>
#include EXERCISE
#include "tutorials/exercises/checks/check.hpp"

std::string exercise::check() {
  hindsight::Tape tape;
  const auto e = hindsight::constant<Source, Batch>(noise(10, 1, 2));
  const auto alpha = attention_weights(e);
  Vector by_source(2), by_batch(5);
  for (std::size_t i = 0; i < 5; ++i)
    for (std::size_t b = 0; b < 2; ++b) by_source[b] += alpha.at(i, b), by_batch[i] += alpha.at(i, b);
  if (close(by_batch, Vector(5, 1.0), 1e-9))
    fail("The weights sum to 1 over the batch: the sentences compete "
         "with each other. Let the positions of one sentence.");
  compare("the sum of a sentence's weights", {"sum", {1, 1}}, by_source);
  return "An axis is a type: a softmax over the wrong one does not compile, even where the lengths are equal.";
}
