// What is compared: a piece of work, and those who can do it, ours and the peers.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace hindsight::bench {

/// A tensor with its name, row-major.
struct Array {
  std::string name;
  std::vector<std::size_t> shape;
  std::vector<float> values;
};
using Arrays = std::vector<Array>;

/// The array of that name. Throws Error if there is none.
const Array& find(const Arrays& arrays, const std::string& name);

/// What a peer is told: the kind of work, its data, and every parameter under the path it has in our module. Shapes
/// tell the sizes: of a layer "x" is Time x Batch x In.
struct Work {
  std::string kind;
  Arrays arrays;
};

/// One who does the work.
class Contender {
 public:
  virtual ~Contender() = default;

  /// What one step gives from the beginning, before anything was timed: losses, and the gradient of every array under
  /// its name. What ours names, a peer's must name too, and be equal.
  virtual Arrays results() = 0;

  /// Does the step `count` times; returns the seconds that took.
  virtual double seconds(std::size_t count) {
    const auto begin = std::chrono::steady_clock::now();
    for (std::size_t i = 0; i < count; ++i) step();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  }

 protected:
  virtual void step() = 0;
};

/// Ours also says what the work is.
class Ours : public Contender {
 public:
  virtual Work work() const = 0;
};

/// A peer under the name of its column. `make` returns nothing where the peer has no such thing.
struct Peer {
  std::string name;
  std::function<std::unique_ptr<Contender>(const Work&)> make;
};

/// A line of the table.
struct Workload {
  std::string name;
  double flops;  ///< floating-point operations of a step's matrix products
  std::function<std::unique_ptr<Ours>()> ours;
  std::vector<Peer> peers;
};
using Workloads = std::vector<Workload>;

// The lines, in the order of the table; each is in the file of its name.
void add_rnn(Workloads& all);
void add_lstm(Workloads& all);
void add_peephole(Workloads& all);
void add_gru(Workloads& all);
void add_gru_reset_after(Workloads& all);
void add_inference(Workloads& all);
void add_models(Workloads& all);
void add_products(Workloads& all);

}  // namespace hindsight::bench
