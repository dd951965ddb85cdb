#include "bench/compare/onednn_memory.hpp"

#include <algorithm>
#include <array>

namespace hindsight::bench::onednn {
namespace {

constexpr const char *w = "from_input.weight", *u = "from_hidden.weight", *b = "bias";

/// Where a gate's columns lie in our module: the `block`-th H columns of these arrays.
struct Gate {
  const char *from_input, *from_hidden, *bias;
  std::size_t block;
};

/// The gates in oneDNN's order: of the LSTM input, forget, candidate, output; of the GRU update, reset, candidate.
std::vector<Gate> gates_of(const std::string& kind) {
  const Gate own{"candidate_from_input.weight", "candidate_from_hidden.weight", "candidate_bias", 0};
  if (kind == "rnn") return {{w, u, b, 0}};
  if (kind == "gru") return {{w, u, b, 1}, {w, u, b, 0}, own};
  if (kind == "gru_reset_after") return {{w, u, b, 1}, {w, u, b, 0}, {w, u, b, 2}, {w, u, "hidden_bias", 0}};
  return {{w, u, b, 1}, {w, u, b, 0}, {w, u, b, 2}, {w, u, b, 3}};
}

/// Calls piece(place in the plain layout, our array's name, place in it) for every H numbers of a parameter.
template <class Piece>
void each_piece(const Work& work, int slot, Piece piece) {
  const Sizes sizes(work);
  const auto hidden = static_cast<std::size_t>(sizes.hidden);
  const auto gates = gates_of(work.kind);
  const auto columns = [&](memory::dim rows, memory::dim blocks, auto name) {
    for (std::size_t g = 0; g < static_cast<std::size_t>(blocks); ++g) {
      const std::size_t width = find(work.arrays, name(gates[g])).shape.back();
      for (std::size_t r = 0; r < static_cast<std::size_t>(rows); ++r)
        piece((r * static_cast<std::size_t>(blocks) + g) * hidden, name(gates[g]), r * width + gates[g].block * hidden);
    }
  };
  switch (slot) {
    case DNNL_ARG_WEIGHTS_LAYER: return columns(sizes.in, sizes.matrices, [](const Gate& g) { return g.from_input; });
    case DNNL_ARG_WEIGHTS_ITER:
      return columns(sizes.hidden, sizes.matrices, [](const Gate& g) { return g.from_hidden; });
    case DNNL_ARG_BIAS: return columns(1, sizes.biases, [](const Gate& g) { return g.bias; });
  }
  for (std::size_t g = 0; const char* name : {"to_input", "to_forget", "to_output"}) piece(g++ * hidden, name, 0);
}

}  // namespace

dnnl::engine& engine() {
  static dnnl::engine cpu(dnnl::engine::kind::cpu, 0);
  return cpu;
}

dnnl::stream& stream() {
  static dnnl::stream one(engine());
  return one;
}

memory::desc desc(memory::dims dims, Tag tag) { return {std::move(dims), memory::data_type::f32, tag}; }

void fill(const memory& m, float value) { std::fill_n(data(m), count(m), value); }

void reorder(memory from, memory to) {
  dnnl::reorder(from, to).execute(stream(), from, to);
  stream().wait();
}

Sizes::Sizes(const Work& work) {
  const auto dim = [](std::size_t n) { return static_cast<memory::dim>(n); };
  const auto& x = find(work.arrays, "x").shape;
  time = dim(x[0]), batch = dim(x[1]), in = dim(x[2]), hidden = dim(find(work.arrays, u).shape[0]);
  biases = dim(gates_of(work.kind).size());
  matrices = biases - (work.kind == "gru_reset_after" ? 1 : 0);
}

memory::desc Sizes::parameter(int slot, Tag tag) const {
  switch (slot) {
    case DNNL_ARG_WEIGHTS_LAYER: return desc({1, 1, in, matrices, hidden}, tag);
    case DNNL_ARG_WEIGHTS_ITER: return desc({1, 1, hidden, matrices, hidden}, tag);
    case DNNL_ARG_BIAS: return desc({1, 1, biases, hidden}, tag);
  }
  return desc({1, 1, 3, hidden}, tag);  // the peepholes
}

std::vector<Slot> parameters_of(const std::string& kind) {
  std::vector<Slot> slots = {{DNNL_ARG_WEIGHTS_LAYER, Tag::ldigo}, {DNNL_ARG_WEIGHTS_ITER, Tag::ldigo},
                             {DNNL_ARG_BIAS, Tag::ldgo}};
  if (kind == "peephole") slots.push_back({DNNL_ARG_WEIGHTS_PEEPHOLE, Tag::ldgo});
  return slots;
}

memory gathered(const Work& work, Slot slot) {
  const Sizes sizes(work);
  memory plain(sizes.parameter(slot.number, slot.plain), engine());
  each_piece(work, slot.number, [&](std::size_t to, const char* name, std::size_t from) {
    std::copy_n(find(work.arrays, name).values.data() + from, sizes.hidden, data(plain) + to);
  });
  return plain;
}

void scatter(const memory& plain, const Work& work, Slot slot, Arrays& into) {
  each_piece(work, slot.number, [&](std::size_t from, const char* name, std::size_t to) {
    for (Array& array : into)
      if (array.name == name) std::copy_n(data(plain) + from, Sizes(work).hidden, array.values.data() + to);
  });
}

}  // namespace hindsight::bench::onednn
