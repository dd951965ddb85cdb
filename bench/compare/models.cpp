// A training step of two whole models: forward, backward, clipping, Adam.
//
// attention_seq2seq: bidirectional GRU encoder, 128 each way; additive attention of size 128 over 20 positions; GRU
//   decoder of 128, teacher-forced for 20 steps; embedding 64, vocabularies of 1000, batch 32. The GRU is PyTorch's,
//   reset after the product.
// char_lm: vocabulary 65, embedding 64, one LSTM layer of 256, batch 32, 64 characters, the state carried on.
#include "bench/compare/layer.hpp"
#include "layers/gru.hpp"
#include "layers/lstm.hpp"
#include "models/encoder_decoder.hpp"
#include "models/language_model.hpp"

namespace hindsight::bench {
namespace {

struct Emb : Axis<64> {};
struct Units : Axis<128> {};
struct Scored : Axis<128> {};
struct LmHidden : Axis<256> {};

std::vector<std::int32_t> symbols(std::size_t count, std::uint64_t vocabulary) {
  std::vector<std::int32_t> ids(count);
  for (std::size_t i = 0; i < count; ++i) ids[i] = static_cast<std::int32_t>(Random{3}.below(vocabulary, i));
  return ids;
}

Array array_of(const std::string& name, std::vector<std::size_t> shape, const std::vector<std::int32_t>& ids) {
  return {name, std::move(shape), {ids.begin(), ids.end()}};
}

/// Operations of a product with a matrix of in x out and its two gradients, for so many rows.
constexpr double products(std::size_t rows, std::size_t in, std::size_t out) {
  return 6.0 * static_cast<double>(rows * in * out);
}

/// A model that learns: what is compared is the gradient at its beginning, and the loss of each of its first steps.
class OurModel : public Ours {
 public:
  Arrays results() override {
    Arrays all = gradients();
    for (int i = 0; i < 3; ++i) {
      step();
      all.push_back({"loss of step " + std::to_string(i + 1), {1}, {static_cast<float>(loss_)}});
    }
    return all;
  }

 protected:
  virtual Arrays gradients() = 0;
  double loss_ = 0;
};

/// The gradients of a loss by a model's parameters, which are cleared again.
template <class Model>
Arrays gradients_of(const Var<float>& loss, Model& model) {
  backward(loss);
  Arrays all;
  append_gradients(all, model);
  clear_gradients(model);
  return all;
}

class AttentionSeq2Seq : public OurModel {
 public:
  static constexpr std::size_t vocabulary = 1000, batch = 32, positions = 20;
  static constexpr double flops() {
    constexpr std::size_t rows = batch * positions, h = 128, context = 2 * h, emb = 64;
    const double encoder = 2 * products(rows, emb + h, 3 * h) + products(rows, context, h);  // and the keys
    const double decoder = products(rows, emb + context + h, 3 * h) + products(rows, h, h);  // and the queries
    return encoder + decoder + products(rows, h + context, vocabulary) + products(batch, context, h);
  }

  AttentionSeq2Seq() : model_(Model::of(vocabulary, vocabulary, 1)) {
    std::vector<std::vector<int>> sources, targets;
    const auto ids = symbols(2 * positions * batch, vocabulary);
    for (auto at = ids.begin(); at != ids.end(); at += 2 * positions) {
      sources.emplace_back(at, at + positions);
      targets.emplace_back(at + positions, at + 2 * positions - 1);  // and eos: 20 steps
    }
    pairs_ = PairBatch::of(sources, targets, 1, 2);
  }

  Work work() const override {
    const std::vector<std::size_t> shape{positions, batch};
    Work w{"attention_seq2seq",
           {array_of("sources", shape, pairs_.sources), array_of("inputs", shape, pairs_.inputs),
            array_of("targets", shape, pairs_.targets)}};
    append_values(w.arrays, model_);
    return w;
  }

 protected:
  void step() override { loss_ = train_step(model_, pairs_, adam_, tape_, 1); }

  Arrays gradients() override {
    tape_.reset();
    Var loss = cross_entropy<TargetVocab>(model_(pairs_).logits, pairs_.targets);
    return gradients_of(loss, model_);
  }

 private:
  using Reader = Bidirectional<GruResetAfter<Emb, Units>>;
  using Read = Attention<AdditiveScore<Units, Reader::Hidden, Scored>>;
  using Model = EncoderDecoder<Reader, Decoder<GruResetAfter, Emb, Units, Read>>;
  Model model_;
  PairBatch pairs_;
  Adam adam_;
  Tape tape_;
};

class CharLm : public OurModel {
 public:
  static constexpr std::size_t vocabulary = 65, batch = 32, window = 64;
  static constexpr double flops() {
    return products(batch * window, 64 + 256, 4 * 256) + products(batch * window, 256, vocabulary);
  }

  CharLm()
      : text_(symbols(batch * window * 10, vocabulary)),
        model_(Model::of(vocabulary, 1)),
        trainer_(model_, text_, {.batch = batch, .window = window, .steps = 1'000'000'000}) {}  // the rate hardly falls

  Work work() const override {
    Work w{"char_lm", {array_of("text", {batch, text_.size() / batch}, text_)}};
    append_values(w.arrays, model_);
    return w;
  }

 protected:
  void step() override { loss_ = trainer_.step() * std::log(2.0); }

  Arrays gradients() override {
    Tape tape;
    TextWindows windows(text_, batch, window);
    const auto [logits, last] = model_(windows.inputs(0), window, model_.initial(batch));
    Var loss = cross_entropy<Vocab>(logits, windows.targets(0));
    return gradients_of(loss, model_);
  }

 private:
  using Model = LanguageModel<Lstm<Emb, LmHidden>>;
  std::vector<std::int32_t> text_;
  Model model_;
  LanguageModelTrainer<Lstm<Emb, LmHidden>> trainer_;
};

}  // namespace

void add_models(Workloads& all) {
  all.push_back({"attention_seq2seq", AttentionSeq2Seq::flops(), [] { return std::make_unique<AttentionSeq2Seq>(); },
                 {torch_peer("PyTorch"), torch_peer("scripted")}});
  all.push_back({"char_lm", CharLm::flops(), [] { return std::make_unique<CharLm>(); }, {torch_peer("PyTorch")}});
}

}  // namespace hindsight::bench
