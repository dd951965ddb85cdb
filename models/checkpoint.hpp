// Checkpoints: a model's parameters, and what a training run needs to go on, in one safetensors file.
//
// Tensors are named by their paths: "model.cell.from_hidden.weight", "optimizer.cell.bias.m". Saving
// writes aside, flushes and renames, so a crash leaves the old file or the new one, whole.
#pragma once

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "autodiff/module.hpp"
#include "models/safetensors.hpp"

namespace hindsight {

/// Names and texts that go with the numbers: step counts, a vocabulary, what was trained how.
using Metadata = std::map<std::string, std::string>;

namespace detail {

template <class T>
void put(SafeTensors& file, const std::string& name, std::span<const T> values, std::vector<std::size_t> shape) {
  file.tensors[name] = from_values<T>(values, std::move(shape));
}

/// A tensor of a file. Throws Error if it is missing, or of another shape than the one that is needed.
const TensorData& find(const SafeTensors& file, const std::string& name, const std::string& where);
const TensorData& find(const SafeTensors& file, const std::string& name, const std::vector<std::size_t>& shape,
                       const std::string& where);

template <class T>
void take(const SafeTensors& file, const std::string& name, std::span<T> values, const std::vector<std::size_t>& shape,
          const std::string& where) {
  const std::vector<T> read = to_values<T>(find(file, name, shape, where), name);
  std::copy(read.begin(), read.end(), values.begin());
}

/// Throws Error if the file has a tensor under `name` that is not one of the `known`.
void refuse_others(const SafeTensors& file, const std::string& name, const std::set<std::string>& known,
                   const std::string& where);

}  // namespace detail

/// What is saved: fill it with `add`, then `save` it.
class Checkpoint {
 public:
  Checkpoint() = default;
  explicit Checkpoint(Metadata metadata) { file_.metadata = std::move(metadata); }

  /// A module's parameters under a name.
  template <class M>
  void add(const std::string& name, const M& module) {
    for_each_parameter(module, [&](const Path& path, const auto& p) {
      using T = typename std::remove_cvref_t<decltype(p)>::Scalar;
      const auto& e = p.extents();
      detail::put<T>(file_, name + "." + path.text(), p.values(), {e.begin(), e.end()});
    });
  }

  /// What an optimizer remembers of a module.
  template <class Optimizer, class M>
  void add(const std::string& name, Optimizer& optimizer, M& module) {
    file_.metadata[name + ".steps"] = std::to_string(optimizer.steps);
    optimizer.for_each_state(module, [&]<class T>(const Path& path, std::span<T> values) {
      detail::put<T>(file_, name + "." + path.text(), values, {values.size()});
    });
  }

  /// Plain numbers: a carried state.
  template <class T>
  void add(const std::string& name, const std::vector<T>& values) {
    detail::put<T>(file_, name, values, {values.size()});
  }

  /// A text that goes with them.
  void note(const std::string& name, std::string text) { file_.metadata[name] = std::move(text); }

  /// Throws Error with the reason, and leaves what was there, if it cannot be written.
  void save(const std::string& path) const { write_safetensors(path, file_); }

 private:
  SafeTensors file_;
};

/// What was saved. A load that throws may have changed some of the parameters: load into a fresh model.
class SavedCheckpoint {
 public:
  /// Throws Error, saying what and where, for a file that cannot be read or is not whole.
  explicit SavedCheckpoint(std::string path) : path_(std::move(path)), file_(read_safetensors(path_)) {}

  /// A metadata text. Throws Error if there is none of that name.
  const std::string& text(const std::string& name) const;

  /// Gives a module the saved values of its parameters. Throws Error unless what was saved under the name
  /// are just these.
  template <class M>
  void load(const std::string& name, M& module) const {
    std::set<std::string> known;
    for_each_parameter(module, [&](const Path& path, auto& p) {
      using T = typename std::remove_cvref_t<decltype(p)>::Scalar;
      const auto& e = p.extents();
      auto edit = p.edit();
      detail::take<T>(file_, *known.insert(name + "." + path.text()).first, edit, {e.begin(), e.end()}, path_);
    });
    detail::refuse_others(file_, name, known, path_);
  }

  /// Gives an optimizer what it remembered of the module. Throws Error unless that is just what was saved.
  template <class Optimizer, class M>
  void load(const std::string& name, Optimizer& optimizer, M& module) const {
    std::set<std::string> known;
    optimizer.for_each_state(module, [&]<class T>(const Path& path, std::span<T> values) {
      detail::take<T>(file_, *known.insert(name + "." + path.text()).first, values, {values.size()}, path_);
    });
    detail::refuse_others(file_, name, known, path_);
    optimizer.steps = number(name + ".steps");
  }

  /// Plain numbers.
  template <class T>
  std::vector<T> numbers(const std::string& name) const {
    return to_values<T>(detail::find(file_, name, path_), name);
  }

  /// A whole number of the metadata.
  std::uint64_t number(const std::string& name) const;

 private:
  std::string path_;
  SafeTensors file_;
};

}  // namespace hindsight
