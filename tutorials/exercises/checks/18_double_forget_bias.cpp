// EXPECTED: in first_biases(hidden) the biases b_ih + b_hh are 1 for the forget gates and 0 for all others.
// HINT: What is the bias of a forget gate if the two are added?
// SHIPPED: the bias is doubled
#include EXERCISE
#include "tutorials/exercises/checks/check.hpp"

std::string exercise::check() {
  for (std::size_t H : {3, 1, 8}) {
    const Biases b = first_biases(H);
    if (b.ih.size() != 4 * H || b.hh.size() != 4 * H)
      fail(text("For H = %zu each bias should have %zu numbers.", H, 4 * H));
    Vector sum, right(4 * H, 0.0), twice(4 * H, 0.0), first_block(4 * H, 0.0);
    for (std::size_t k = 0; k < 4 * H; ++k) sum.push_back(b.ih[k] + b.hh[k]);
    for (std::size_t k = 0; k < H; ++k) right[H + k] = 1, twice[H + k] = 2, first_block[k] = 1;
    if (sum == twice)
      fail("The forget gates begin at sigmoid(2) = 0.88 and should at sigmoid(1) = 0.73: the bias is doubled.");
    compare(text("b_ih + b_hh for H = %zu", H), {"b", right}, sum,
            {{"b", first_block, "That is the input gate's block; the forget gate's is the second one here."}});
  }
  return "Two biases that are added are one parameter written twice; setting both sets it doubly.";
}
