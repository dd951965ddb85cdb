// Every cell's gradients against finite differences: over three steps and more, masked, stacked, in both
// directions.
#include <catch2/catch_test_macros.hpp>

#include "autodiff/gradcheck.hpp"
#include "layers/bidirectional.hpp"
#include "layers/combine.hpp"
#include "layers/gru.hpp"
#include "layers/peephole_lstm.hpp"
#include "layers/rnn.hpp"

using namespace hindsight;

namespace {

struct Time : Axis<> {};
struct Batch : Axis<> {};
struct In : Axis<3> {};
struct Hidden : Axis<2> {};

// Random values for all parameters: zeros would hide mistakes.
template <class M>
void fill(M& module) {
  initialise(module, 1);
  std::uint64_t n = 0;
  for_each_parameter(module, [&](const Path&, auto& p) { initialise_uniform(p, 0.9, Random{5}.child(n++)); });
}

// A reader of whole sequences, without a mask and with lengths 4, 0, 1 and 3.
template <class Reader>
void check_reader(const char* name) {
  CAPTURE(name);
  Reader reader;
  fill(reader);
  const auto xs = random_input<Time, Batch, In>("x", extent<Time>(4), extent<Batch>(4));
  const auto plain = check_gradients([&](auto x) { return reader(x).outputs; }, reader, xs);
  INFO(plain.text());
  CHECK(plain.ok());
  const std::vector<std::size_t> lengths{4, 0, 1, 3};
  const auto masked = check_gradients(
      [&](auto x) { return reader(x, mask_of_lengths<Time, Batch, double>(lengths, 4)).outputs; }, reader, xs);
  INFO(masked.text());
  CHECK(masked.ok());
}

// The last state, from a first state that is differentiated too.
template <class Cell>
void check_state(const char* name) {
  CAPTURE(name);
  Cell cell;
  fill(cell);
  const auto report = check_gradients(
      [&](auto x, auto h0, auto c0) {
        auto s0 = cell.template initial<Batch>(extent<Batch>(3));
        bool first = true;
        s0 = zip([&](const auto&) { return std::exchange(first, false) ? h0 : c0; }, s0);
        const auto last = unroll(cell, x, s0).last;
        Var<double, Batch, Hidden> all = output(last) * 0.0;
        double weight = 1;
        zip(
            [&](const auto& v) {
              all = all + weight * v;
              weight += 1;
              return v;
            },
            last);
        return all + 0 * c0;
      },
      cell, random_input<Time, Batch, In>("x", extent<Time>(5), extent<Batch>(3)),
      random_input<Batch, Hidden>("h0", extent<Batch>(3)), random_input<Batch, Hidden>("c0", extent<Batch>(3)));
  INFO(report.text());
  CHECK(report.ok());
}

}  // namespace

TEST_CASE("recurrent nets pass the gradient check") {
  check_reader<Unidirectional<Rnn<In, Hidden, double>>>("RNN");
  check_reader<Unidirectional<Rnn<In, Hidden, double, Relu>>>("RNN with ReLU");
  check_state<Rnn<In, Hidden, double>>("RNN");
}

TEST_CASE("LSTMs pass the gradient check") {
  check_reader<Unidirectional<Lstm<In, Hidden, double>>>("LSTM");
  check_state<Lstm<In, Hidden, double>>("LSTM");
}

TEST_CASE("peephole LSTMs pass the gradient check") {
  check_reader<Unidirectional<PeepholeLstm<In, Hidden, double>>>("peephole LSTM");
  check_state<PeepholeLstm<In, Hidden, double>>("peephole LSTM");
}

TEST_CASE("GRUs in both forms pass the gradient check") {
  check_reader<Unidirectional<Gru<In, Hidden, double>>>("GRU");
  check_reader<Unidirectional<GruResetAfter<In, Hidden, double>>>("GRU, reset after");
  check_state<Gru<In, Hidden, double>>("GRU");
  check_state<GruResetAfter<In, Hidden, double>>("GRU, reset after");
}

TEST_CASE("both directions, stacks and residuals pass the gradient check") {
  check_reader<Bidirectional<Lstm<In, Hidden, double>>>("bidirectional LSTM");
  check_reader<Bidirectional<Gru<In, Hidden, double>>>("bidirectional GRU");
  check_reader<Deep<Bidirectional<Rnn<In, Hidden, double>>,
                    Bidirectional<Gru<Concat<Hidden, Hidden>, Hidden, double>>>>("two bidirectional layers");
  check_reader<Unidirectional<Stack<Lstm<In, Hidden, double>, Residual<PeepholeLstm<Hidden, Hidden, double>>,
                                    GruResetAfter<Hidden, Hidden, double>>>>("a stack of three");
}
