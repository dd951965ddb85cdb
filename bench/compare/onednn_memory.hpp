// How a layer's parameters lie in oneDNN, and how they get there and back.
#pragma once

#include <dnnl.hpp>

#include "bench/compare/contender.hpp"

namespace hindsight::bench::onednn {

using dnnl::memory;
using Tag = memory::format_tag;

dnnl::engine& engine();
dnnl::stream& stream();

memory::desc desc(memory::dims dims, Tag tag);
inline float* data(const memory& m) { return static_cast<float*>(m.get_data_handle()); }
inline std::size_t count(const memory& m) { return m.get_desc().get_size() / sizeof(float); }
void fill(const memory& m, float value);

/// Copies from one layout to another.
void reorder(memory from, memory to);

/// A layer's sizes as oneDNN counts them. Its GRU that resets after has a bias more than matrices: our hidden_bias.
struct Sizes {
  memory::dim time, batch, in, hidden, matrices, biases;
  explicit Sizes(const Work& work);

  /// The shape of the parameter in a slot, such as DNNL_ARG_WEIGHTS_LAYER, in the layout `tag`.
  memory::desc parameter(int slot, Tag tag) const;
};

/// The slots that a kind of layer has parameters in, and each slot's plain layout.
struct Slot {
  int number;
  Tag plain;
};
std::vector<Slot> parameters_of(const std::string& kind);

/// A layer's parameter in the plain layout of its slot, from our arrays; and back.
memory gathered(const Work& work, Slot slot);
void scatter(const memory& plain, const Work& work, Slot slot, Arrays& into);

}  // namespace hindsight::bench::onednn
