// Checks gradients against finite differences.
//
//     auto report = check_gradients(
//         [&](auto x, auto h) { return cell(x, HiddenState{h}).h; },
//         cell, random_input<Batch, In>("x"), random_input<Batch, Hidden>("h"));
//     REQUIRE(report.ok());      // report.text() says what is wrong, where, and likely why
//
// Everything is checked: every element of every parameter of the modules and parameters that are
// named, and of the inputs, which f takes as variables in their order. The outputs are weighted with
// random numbers first (a plain sum would hide, say, every mistake in a softmax). The checker has a
// tape of its own: f makes its constants itself. docs/gradient-checking.md explains the rest.
#pragma once

#include <concepts>
#include <functional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "autodiff/backward.hpp"
#include "autodiff/gradient_report.hpp"
#include "autodiff/module.hpp"
#include "autodiff/random.hpp"
#include "autodiff/views.hpp"

namespace hindsight {

/// How strict a check is, and how much of it is done.
struct GradientOptions {
  /// The largest error of a right gradient, relative to the largest gradient of its block.
  double tolerance = 1e-7;
  /// At most so many elements of each parameter and input, chosen at random; all by default.
  std::size_t elements = static_cast<std::size_t>(-1);
  /// Of the output weights, the choice of elements and the directions.
  std::uint64_t seed = 1;
  /// Instead of element by element, along so many random directions in each parameter, gate and input: for models too
  /// large for the other. 0: element by element.
  std::size_t directions = 0;
};

/// An input of the function that is checked, with its values.
template <IsAxis... As>
struct CheckedInput {
  std::string name;
  std::vector<double> values;
  Extents<sizeof...(As)> extents;
};

/// An input with these values, row-major: `input<Batch, In>("x", {0.1, 0.2})`; dynamic axes take
/// their extents: `input<Source, In>("x", values, extent<Source>(7))`.
template <IsAxis... As, class... Given>
CheckedInput<As...> input(std::string name, std::vector<double> values, Extent<Given>... given) {
  const auto extents = detail::extents_of(Axes<As...>{}, given...);
  if (values.size() != detail::count(extents))
    throw Error("input " + name + ": " + std::to_string(values.size()) + " values for a tensor of " +
                std::to_string(detail::count(extents)) + " (" + detail::shape_name(Axes<As...>{}) + ")");
  return {std::move(name), std::move(values), extents};
}

/// An input with values uniform in [-1, 1), which its name determines.
template <IsAxis... As, class... Given>
CheckedInput<As...> random_input(std::string name, Extent<Given>... given) {
  std::vector<double> values(detail::count(detail::extents_of(Axes<As...>{}, given...)));
  fill_uniform(values.size(), -1.0, 1.0, Random{}.child(name), values.data());
  return input<As...>(std::move(name), std::move(values), given...);
}

template <class Part>
struct check_gradients_needs_double_not_float;

namespace detail {

/// Whether all parameters of a module are of type T.
template <class T, class M>
inline constexpr bool all_in = true;
template <class T, class Own, IsAxis... As>
inline constexpr bool all_in<T, Parameter<Own, As...>> = std::same_as<T, Own>;
template <class T, class M>
  requires is_list<M>
inline constexpr bool all_in<T, M> = all_in<T, typename M::value_type>;
template <class T, class... Ms>
inline constexpr bool all_in<T, std::tuple<Ms...>> = (all_in<T, Ms> && ...);
template <class T, class M>
  requires IsModule<M>
inline constexpr bool all_in<T, M> = decltype(hana::unpack(hana::accessors<M>(), [](auto... member) {
  return std::bool_constant<(
      all_in<T, std::remove_cvref_t<decltype(hana::second(member)(std::declval<M&>()))>> && ...)>{};
}))::value;

/// A tensor that the checker changes element by element.
struct Subject {
  CheckedTensor tensor;
  double* values;
  ParameterCore<double>* parameter = nullptr;  // null for an input
  Node* node = nullptr;                        // of the last recording; a parameter's own
  double* gradient = nullptr;
};

/// What f computed, contiguous.
struct CheckedOutput {
  const double* value = nullptr;
  double* gradient = nullptr;
  Node* node = nullptr;
  std::size_t size = 0;
};

/// The function that is checked and what it is differentiated by.
struct CheckedFunction {
  std::vector<Subject> subjects;
  /// Runs it on the current tape, with the inputs as fresh variables.
  virtual CheckedOutput run() = 0;
  /// The slope of sum_k weight_k y_k in element i of subject s; finite differences are taken where it is empty.
  std::function<double(std::size_t s, std::size_t i, const std::vector<double>& weights)> slope;

 protected:
  ~CheckedFunction() = default;
};

GradientReport check(CheckedFunction& f, const GradientOptions& options);

template <IsAxis... As>
Subject subject(std::string path, Axes<As...> axes, const Extents<sizeof...(As)>& extents, double* values) {
  return {{std::move(path), named_axes(shape_name(axes), {extents.begin(), extents.end()})}, values};
}

template <class Part>
inline constexpr bool is_input = false;
template <IsAxis... As>
inline constexpr bool is_input<CheckedInput<As...>> = true;

/// Inputs are copied, so that the checker may change them; modules are what f itself uses.
template <class Part>
using Kept = std::conditional_t<is_input<std::remove_cvref_t<Part>>, std::remove_cvref_t<Part>, Part&>;

/// The variable that f takes for an input; nothing for a module.
template <IsAxis... As>
auto argument(const CheckedInput<As...>& in, std::vector<Subject>& subjects, std::size_t& next) {
  auto v = copied_in<double, As...>(in.values, in.extents);
  give_gradient(v);
  if (Tape::current().recording()) named(in.name, v);
  subjects[next].node = v.node;
  subjects[next++].gradient = v.gradient;
  return std::tuple(v);
}
template <class Module>
std::tuple<> argument(const Module&, std::vector<Subject>&, std::size_t&) {
  return {};
}

template <class F, class... Parts>
class FunctionOf final : public CheckedFunction {
 public:
  FunctionOf(F& f, Parts&... parts) : f_(f), parts_(parts...) {
    std::apply([this](auto&... part) { (this->add_input(part), ...); }, parts_);
    std::apply([this](auto&... part) { (this->add_parameters(part), ...); }, parts_);
  }

  CheckedOutput run() override {
    std::size_t next = 0;
    const auto y = std::apply(
        [&](auto&... part) {
          // The braces order the calls: inputs are the first subjects, in their order.
          std::tuple<decltype(argument(part, subjects, next))...> arguments{argument(part, subjects, next)...};
          return std::apply([&](auto&... a) { return std::apply(f_, std::tuple_cat(a...)); }, arguments);
        },
        parts_);
    static_assert(!is_parameter<std::remove_cv_t<decltype(y)>>,
                  "check_gradients: f returns a copy of a parameter, which is another one: return p.var()");
    const auto v = contiguous(as_var(y));
    static_assert(std::same_as<typename std::remove_cv_t<decltype(v)>::Scalar, double>,
                  "check_gradients: f must compute in double");
    return {v.value, v.gradient, v.node, v.size()};
  }

 private:
  template <IsAxis... As>
  void add_input(CheckedInput<As...>& in) {
    subjects.push_back(subject(in.name, Axes<As...>{}, in.extents, in.values.data()));
  }
  template <class Module>
  void add_input(Module&) {}

  template <IsAxis... As>
  void add_parameters(CheckedInput<As...>&) {}
  /// The paths begin with the module's number where there are several modules.
  template <class Module>
  void add_parameters(Module& module) {
    constexpr bool several = (std::size_t{0} + ... + !is_input<std::remove_cvref_t<Parts>>) > 1;
    const std::string number = several ? std::to_string(modules_++) : "";
    for_each_parameter(module, [&](const Path& path, auto& p) {
      const std::string own = path.text();
      add_parameter(own.empty() ? "parameter" + number : number.empty() ? own : number + "." + own, p);
    });
  }
  /// A parameter that is met twice is one parameter.
  template <IsAxis... As>
  void add_parameter(std::string path, const Parameter<double, As...>& p) {
    ParameterCore<double>* core = &p.core();
    for (const Subject& s : subjects)
      if (s.parameter == core) return;
    subjects.push_back(subject(std::move(path), Axes<As...>{}, p.extents(), core->value()));
    subjects.back().parameter = core;
    subjects.back().node = core;
    subjects.back().gradient = core->gradient();
  }

  F& f_;
  std::tuple<Kept<Parts>...> parts_;
  std::size_t modules_ = 0;
};

template <class F, class... Parts>
GradientReport check_parts(const GradientOptions& options, F& f, Parts&... parts) {
  FunctionOf<F, Parts...> function(f, parts...);
  return check(function, options);
}

}  // namespace detail

/// Compares the gradients of f's output, of any shape, by every parameter of the modules and
/// parameters in `parts` and by every input in `parts`, with finite differences. f takes the inputs,
/// in their order, as variables. Values and gradients of parameters are afterwards as they were
/// before, even if f throws.
template <class F, class... Parts>
  requires(!std::same_as<std::remove_cvref_t<F>, GradientOptions>)
GradientReport check_gradients(F&& f, Parts&&... parts) {
  return check_gradients(GradientOptions{}, f, std::forward<Parts>(parts)...);
}
/// The same with options: `check_gradients({.tolerance = 1e-9}, f, cell)`.
template <class F, class... Parts>
GradientReport check_gradients(const GradientOptions& options, F&& f, Parts&&... parts) {
  static_assert(((detail::is_input<std::remove_cvref_t<Parts>> || std::is_lvalue_reference_v<Parts>) && ...),
                "check_gradients: name the module that f uses, not a copy of it");
  if constexpr ((detail::all_in<double, std::remove_cvref_t<Parts>> && ...)) {
    return detail::check_parts(options, f, parts...);
  } else {
    ((void)sizeof(check_gradients_needs_double_not_float<std::remove_cvref_t<Parts>>), ...);
    return {};
  }
}

}  // namespace hindsight
