// A training step of oneDNN's fused layers.
//
// Everything is as oneDNN likes it best. Weights lie in the layouts that its forward and its backward primitive ask for
// (format_tag::any), put there once, as ours are packed once: no optimizer changes them here, and after an update both
// libraries would have to do that again. (Transposing them once a step would take oneDNN 3 % more time on the smallest
// LSTM and less than 1 % on the others with a batch.) Gradients of the weights stay in the layout they come in. They are
// added to what is there, so a step clears them first, as ours does.
#include <algorithm>
#include <array>
#include <unordered_map>

#include "bench/compare/onednn.hpp"
#include "bench/compare/onednn_memory.hpp"

namespace hindsight::bench {
namespace {

using namespace onednn;
using dnnl::primitive_desc;

const memory::desc none;  // a peephole that is not there; a last state that nobody reads
constexpr auto direction = dnnl::rnn_direction::unidirectional_left2right;
constexpr auto training = dnnl::prop_kind::forward_training;

constexpr int gradient_of(int slot) { return slot + DNNL_ARG_DIFF_SRC - DNNL_ARG_SRC; }

struct Primitives {
  primitive_desc forward, backward;
};

/// What a layer reads and writes: inputs, first state, matrices, peepholes, biases, hidden states.
struct Shapes {
  memory::desc x, s, w, u, p, b, h;
};

/// RNN and GRU; `Lead` is the RNN's activation.
template <class Forward, class Backward, class... Lead>
Primitives with_hidden_state(const Shapes& is, Lead... lead) {
  const typename Forward::primitive_desc forward(
      {training, lead..., direction, is.x, is.s, is.w, is.u, is.b, is.h, none}, engine());
  const typename Backward::desc backward(dnnl::prop_kind::backward, lead..., direction,  //
                                         is.x, is.s, is.w, is.u, is.b, is.h, none,       // values
                                         is.x, is.s, is.w, is.u, is.b, is.h, none);      // gradients
  return {forward, typename Backward::primitive_desc(backward, engine(), forward)};
}

Primitives lstm(const Shapes& is) {
  const dnnl::lstm_forward::primitive_desc forward(
      {training, direction, is.x, is.s, is.s, is.w, is.u, is.p, is.b, is.h, none, none}, engine());
  const dnnl::lstm_backward::desc backward(dnnl::prop_kind::backward, direction,
                                           is.x, is.s, is.s, is.w, is.u, is.p, is.b, is.h, none, none,
                                           is.x, is.s, is.s, is.w, is.u, is.p, is.b, is.h, none, none);
  return {forward, dnnl::lstm_backward::primitive_desc(backward, engine(), forward)};
}

Primitives primitives_of(const std::string& kind, const Shapes& is) {
  if (kind == "rnn")
    return with_hidden_state<dnnl::vanilla_rnn_forward, dnnl::vanilla_rnn_backward>(is, dnnl::algorithm::eltwise_tanh);
  if (kind == "gru") return with_hidden_state<dnnl::gru_forward, dnnl::gru_backward>(is);
  if (kind == "gru_reset_after") return with_hidden_state<dnnl::lbr_gru_forward, dnnl::lbr_gru_backward>(is);
  return lstm(is);
}

class Layer : public Contender {
 public:
  explicit Layer(const Work& work) : work_(work), parameters_(parameters_of(work.kind)) {
    const Sizes sizes(work);
    const bool has_memory = work.kind == "lstm" || work.kind == "peephole";
    const auto any = [&](int slot) { return sizes.parameter(slot, Tag::any); };
    const Primitives made = primitives_of(
        work.kind, {.x = desc({sizes.time, sizes.batch, sizes.in}, Tag::tnc),
                    .s = desc({1, 1, sizes.batch, sizes.hidden}, Tag::ldnc),
                    .w = any(DNNL_ARG_WEIGHTS_LAYER),
                    .u = any(DNNL_ARG_WEIGHTS_ITER),
                    .p = work.kind == "peephole" ? sizes.parameter(DNNL_ARG_WEIGHTS_PEEPHOLE, Tag::ldgo) : none,
                    .b = sizes.parameter(DNNL_ARG_BIAS, Tag::ldgo),
                    .h = desc({sizes.time, sizes.batch, sizes.hidden}, Tag::tnc)});
    forward_ = dnnl::primitive(made.forward);
    backward_ = dnnl::primitive(made.backward);

    const auto allocate = [](const primitive_desc& primitive, int slot) {
      return memory(primitive.query_md(dnnl::query::exec_arg_md, slot), engine());
    };
    std::vector<int> both = {DNNL_ARG_SRC_LAYER, DNNL_ARG_DST_LAYER, DNNL_ARG_SRC_ITER, DNNL_ARG_WORKSPACE};
    if (has_memory) both.push_back(DNNL_ARG_SRC_ITER_C);
    for (int slot : both) forwards_[slot] = backwards_[slot] = allocate(made.forward, slot);
    // The first states are zeros that are written out: without them oneDNN 2.6 reads memory that nobody wrote for the
    // gradient of the recurrent weights.
    for (int slot : {DNNL_ARG_SRC_ITER, DNNL_ARG_SRC_ITER_C}) {
      if (!forwards_.contains(slot)) continue;
      fill(forwards_[slot], 0);
      backwards_[gradient_of(slot)] = allocate(made.backward, gradient_of(slot));
    }
    for (int slot : {DNNL_ARG_DIFF_SRC_LAYER, DNNL_ARG_DIFF_DST_LAYER})
      backwards_[slot] = allocate(made.backward, slot);
    const Array& x = find(work.arrays, "x");
    std::copy(x.values.begin(), x.values.end(), data(forwards_[DNNL_ARG_SRC_LAYER]));
    for (const Slot& slot : parameters_) {
      const int n = slot.number;
      const memory given = gathered(work, slot);
      reorder(given, forwards_[n] = allocate(made.forward, n));
      reorder(given, backwards_[n] = allocate(made.backward, n));
      backwards_[gradient_of(n)] = allocate(made.backward, gradient_of(n));
    }
  }

  Arrays results() override {
    step();
    Arrays all = work_.arrays;  // their names and shapes; each value is written over
    for (Array& array : all)
      if (array.name == "x") {
        const float* dx = data(backwards_[DNNL_ARG_DIFF_SRC_LAYER]);
        array.values.assign(dx, dx + array.values.size());
      }
    for (const Slot& slot : parameters_) {
      memory plain(Sizes(work_).parameter(slot.number, slot.plain), engine());
      reorder(backwards_[gradient_of(slot.number)], plain);
      scatter(plain, work_, slot, all);
    }
    all.push_back({"loss", {1}, {static_cast<float>(loss_)}});
    return all;
  }

 protected:
  void step() override {
    forward_.execute(stream(), forwards_);
    stream().wait();
    squares();
    for (const Slot& slot : parameters_) fill(backwards_[gradient_of(slot.number)], 0);
    backward_.execute(stream(), backwards_);
    stream().wait();
  }

 private:
  /// loss = sum of h^2 / count, and its gradient 2 h / count. Sixteen sums side by side become vectors, and no sum of
  /// floats is long.
  void squares() {
    constexpr std::size_t lanes = 16, run = 64 * lanes;
    const float* h = data(forwards_[DNNL_ARG_DST_LAYER]);
    float* dh = data(backwards_[DNNL_ARG_DIFF_DST_LAYER]);
    const std::size_t n = count(forwards_[DNNL_ARG_DST_LAYER]);  // a multiple of 16 at every size
    const float slope = 2 / static_cast<float>(n);
    double sum = 0;
    for (std::size_t begin = 0; begin < n; begin += run) {
      std::array<float, lanes> sums{};
      for (std::size_t i = begin; i < std::min(begin + run, n); i += lanes)
        for (std::size_t j = 0; j < lanes; ++j) {
          sums[j] += h[i + j] * h[i + j];
          dh[i + j] = slope * h[i + j];
        }
      for (float s : sums) sum += static_cast<double>(s);
    }
    loss_ = sum / static_cast<double>(n);
  }

  Work work_;
  std::vector<Slot> parameters_;
  dnnl::primitive forward_, backward_;
  std::unordered_map<int, memory> forwards_, backwards_;
  double loss_ = 0;
};

}  // namespace

Peer onednn_layer() {
  return {"oneDNN", [](const Work& work) { return std::make_unique<Layer>(work); }};
}

}  // namespace hindsight::bench
