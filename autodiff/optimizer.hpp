// What all optimizers have in common: the walk, the moments and the count of steps. What makes one
// of them is its rule (optimizers.hpp).
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include "autodiff/learned.hpp"

namespace hindsight {

namespace detail {

[[noreturn]] void state_does_not_fit(const char* optimizer, const Path& path);
[[noreturn]] void parameters_missing(const char* optimizer, std::size_t expected, std::size_t found);

}  // namespace detail

/// An optimizer of one module, whose hyperparameters are the members of its rule and may be changed
/// between steps: `adam.rate = 1e-4`.
///
/// A rule has `moments`, the names of what it remembers of each element, `check()`, which throws
/// Error for hyperparameters out of range, and `update(n, w, g, moments, t)`.
///
/// Moments belong to parameters by their order in the module, not by their address: the module may
/// be moved, or assigned from a copy. They begin at zero, at the first call.
template <class Rule>
class Optimizer : public Rule {
 public:
  explicit Optimizer(Rule rule = {}) : Rule(rule) {}

  /// Steps taken so far, t: one count for all parameters, whether a gradient reached them or not.
  std::uint64_t steps = 0;

  /// One update of every parameter from the gradients accumulated so far, which stay as they are:
  ///
  ///     backward(loss);  clip_by_global_norm(model, 1);  adam.step(model);  clear_gradients(model);
  ///
  /// A parameter met under several names is updated once; frozen rows and their moments keep their
  /// bits. The first step takes the moments from the heap, later ones take nothing. Gradients are not
  /// looked at: NaN in is NaN out, and clipping is what refuses it.
  /// Throws Error, with nothing changed, if a hyperparameter is out of range or the module is not
  /// the one of the steps before.
  template <class M>
  void step(M& module) {
    Rule::check();
    match(module);
    ++steps;
    for_each_state_of(module, [&]<class T>(const Path&, ParameterCore<T>& core, std::vector<T>& state) {
      const Edit<T> edit(core);
      for_each_learned_run(core, [&](std::size_t begin, std::size_t count) {
        std::array<T*, moment_count> at;
        for (std::size_t k = 0; k < moment_count; ++k) at[k] = state.data() + k * core.size() + begin;
        Rule::update(count, core.value() + begin, core.gradient() + begin, at, steps);
      });
    });
  }

  /// Calls visit(path, numbers) for every moment of every parameter, `numbers` a span to read or to
  /// fill, the path ending in the moment's name: "cell.bias.m". With `steps`, it is all that a training
  /// run needs to go on where it stopped, bit for bit.
  template <class M, class Visit>
  void for_each_state(M& module, Visit&& visit) {
    match(module);
    for_each_state_of(module, [&]<class T>(const Path& path, ParameterCore<T>& core, std::vector<T>& state) {
      for (std::size_t k = 0; k < moment_count; ++k)
        visit(Path{&path, Rule::moments[k], 0}, std::span<T>(state).subspan(k * core.size(), core.size()));
    });
  }

 private:
  static constexpr std::size_t moment_count = Rule::moments.size();

  /// The moments of one parameter, one after the other.
  using State = std::variant<std::vector<float>, std::vector<double>>;
  std::vector<State> states_;

  /// Makes the states at the first call; later, throws Error unless the module fits them.
  template <class M>
  void match(M& module) {
    const bool first = states_.empty();
    std::size_t i = 0;
    for_each_distinct(module, [&]<class T>(const Path& path, ParameterCore<T>& core) {
      if (first) states_.emplace_back(std::vector<T>(moment_count * core.size()));
      const auto* state = i < states_.size() ? std::get_if<std::vector<T>>(&states_[i]) : nullptr;
      if (!state || state->size() != moment_count * core.size()) detail::state_does_not_fit(Rule::name, path);
      ++i;
    });
    if (i != states_.size()) detail::parameters_missing(Rule::name, states_.size(), i);
  }

  template <class M, class Visit>
  void for_each_state_of(M& module, Visit&& visit) {
    std::size_t i = 0;
    for_each_distinct(module, [&]<class T>(const Path& path, ParameterCore<T>& core) {
      visit(path, core, std::get<std::vector<T>>(states_[i++]));
    });
  }
};

}  // namespace hindsight
