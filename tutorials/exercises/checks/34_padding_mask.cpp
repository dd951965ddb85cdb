// EXPECTED: read<Source>(e, mask, h) returns for a padded sentence the context that it has alone.
// HINT: softmax<Source>(e) has a second argument, which takes a mask.
// SHIPPED: attention looks at the padding
#include "autodiff/backward.hpp"
#include EXERCISE
#include "tutorials/exercises/checks/check.hpp"

using namespace hindsight;
namespace {
struct Source : Axis<> {};
struct Batch : Axis<> {};
struct Hidden : Axis<3> {};
}  // namespace

std::string exercise::check() {
  for (const std::size_t real : {3, 1, 5}) {
    const std::size_t padded = 5;
    const auto sources = extent<Source>(padded);
    const auto one = extent<Batch>(1);
    const Vector e = noise(padded, real, 2), h = noise(padded * 3, real + 1);
    Vector mask(padded, 0.0);
    for (std::size_t i = 0; i < real; ++i) mask[i] = 1;
    Tape tape;
    const auto scores = variable<Source, Batch>(e, sources, one);
    const auto states = constant<Source, Batch, Hidden>(h, sources, one);
    const auto c = read<Source>(scores, constant<Source, Batch>(mask, sources, one), states);
    const auto context = [&](std::size_t weighted, std::size_t summed) {
      Vector all(3);
      double sum = 0;
      for (std::size_t i = 0; i < weighted; ++i) sum += std::exp(e[i]);
      for (std::size_t i = 0; i < summed; ++i)
        for (std::size_t k = 0; k < 3; ++k) all[k] += std::exp(e[i]) / sum * h[i * 3 + k];
      return all;
    };
    compare(text("a sentence of %zu, padded to %zu", real, padded), {"c", context(real, real)}, c.values(),
            {{"c", context(padded, padded), "That is with the padded positions: attention looks at the padding."},
             {"c", context(padded, real), "The padding is left out of the sum, and still has its "
                                          "share of the weights: they sum to less than 1."}});
    const auto J = jacobian(c, scores);
    for (std::size_t i = real; i < padded; ++i)
      if (J[i] != 0) fail("The values are right, and the padding's scores get a gradient all the same.");
  }
  return "A mask belongs into the softmax. What is masked has weight 0 and gradient 0, whatever stands there.";
}
