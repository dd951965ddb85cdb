// Dropout: what is dropped is a function of the occasion, the layer's path and the element's place.
#include <catch2/catch_test_macros.hpp>
#include <limits>

#include "autodiff/initialise.hpp"
#include "autodiff/module.hpp"
#include "layers/dropout.hpp"
#include "tests/error_text.hpp"

using namespace hindsight;

namespace {

struct Batch : Axis<> {};
struct Hidden : Axis<5> {};

}  // namespace

TEST_CASE("dropout depends on seed, path, step, time and element, and on nothing else") {
  struct Model {
    BOOST_HANA_DEFINE_STRUCT(Model, (Dropout, first), (Dropout, second));
  };
  Model model;
  model.first.rate = model.second.rate = 0.5;
  Tape tape;
  const auto x = filled<double, Batch, Hidden>(1.0, extent<Batch>(40));
  CHECK(model.first(x).values() == x.values());  // not training: nothing is dropped
  tape.occasion = {.seed = 1, .step = 3, .time = 2, .training = true};
  CHECK_THROWS_AS(model.first(x), Error);  // no path yet
  initialise(model, 77);
  const auto dropped = model.first(x).values();
  std::size_t zeros = 0;
  for (double v : dropped) {
    CHECK((v == 0 || v == 2));
    zeros += v == 0;
  }
  CHECK(zeros > 60);
  CHECK(zeros < 140);
  const auto other = model.second(x).values();
  CHECK(other != dropped);
  CHECK(model.first(x).values() == dropped);  // whatever was called between
  tape.occasion.time = 3;
  CHECK(model.first(x).values() != dropped);
  tape.occasion = {.seed = 1, .step = 4, .time = 2, .training = true};
  CHECK(model.first(x).values() != dropped);
}

TEST_CASE("the pieces of a batch are masked alike, unless each has a seed of its own") {
  Dropout dropout;
  dropout.rate = 0.5;
  dropout.initialise(Random{1}.child("layer"));
  Tape tape;
  const auto masked = [&](std::size_t n, std::uint64_t seed) {
    tape.occasion = {.seed = seed, .step = 3, .time = 2, .training = true};
    return dropout(filled<double, Batch, Hidden>(1.0, extent<Batch>(n))).values();
  };
  const auto whole = masked(40, 1), piece = masked(20, 1);
  CHECK(std::equal(piece.begin(), piece.end(), whole.begin()));
  CHECK(!std::equal(piece.begin(), piece.end(), whole.begin() + 100));
  CHECK(masked(20, 2) != piece);
}

TEST_CASE("a rate outside [0, 1) is refused by its name") {
  Tape tape;
  tape.occasion.training = true;
  const auto x = filled<double, Batch, Hidden>(1.0, extent<Batch>(1));
  for (const double rate : {-0.1, 1.0, 1.5, std::numeric_limits<double>::quiet_NaN()}) {
    Dropout dropout;
    dropout.rate = rate;
    dropout.initialise(Random{1});
    CHECK(says(error_text([&] { dropout(x); }), {"dropout: the rate is", "[0, 1)"}));
  }
}
