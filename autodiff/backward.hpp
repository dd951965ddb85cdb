// Running a recording backwards.
#pragma once

#include "autodiff/contract.hpp"

namespace hindsight {

namespace detail {

template <class T, IsAxis... As>
void check_differentiable(const Var<T, As...>& y, const char* call) {
  y.check();
  if (!y.gradient)
    throw TapeError(std::string(call) +
                    ": the result depends on nothing that is differentiated, or was computed while nothing was recorded");
}

/// One pass from y, whose gradient is set by `seed(pass)`.
template <class T, IsAxis... As, class Seed>
void run_pass(const Var<T, As...>& y, Seed seed) {
  Tape& tape = Tape::current();
  const std::uint64_t pass = tape.begin_pass();
  y.node->reach(pass);
  seed();
  tape.run_backward(y.value, pass);
}

}  // namespace detail

template <class>
struct backward_needs_a_scalar_loss_or_a_seed;

/// d loss / d everything that was recorded: adds to parameters' gradients, sets variables'.
/// The second call on one recording throws TapeError.
template <class T, IsAxis... As>
void backward(const Var<T, As...>& loss) {
  if constexpr (sizeof...(As) > 0) {
    (void)sizeof(backward_needs_a_scalar_loss_or_a_seed<Tensor<As...>>);
  } else {
    detail::check_differentiable(loss, "backward(loss)");
    Tape::current().use_up();
    detail::run_pass(loss, [&] { *loss.gradient += T{1}; });
  }
}

/// The same for an expression, such as `backward(sum(losses) / 2)`.
template <TensorLike X>
  requires(!is_var<X>)
void backward(const X& loss) {
  backward(detail::as_var(loss));
}

template <class, class>
struct backward_seed_needs_the_axes_of_the_result;

/// The product of `seed` (of y's axes) and the Jacobian of y: for several seeds on one recording.
/// Variables' gradients are cleared between calls; parameters' accumulate.
template <class T, IsAxis... As, TensorLike Seed>
void backward(const Var<T, As...>& y, const Seed& given) {
  if constexpr (!std::same_as<detail::VarOf<Seed>, Var<T, As...>>) {
    (void)sizeof(backward_seed_needs_the_axes_of_the_result<detail::VarOf<Seed>, Var<T, As...>>);
  } else {
    const Var<T, As...> seed = detail::as_var(given);
    detail::check_differentiable(y, "backward(y, seed)");
    seed.check();
    detail::compare_extents<Axes<As...>, Axes<As...>>(y.extents, seed.extents, "backward(y, seed)");
    const std::vector<T> weights = seed.values();
    detail::run_pass(y, [&] {
      std::size_t i = 0;
      detail::each_offset(y.extents, y.strides, [&](std::size_t at) { y.gradient[at] += weights[i++]; });
    });
  }
}

/// d y / d x: a matrix with y's elements as rows and x's as columns, both row-major. x is a variable or
/// a parameter; parameters' gradients are left as they were.
template <class T, IsAxis... Ys, IsAxis... Xs>
std::vector<T> jacobian(const Var<T, Ys...>& y, const Var<T, Xs...>& x) {
  detail::check_differentiable(y, "jacobian(y, x)");
  detail::check_differentiable(x, "jacobian(y, x)");
  const KeptGradients kept(Tape::current());
  std::vector<T> rows;
  detail::each_offset(y.extents, y.strides, [&](std::size_t at) {
    detail::run_pass(y, [&] {
      x.node->reach(Tape::current().pass());
      y.gradient[at] += T{1};
    });
    const std::vector<T> row = x.gradients();
    rows.insert(rows.end(), row.begin(), row.end());
  });
  return rows;
}
template <class T, IsAxis... Ys, IsAxis... Xs>
std::vector<T> jacobian(const Var<T, Ys...>& y, const Parameter<T, Xs...>& x) {
  return jacobian(y, x.var());
}

}  // namespace hindsight
