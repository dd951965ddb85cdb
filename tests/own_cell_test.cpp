// The second cell of docs/cell.md, as it stands there: a state of its own, checked in a test, and in models.
#include <catch2/catch_test_macros.hpp>

#include "layers/bidirectional.hpp"
#include "layers/combine.hpp"
#include "layers/linear.hpp"
#include "models/check_cell.hpp"
#include "models/language_model.hpp"
#include "models/text.hpp"
#include "models/vocabulary.hpp"

using namespace hindsight;

namespace {

template <class T, IsAxis B, IsAxis H>
struct MomentumState {
  Var<T, B, H> h, v;
};
template <class F, class T, IsAxis B, IsAxis H, class... More>
MomentumState<T, B, H> zip(F f, const MomentumState<T, B, H>& s, const More&... more) {
  return {f(s.h, more.h...), f(s.v, more.v...)};
}
template <class T, IsAxis B, IsAxis H>
Var<T, B, H> output(const MomentumState<T, B, H>& s) {
  return s.h;
}

/// A momentum net (Nguyen et al. 2020): v_t = mu v_{t-1} + W x_t + b, h_t = tanh(U h_{t-1} + v_t).
template <IsAxis In_, IsAxis H, class T = float>
struct Momentum {
  using In = In_;
  using Hidden = H;
  using Scalar = T;
  using FromInput = Affine<In, H, T>;
  using FromHidden = Linear<H, H, T>;
  BOOST_HANA_DEFINE_STRUCT(Momentum, (FromInput, from_input), (FromHidden, from_hidden));
  double mu = 0.5;

  template <IsAxis B>
  MomentumState<T, B, H> operator()(const Var<T, B, In>& x, const MomentumState<T, B, H>& s) const {
    Var v = mu * s.v + Var(from_input(x));
    Var h = tanh(Var(from_hidden(s.h)) + v);
    return {h, v};
  }

  template <IsAxis B>
  MomentumState<T, B, H> initial(Extent<B> batch = {}) const {
    return {filled<T, B, H>(T{0}, batch), filled<T, B, H>(T{0}, batch)};
  }
};

struct In : Axis<3> {};
struct Hidden : Axis<4> {};
struct Emb : Axis<8> {};
struct Units : Axis<32> {};

}  // namespace

TEST_CASE("a cell of one's own is right") {
  const CellReport report = check_cell_rules<Momentum>();
  INFO(report.text());
  CHECK(report.ok());
}

TEST_CASE("a cell of one's own passes the gradient check, stacked and in both directions") {
  Bidirectional<Stack<Momentum<In, Hidden, double>, Momentum<Hidden, Hidden, double>>> reader;
  initialise(reader, 1);
  const auto report = check_gradients([&](auto x) { return reader(x).outputs; }, reader,
                                      random_input<Time, Batch, In>("x", extent<Time>(4), extent<Batch>(2)));
  INFO(report.text());
  CHECK(report.ok());
}

TEST_CASE("a language model with a cell of one's own learns, and writes what it has read") {
  std::string content;
  for (int i = 0; i < 100; ++i) content += "she sells sea shells; ";
  TokenCounts counts;
  counts.add_all(characters(content));
  const Vocabulary vocabulary = counts.vocabulary();
  const std::vector<int> text = vocabulary.encode(characters(content));

  auto model = LanguageModel<Momentum<Emb, Units>>::of(vocabulary.size(), 1);
  LanguageModelTrainer trainer(model, text, {.batch = 8, .window = 20, .rate = 1e-2, .steps = 200});
  while (trainer.done() < 200) trainer.step();
  CHECK(bits_per_symbol(model, text) < 0.1);
  const std::vector<int> written = sample(model, vocabulary.encode(characters("she ")), 18, 0, 1);
  CHECK(vocabulary.decode(written) == "sells sea shells; ");
}
