// One inference step of an LSTM, batch 1, no gradient: what a program that reads or writes symbol by symbol waits for.
#include "bench/compare/layer.hpp"
#include "layers/lstm.hpp"

namespace hindsight::bench {
namespace {

class OurInference : public Ours {
 public:
  OurInference() : input_(size) {
    randomise(cell_, 1 / std::sqrt(static_cast<float>(size)));
    for (std::size_t i = 0; i < size; ++i) input_[i] = static_cast<float>(Random{2}.normal(i));
  }

  Work work() const override {
    Work w{"lstm_inference", {{"x", {1, 1, size}, input_}}};
    append_values(w.arrays, cell_);
    return w;
  }

  Arrays results() override {
    for (int i = 0; i < 3; ++i) step();
    return {{"h", {size}, carried_.values()[0]}, {"c", {size}, carried_.values()[1]}};
  }

 protected:
  void step() override {
    const TrainingStep on(tape_, 1, 0);
    const NoRecording guard;
    const auto zero = cell_.initial(extent<Batch>(1));
    const auto x = constant<Batch, In<size>>(input_, extent<Batch>(1));
    carried_.keep(cell_(x, carried_.empty() ? zero : carried_.on_tape(zero)));
  }

 private:
  static constexpr std::size_t size = 128;
  using Cell = Lstm<In<size>, Hidden<size>>;
  Cell cell_;
  std::vector<float> input_;
  Tape tape_;
  Carried<decltype(std::declval<const Cell&>().initial<Batch>())> carried_;
};

}  // namespace

void add_inference(Workloads& all) {
  const double flops = 2.0 * 4 * 128 * (128 + 128);
  all.push_back({"lstm_inference", flops, [] { return std::make_unique<OurInference>(); },
                 {onednn_inference(), torch_peer("PyTorch"), torch_peer("by hand"), torch_peer("scripted")}});
}

}  // namespace hindsight::bench
