// Every cell, unrolled, and the reads by the complex step: right to machine precision.
#include <catch2/catch_test_macros.hpp>
#include <fstream>
#include <iterator>

#include "autodiff/complex_step.hpp"
#include "layers/bidirectional.hpp"
#include "layers/combine.hpp"
#include "layers/gru.hpp"
#include "layers/peephole_lstm.hpp"
#include "layers/reads.hpp"
#include "layers/rnn.hpp"

using namespace hindsight;

namespace {

struct Time : Axis<> {};
struct Batch : Axis<> {};
struct In : Axis<3> {};
struct Hidden : Axis<2> {};
struct Score : Axis<4> {};

// Random values for all parameters: zeros would hide mistakes.
template <class M>
void fill(M& module) {
  initialise(module, 1);
  std::uint64_t n = 0;
  for_each_parameter(module, [&](const Path&, auto& p) { initialise_uniform(p, 0.9, Random{5}.child(n++)); });
}

template <class F, class... Parts>
void check_right(F f, Parts&&... parts) {
  const auto report = check_complex_step(f, parts...);
  INFO(report.text());
  CHECK(report.ok());
}

// A reader of whole sequences, without a mask and with lengths 4, 0, 1 and 3.
template <template <class> class Reader>
void check_reader(const char* name) {
  CAPTURE(name);
  Reader<double> reader;
  fill(reader);
  const auto xs = random_input<Time, Batch, In>("x", extent<Time>(4), extent<Batch>(4));
  check_right([](const auto& r, auto x) { return r(x).outputs; }, reader, Reader<Complex>(), xs);
  const std::vector<std::size_t> lengths{4, 0, 1, 3};
  check_right(
      [&](const auto& r, auto x) {
        using T = typename decltype(x)::Scalar;
        return r(x, mask_of_lengths<Time, Batch, T>(lengths, 4)).outputs;
      },
      reader, Reader<Complex>(), xs);
}

template <class T>
using RnnReader = Unidirectional<Rnn<In, Hidden, T>>;
template <class T>
using LstmReader = Unidirectional<Lstm<In, Hidden, T>>;
template <class T>
using PeepholeReader = Unidirectional<PeepholeLstm<In, Hidden, T>>;
template <class T>
using GruReader = Unidirectional<Gru<In, Hidden, T>>;
template <class T>
using GruAfterReader = Unidirectional<GruResetAfter<In, Hidden, T>>;
template <class T>
using BothWays = Deep<Bidirectional<Lstm<In, Hidden, T>>, Bidirectional<Gru<Concat<Hidden, Hidden>, Hidden, T>>>;
template <class T>
using StackReader = Unidirectional<
    Stack<Lstm<In, Hidden, T>, Residual<PeepholeLstm<Hidden, Hidden, T>>, GruResetAfter<Hidden, Hidden, T>>>;

// One look at a masked memory.
template <template <class> class Read>
void check_read(const char* name) {
  CAPTURE(name);
  Read<double> read;
  fill(read);
  const std::vector<std::size_t> lengths{4, 0, 1, 3};
  check_right(
      [&](const auto& r, auto states, auto query) {
        using T = typename decltype(states)::Scalar;
        return r(query, r.remember(states, mask_of_lengths<Time, Batch, T>(lengths, 4))).context;
      },
      read, Read<Complex>(), random_input<Time, Batch, Hidden>("states", extent<Time>(4), extent<Batch>(4)),
      random_input<Batch, Hidden>("query", extent<Batch>(4)));
}

template <class T>
using Additive = Attention<AdditiveScore<Hidden, Hidden, Score, T>>;
template <class T>
using General = Attention<GeneralScore<Hidden, Hidden, T>>;
template <class T>
using ScaledDot = Attention<ScaledDotScore<Hidden, T>>;
template <class T>
using Mean = MeanState<Hidden, T>;
template <class T>
using Last = LastState<Hidden, T>;
template <class T>
using Max = MaxState<Hidden, T>;

}  // namespace

TEST_CASE("every cell passes the complex step, whole and masked") {
  check_reader<RnnReader>("RNN");
  check_reader<LstmReader>("LSTM");
  check_reader<PeepholeReader>("peephole LSTM");
  check_reader<GruReader>("GRU");
  check_reader<GruAfterReader>("GRU, reset after");
}

TEST_CASE("both directions and stacks pass the complex step") {
  check_reader<BothWays>("two bidirectional layers");
  check_reader<StackReader>("a stack of three");
}

TEST_CASE("reads pass the complex step") {
  check_read<Additive>("additive attention");
  check_read<General>("general attention");
  check_read<ScaledDot>("scaled dot attention");
  check_read<Mean>("mean");
  check_read<Last>("last");
  check_read<Max>("max");
}

TEST_CASE("the page on gradient checking shows this example and what it prints") {
  Lstm<In, Hidden, double> lstm;
  initialise(lstm, 1);
  const auto report = check_complex_step(
      [](const auto& cell, auto x) { return unroll(cell, x, cell.initial(extent<Batch>(2))).outputs; },
      lstm, Lstm<In, Hidden, Complex>(), random_input<Time, Batch, In>("x", extent<Time>(5), extent<Batch>(2)));
  std::ifstream file("docs/gradient-checking.md");
  const std::string page{std::istreambuf_iterator<char>(file), {}}, text = report.text();
  INFO(text);
  CHECK(report.ok());
  // The last digits depend on the last bits: only up to there.
  CHECK(page.find(text.substr(0, text.find("error is "))) != std::string::npos);
}
