// Checks gradients to machine precision, by the complex step (W. Squire and G. Trapp 1998).
//
//     f(x + i h) = f(x) + i h f'(x) - h^2 f''(x) / 2 - ..,   so   f'(x) = Im f(x + i h) / h
//
// Nothing is subtracted, so h may be 1e-30, and what is left is the rounding of f itself. It is for functions
// that are analytic where they are checked. The code that runs on doubles runs on complex numbers, through
// plain loops (kernels/plain.hpp), so that the values of the fast kernels are checked as well.
//
//     Lstm<In, Hidden, double> lstm;
//     initialise(lstm, 1);
//     auto report = check_complex_step(
//         [](const auto& cell, auto x) { return unroll(cell, x, cell.initial(extent<Batch>(2))).outputs; },
//         lstm, Lstm<In, Hidden, Complex>(), random_input<Time, Batch, In>("x", extent<Time>(5), extent<Batch>(2)));
//     REQUIRE(report.ok());
//
// f runs on the modules, and again on their twins: it takes them by const reference, then the inputs.
// docs/gradient-checking.md explains the rest.
#pragma once

#include "autodiff/gradcheck.hpp"
#include "autodiff/kernels/plain.hpp"

namespace hindsight {

extern template struct ParameterCore<Complex>;

/// How strict a check by the complex step is, and how much of it is done.
struct ComplexStepOptions {
  /// The largest error of a right gradient, relative to the largest gradient of its block. The outputs in double
  /// may be as far from those in complex numbers, relative to the largest of them.
  double tolerance = 1e-12;
  /// At most so many elements of each parameter and input, chosen at random; all by default.
  std::size_t elements = static_cast<std::size_t>(-1);
  /// Of the output weights and the choice of elements.
  std::uint64_t seed = 1;
};

template <class Modules, class Twins>
struct check_complex_step_needs_modules_in_double_each_with_its_twin_in_complex;
template <class Twins, class Inputs>
struct check_complex_step_needs_f_to_take_modules_by_const_reference_and_then_inputs;

namespace detail {

/// A module's twin, for f to use and not to copy: the parameters of a copy end when f returns.
template <class Module>
struct Twin : Module {
  explicit Twin(const Module& module) : Module(module) {}
  Twin(const Twin&) = delete;
  Twin& operator=(const Twin&) = delete;
};

/// Parameters and their counterparts in complex numbers, in the order of the walk.
struct TwinParameters {
  std::vector<std::pair<std::string, ParameterCore<double>*>> parameters;
  std::vector<ParameterCore<Complex>*> twins;

  template <class Module>
  void add(Module& module) {
    for_each_parameter(module, [this](const Path& path, auto& p) { parameters.emplace_back(path.text(), &p.core()); });
  }
  template <class Module>
  void add(const Twin<Module>& twin) {
    const Module& module = twin;
    for_each_parameter(module, [this](const Path&, auto& p) { twins.push_back(&p.core()); });
  }
  /// Gives the twins the parameters' values. Throws Error if there are more of the ones or they differ in size.
  void copy_values() const;
  /// Null for none, as an input's is.
  ParameterCore<Complex>* twin_of(const ParameterCore<double>* parameter) const;
};

/// The function in complex numbers.
struct ComplexFunction {
  TwinParameters parameters;
  std::vector<Complex*> inputs;  // their values
  /// The outputs. Runs it on the current tape, which does not record.
  virtual std::span<const Complex> run() = 0;

 protected:
  ~ComplexFunction() = default;
};

GradientReport check_by_complex_step(CheckedFunction& f, ComplexFunction& twin, const ComplexStepOptions& options);

/// An input in complex numbers.
template <class Input>
struct ComplexInput;
template <IsAxis... As>
struct ComplexInput<CheckedInput<As...>> {
  using Variable = Var<Complex, As...>;
  std::vector<Complex> values;
  Extents<sizeof...(As)> extents;

  explicit ComplexInput(const CheckedInput<As...>& in)
      : values(in.values.begin(), in.values.end()), extents(in.extents) {}
  Variable variable() const { return copied_in<Complex, As...>(values, extents); }
};

/// f on the twins of modules and on inputs, in complex numbers.
template <class F, class Modules, class Inputs>
class ComplexFunctionOf;
template <class F, class... Modules, class... Inputs>
class ComplexFunctionOf<F, std::tuple<Modules&...>, std::tuple<Inputs&...>> final : public ComplexFunction {
 public:
  ComplexFunctionOf(F& f, std::tuple<Modules&...> modules, std::tuple<Inputs&...> given)
      : f_(f), modules_(modules), inputs_(given) {
    std::apply([this](const auto&... twin) { (this->parameters.add(twin), ...); }, modules_);
    std::apply([this](auto&... in) { (this->inputs.push_back(in.values.data()), ...); }, inputs_);
  }

  std::span<const Complex> run() override {
    const auto modules = std::apply([](const auto&... module) { return std::tie(module...); }, modules_);
    const auto variables = std::apply([](const auto&... in) { return std::tuple(in.variable()...); }, inputs_);
    const auto y = contiguous(as_var(std::apply(f_, std::tuple_cat(modules, variables))));
    static_assert(std::same_as<typename std::remove_cv_t<decltype(y)>::Scalar, Complex>,
                  "check_complex_step: f must compute in the scalar of what it is given");
    return {y.value, y.size()};
  }

 private:
  F& f_;
  std::tuple<Twin<std::remove_const_t<Modules>>...> modules_;
  std::tuple<ComplexInput<std::remove_const_t<Inputs>>...> inputs_;
};

template <class F, class Modules, class Inputs>
ComplexFunctionOf(F&, Modules, Inputs) -> ComplexFunctionOf<F, Modules, Inputs>;

/// What a part of the call is: modules and their twins take turns.
enum class Role { input, module, twin };

template <class... Parts>
constexpr auto roles() {
  std::array<Role, sizeof...(Parts)> role{};
  std::size_t i = 0;
  bool twin = false;
  ((role[i++] = is_input<Parts> ? Role::input : std::exchange(twin, !twin) ? Role::twin : Role::module), ...);
  return role;
}

/// References to the parts of a role.
template <Role role, class... Parts>
auto parts_of(Parts&... parts) {
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    const auto if_so = []<std::size_t K>(std::integral_constant<std::size_t, K>, auto& part) {
      if constexpr (roles<std::remove_const_t<Parts>...>()[K] == role)
        return std::tie(part);
      else
        return std::tuple<>();
    };
    return std::tuple_cat(if_so(std::integral_constant<std::size_t, I>{}, parts)...);
  }(std::index_sequence_for<Parts...>{});
}

/// Whether each module is in double and has a twin in complex numbers.
template <class Modules, class Twins>
inline constexpr bool are_twins = false;
template <class... Modules, class... Twins>
  requires(sizeof...(Modules) == sizeof...(Twins))
inline constexpr bool are_twins<std::tuple<Modules&...>, std::tuple<Twins&...>> =
    (all_in<double, std::remove_const_t<Modules>> && ...) && (all_in<Complex, std::remove_const_t<Twins>> && ...);

/// Whether f takes twins, which cannot be copied, and then the inputs.
template <class F, class Twins, class Inputs>
inline constexpr bool takes = false;
template <class F, class... Twins, class... Inputs>
inline constexpr bool takes<F, std::tuple<Twins&...>, std::tuple<Inputs&...>> =
    std::invocable<F&, const Twin<std::remove_const_t<Twins>>&...,
                   typename ComplexInput<std::remove_const_t<Inputs>>::Variable...>;

}  // namespace detail

/// Compares the gradients of f's output with the complex step. `parts` are the modules and parameters in double,
/// each followed by its twin in complex numbers, which gets its values, and the inputs; f takes the modules,
/// then the inputs as variables. What of a module is no parameter (a dropout's rate) is set in both.
/// The report and all else are as in `check_gradients`.
template <class F, class... Parts>
  requires(!std::same_as<std::remove_cvref_t<F>, ComplexStepOptions>)
GradientReport check_complex_step(F&& f, Parts&&... parts) {
  return check_complex_step(ComplexStepOptions{}, f, parts...);
}
/// The same with options: `check_complex_step({.elements = 100}, f, cell, twin)`.
template <class F, class... Parts>
GradientReport check_complex_step(const ComplexStepOptions& options, F&& f, Parts&&... parts) {
  const auto modules = detail::parts_of<detail::Role::module>(parts...);
  const auto twins = detail::parts_of<detail::Role::twin>(parts...);
  const auto inputs = detail::parts_of<detail::Role::input>(parts...);
  using Modules = std::remove_const_t<decltype(modules)>;
  using Twins = std::remove_const_t<decltype(twins)>;
  using Inputs = std::remove_const_t<decltype(inputs)>;
  if constexpr (!detail::are_twins<Modules, Twins>) {
    (void)sizeof(check_complex_step_needs_modules_in_double_each_with_its_twin_in_complex<Modules, Twins>);
    return {};
  } else if constexpr (!detail::takes<F, Twins, Inputs>) {
    (void)sizeof(check_complex_step_needs_f_to_take_modules_by_const_reference_and_then_inputs<Twins, Inputs>);
    return {};
  } else {
    auto on_modules = [&](const auto&... in) { return std::apply(f, std::tuple_cat(modules, std::tie(in...))); };
    auto in_double = std::apply(
        [&](auto&... part) { return detail::FunctionOf<decltype(on_modules), decltype(part)...>(on_modules, part...); },
        std::tuple_cat(modules, inputs));
    detail::ComplexFunctionOf in_complex(f, twins, inputs);
    std::apply([&](auto&... module) { (in_complex.parameters.add(module), ...); }, modules);
    return detail::check_by_complex_step(in_double, in_complex, options);
  }
}

}  // namespace hindsight
