// Maps over target steps and source positions: where a net looks, and on what its losses depend.
#pragma once

#include <numeric>

#include "models/encoder_decoder.hpp"
#include "tutorials/program.hpp"

namespace hindsight::tutorial {

/// A row a target step t, a column a source position i.
using Map = std::vector<std::vector<double>>;

/// alpha_{t,i}, the mean over a batch of sequences of equal length. The decoder is given the right symbols.
template <class Model>
Map alignment(const Model& net, const PairBatch& batch, std::size_t steps) {
  Tape tape;
  const NoRecording guard;
  const auto taught = net(batch);
  Map map;
  for (std::size_t t = 0; t < steps; ++t) {
    const auto row = mean<Batch>(taught.states[t].weights).values();
    map.emplace_back(row.begin(), row.end());
  }
  return map;
}

/// The norm of d loss_t / d E_x[x_i], the mean over a batch of sequences of equal length, each row divided by its
/// sum. No sequence of a batch depends on another one, so one pass for each t serves all of them.
template <class Model>
Map source_gradient(const Model& net, const PairBatch& batch, std::size_t steps) {
  Tape tape;
  const auto xs = net.embedded(batch);                                            // E_x[x_i]
  const auto logits = net.teach(batch, net.encode(batch, xs)).logits;
  const auto losses = sum<Batch>(token_losses<TargetVocab>(logits, batch.targets));  // loss_t of all sequences
  const auto J = jacobian(losses, xs);                                            // Target x (Source x Batch x Emb)
  const std::size_t n = xs.extents[0], sequences = xs.extents[1], emb = xs.extents[2];
  Map map(steps, std::vector<double>(n));
  for (std::size_t t = 0; t < steps; ++t) {
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t b = 0; b < sequences; ++b) {
        const auto* at = &J[((t * n + i) * sequences + b) * emb];
        map[t][i] += norm({at, at + emb});
      }
    const double all = std::accumulate(map[t].begin(), map[t].end(), 0.0);
    for (double& share : map[t]) share /= all;
  }
  return map;
}

/// The mean over t of what stands at i = t, or, mirrored, at i = T + 1 - t.
inline double along(const Map& map, bool mirrored = false) {
  double sum = 0;
  for (std::size_t t = 0; t < map.size(); ++t) sum += map[t][mirrored ? map[t].size() - 1 - t : t];
  return sum / static_cast<double>(map.size());
}

/// Saved and drawn as out/NAME.csv and .svg, positions and steps counted from 1. `see`: what to see in it.
inline void draw(const Map& map, const std::string& name, const std::string& title, const std::string& see) {
  Table table(name, {"i", "t", "weight"});
  for (std::size_t t = 0; t < map.size(); ++t)
    for (std::size_t i = 0; i < map[t].size(); ++i)
      table.row({static_cast<double>(i + 1), static_cast<double>(t + 1), map[t][i]});
  table.save_map({.title = title, .x = "source position i", .y = "target step t", .see = see});
}

}  // namespace hindsight::tutorial
