// contract<Axes...>(a, b): multiply and sum over the named axes.
//
//     contract<Hidden>(memory, query)      Source x Batch x Hidden, Batch x Hidden  ->  Source x Batch
//     contract<In>(x, weight)              Batch x In, In x Out                     ->  Batch x Out
//
// The result has the left operand's remaining axes in their order, then the right's new ones. Axes
// that both have and that are not contracted are batch axes.
//
// It is lazy: `contract<In>(x, W) + contract<Hidden>(h, V) + bias` is one statement that accumulates
// into one buffer. Where the right operand is a parameter, its packed form is kept from step to
// step, and its gradient is deferred to the end of the pass.
#pragma once

#include <tuple>
#include <utility>

#include "autodiff/product.hpp"

namespace hindsight {
namespace detail {

/// Something that is added to the products and has the result's last axes: a bias.
template <class V>
struct Addend {
  V var;

  void check() const { var.check(); }
  bool differentiated() const { return var.gradient; }

  template <class Out>
  void begin(SumInto<Out>& sum) const {
    sum.begin(var.size(), var.value);
  }
  template <class Out>
  void add_to(SumInto<Out>& sum) const {
    sum.flush();
    const std::size_t each = var.size();
    for (std::size_t i = 0; i < sum.out.size(); i += each) kernels::add(each, var.value, sum.out.value + i);
  }
  template <class Out>
  void backward(const Out& out, std::uint64_t pass) const {
    var.reach(pass);
    if (!var.gradient) return;
    const std::size_t each = var.size();
    if (each > 0) kernels::column_sum(out.size() / each, each, out.gradient, each, var.gradient);
  }
  void describe(StatementText& text) const { text.operand(var.value, V::Shape::spelled); }
};

template <class Term>
inline constexpr bool is_addend = false;
template <class V>
inline constexpr bool is_addend<Addend<V>> = true;

/// A sum of products and biases, not computed yet.
template <class T, class Shape_, class... Terms>
struct LinearSum {
  using Scalar = T;
  using Shape = Shape_;
  std::tuple<Terms...> terms;
  Extents<Shape::rank> extents;
};

/// The entry of a LinearSum.
template <class T, class Out, class... Terms>
struct LinearStatement {
  Out out;
  std::tuple<Terms...> terms;

  void forward() const {
    // A bias first, so that the products add to it; else the first product overwrites.
    constexpr std::size_t first = first_addend();
    SumInto<Out> sum(out);
    if constexpr (first < sizeof...(Terms)) std::get<first>(terms).begin(sum);
    std::size_t i = 0;
    std::apply([&](const auto&... term) { ((i++ != first ? term.add_to(sum) : void()), ...); }, terms);
    sum.flush();
  }
  void backward(std::uint64_t pass) const {
    std::apply([&](const auto&... term) { (term.backward(out, pass), ...); }, terms);
  }
  void describe(StatementText& text) const {
    std::size_t i = 0;
    const auto one = [&](const auto& term) {
      term.describe(text);
      if (i++ > 0) text.operation("%0 + %1", 2, Precedence::sum);
    };
    std::apply([&](const auto&... term) { (one(term), ...); }, terms);
    text.result(Out::Shape::spelled, out.extents, sizeof(T));
  }

 private:
  static constexpr std::size_t first_addend() {
    std::size_t i = 0, found = sizeof...(Terms);
    ((is_addend<Terms> && found == sizeof...(Terms) ? void(found = i) : void(), ++i), ...);
    return found;
  }
};

/// Records a LinearSum as one statement.
template <class T, IsAxis... As, class... Terms>
Var<T, As...> recorded(const LinearSum<T, Axes<As...>, Terms...>& sum, const char* file, int line) {
  std::apply([](const auto&... term) { (term.check(), ...); }, sum.terms);
  Var<T, As...> out = allocate<T, As...>(sum.extents);
  Tape& tape = Tape::current();
  if (tape.recording() && std::apply([](const auto&... t) { return (t.differentiated() || ...); }, sum.terms))
    out.gradient = tape.allocate<T>(out.size());
  const LinearStatement<T, Var<T, As...>, Terms...> statement{out, sum.terms};
  statement.forward();
  if (tape.recording())
    out.node = tape.record(out.value, out.size(), out.gradient, {file, line}, statement);
  return out;
}

/// The variable an operand stands for; an expression is given a name first.
template <class T, IsAxis... As>
Var<T, As...> as_var(const Var<T, As...>& v) {
  return v;
}
template <class T, IsAxis... As>
Var<T, As...> as_var(const Parameter<T, As...>& p) {
  return p.var();
}
template <class N, class T, IsAxis... As>
Var<T, As...> as_var(const Expr<N, T, As...>& e) {
  return Var<T, As...>(e, "", 0);
}
template <class T, IsAxis... As, class... Terms>
Var<T, As...> as_var(const LinearSum<T, Axes<As...>, Terms...>& sum) {
  return recorded(sum, "", 0);
}

template <class X>
using VarOf = decltype(as_var(std::declval<const X&>()));

template <class Outer, class Inner>
inline constexpr bool is_suffix = false;
template <IsAxis... Os, IsAxis... Is>
inline constexpr bool is_suffix<Axes<Os...>, Axes<Is...>> = std::same_as<
    Joined<Without<Axes<Os...>, Axes<Is...>>, Axes<Is...>>, Axes<Os...>>;

}  // namespace detail

template <class T, IsAxis... As, class... Terms>
auto as_expr(const detail::LinearSum<T, Axes<As...>, Terms...>& sum) {
  return as_expr(detail::recorded(sum, "", 0));
}

/// An expression's value, cut off from what made it; also a parameter's.
template <TensorLike X>
  requires(!is_var<X>)
auto detach(const X& x) {
  return detach(detail::as_var(x));
}

template <class, class>
struct contract_axis_not_in_left_operand;
template <class, class>
struct contract_axis_not_in_right_operand;
template <class, class>
struct contract_does_not_mix_float_and_double;
template <class, class>
struct contract_has_too_many_axes;

/// Multiplies and sums over the axes K: see the top of this file.
/// Errors: an axis that an operand lacks does not compile; dynamic extents that differ throw Error.
template <IsAxis... K, TensorLike L, TensorLike R>
auto contract(const L& left, const R& right) {
  using Left = typename detail::ExprOf<L>::Shape;
  using Right = typename detail::ExprOf<R>::Shape;
  if constexpr (!is_subset<Axes<K...>, Left>) {
    (void)sizeof(contract_axis_not_in_left_operand<Tensor<K...>, detail::Spelled<L>>);
    return left;
  } else if constexpr (!is_subset<Axes<K...>, Right>) {
    (void)sizeof(contract_axis_not_in_right_operand<Tensor<K...>, detail::Spelled<R>>);
    return left;
  } else if constexpr (!detail::same_scalar<L, R>) {
    (void)sizeof(contract_does_not_mix_float_and_double<detail::VarLike<L>, detail::VarLike<R>>);
    return left;
  } else if constexpr (Joined<Left, Without<Right, Left>>::rank > kernels::Dims::most) {
    (void)sizeof(contract_has_too_many_axes<detail::Spelled<L>, detail::Spelled<R>>);
    return left;
  } else {
    const auto a = detail::as_var(left);
    const auto b = detail::as_var(right);
    using A = detail::VarOf<L>;
    using B = detail::VarOf<R>;
    using Term = detail::Product<typename A::Scalar, Axes<K...>, A, B>;
    auto shared = a.extents;
    detail::compare_extents<Left, Right>(shared, b.extents, "contract");
    return [&]<IsAxis... Out>(Axes<Out...>) {
      [[maybe_unused]] const auto longer = [&]<IsAxis O>(Axes<O>) {
        if constexpr (contains<O, Left>)
          return a.template extent<O>();
        else
          return b.template extent<O>();
      };
      return detail::LinearSum<typename A::Scalar, Axes<Out...>, Term>{{Term{a, b}}, {longer(Axes<Out>{})...}};
    }(typename Term::Out{});
  }
}

/// All pairs: `outer(a, b)` has the axes of both. Axes that both have are batch axes.
template <TensorLike L, TensorLike R>
auto outer(const L& left, const R& right) {
  return contract<>(left, right);
}

/// Sums of products stay one statement.
template <class T, class Shape, class... A, class... B>
auto operator+(const detail::LinearSum<T, Shape, A...>& a, const detail::LinearSum<T, Shape, B...>& b) {
  auto extents = a.extents;
  detail::compare_extents<Shape, Shape>(extents, b.extents, "addition");
  return detail::LinearSum<T, Shape, A..., B...>{std::tuple_cat(a.terms, b.terms), extents};
}

/// ... and so do sums of products and a bias, a parameter with the last of their axes.
template <class T, class Shape, class... Terms, IsAxis... As>
  requires(detail::is_suffix<Shape, Axes<As...>>)
auto operator+(const detail::LinearSum<T, Shape, Terms...>& sum, const Parameter<T, As...>& bias) {
  using Bias_ = detail::Addend<Var<T, As...>>;
  auto extents = sum.extents;
  detail::compare_extents<Shape, Axes<As...>>(extents, bias.extents(), "addition");
  return detail::LinearSum<T, Shape, Terms..., Bias_>{
      std::tuple_cat(sum.terms, std::tuple<Bias_>(Bias_{bias.var()})), extents};
}
template <class T, class Shape, class... Terms, IsAxis... As>
  requires(detail::is_suffix<Shape, Axes<As...>>)
auto operator+(const Parameter<T, As...>& bias, const detail::LinearSum<T, Shape, Terms...>& sum) {
  return sum + bias;
}

template <class T, IsAxis... As, class... Terms>
Var(const detail::LinearSum<T, Axes<As...>, Terms...>&, const char* = "", int = 0) -> Var<T, As...>;

}  // namespace hindsight
