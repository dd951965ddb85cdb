// oneDNN's LSTM for one inference step, and its matrix product.
#include <omp.h>

#include <algorithm>
#include <unordered_map>

#include "bench/compare/onednn.hpp"
#include "bench/compare/onednn_memory.hpp"
#include "bench/compare/product_peer.hpp"

namespace hindsight::bench {
namespace {

using namespace onednn;

/// The state after a step is the state before the next: two places take turns.
class Inference : public Contender {
 public:
  explicit Inference(const Work& work) {
    const Sizes sizes(work);
    const auto state = desc({1, 1, sizes.batch, sizes.hidden}, Tag::ldnc);
    const auto any = [&](int slot) { return sizes.parameter(slot, Tag::any); };
    const dnnl::lstm_forward::primitive_desc made(
        {dnnl::prop_kind::forward_inference, dnnl::rnn_direction::unidirectional_left2right,
         desc({sizes.time, sizes.batch, sizes.in}, Tag::tnc), state, state, any(DNNL_ARG_WEIGHTS_LAYER),
         any(DNNL_ARG_WEIGHTS_ITER), sizes.parameter(DNNL_ARG_BIAS, Tag::ldgo),
         desc({sizes.time, sizes.batch, sizes.hidden}, Tag::tnc), state, state},
        engine());
    lstm_ = dnnl::primitive(made);
    const auto allocate = [&](int slot) {
      memory m(made.query_md(dnnl::query::exec_arg_md, slot), engine());
      fill(m, 0);
      return m;
    };
    auto& to = turns_[0];
    for (int slot : {DNNL_ARG_SRC_LAYER, DNNL_ARG_DST_LAYER, DNNL_ARG_SRC_ITER, DNNL_ARG_SRC_ITER_C, DNNL_ARG_DST_ITER,
                     DNNL_ARG_DST_ITER_C})
      to[slot] = allocate(slot);
    for (const Slot& slot : parameters_of("lstm"))
      reorder(gathered(work, slot), to[slot.number] = allocate(slot.number));
    const Array& x = find(work.arrays, "x");
    std::copy(x.values.begin(), x.values.end(), data(to[DNNL_ARG_SRC_LAYER]));
    turns_[1] = to;
    std::swap(turns_[1][DNNL_ARG_SRC_ITER], turns_[1][DNNL_ARG_DST_ITER]);
    std::swap(turns_[1][DNNL_ARG_SRC_ITER_C], turns_[1][DNNL_ARG_DST_ITER_C]);
  }

  Arrays results() override {
    for (int i = 0; i < 3; ++i) step();
    const auto values = [&](int slot) {
      const memory& m = turns_[1 - turn_].at(slot);
      return std::vector<float>(data(m), data(m) + count(m));
    };
    const auto h = values(DNNL_ARG_DST_ITER), c = values(DNNL_ARG_DST_ITER_C);
    return {{"h", {h.size()}, h}, {"c", {c.size()}, c}};
  }

 protected:
  void step() override {
    lstm_.execute(stream(), turns_[turn_]);
    stream().wait();
    turn_ = 1 - turn_;
  }

 private:
  dnnl::primitive lstm_;
  std::unordered_map<int, memory> turns_[2];
  std::size_t turn_ = 0;
};

void multiply(std::size_t n, const float* a, const float* b, float* c) {
  const auto size = static_cast<dnnl_dim_t>(n);
  dnnl_sgemm('N', 'N', size, size, size, 1, a, size, b, size, 0, c, size);
}

}  // namespace

std::string onednn_version() {
  const dnnl_version_t* v = dnnl_version();
  return std::to_string(v->major) + "." + std::to_string(v->minor) + "." + std::to_string(v->patch);
}
void set_onednn_threads(int count) { omp_set_num_threads(count); }

Peer onednn_inference() {
  return {"oneDNN", [](const Work& work) { return std::make_unique<Inference>(work); }};
}
Peer onednn_product() {
  return {"oneDNN", [](const Work& work) { return std::make_unique<ProductPeer<multiply>>(work); }};
}

}  // namespace hindsight::bench
