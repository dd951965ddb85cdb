// One contraction of two variables, brought to matrix products: a term of the sums in contract.hpp.
//
// A right operand that is a whole parameter is special twice: its packed form is kept from step to step, and
// its gradient is deferred to the end of the pass.
#pragma once

#include "autodiff/select.hpp"
#include "autodiff/kernels/contract.hpp"
#include "autodiff/kernels/reduce.hpp"

namespace hindsight {
namespace detail {

/// left and right, summed over the axes K.
template <class T, class K, class L, class R>
struct Product {
  using Left = typename L::Shape;
  using Right = typename R::Shape;
  using Batch = Without<Common<Left, Right>, K>;
  using Rows = Without<Left, Right>;
  using Cols = Without<Right, Left>;
  using Out = Joined<Without<Left, K>, Cols>;

  L left;
  R right;

  void check() const {
    left.check();
    right.check();
  }
  bool differentiated() const { return left.gradient || right.gradient; }

  template <class V>
  void add_to(const V& out, bool accumulate) const {
    kernels::Contraction plan = axes(out);
    if (kernels::Contraction flat; is_weight(plan, flat)) {
      const auto [row, col, k] = matrix(flat);
      kernels::gemm_packed<T>(row.extent, col.extent, k.extent, {left.value, row.a, k.a},
                              right.parameter->packed(k.extent, col.extent, k.b, col.b), out.value, row.c, accumulate);
    } else {
      kernels::contract<T>(plan, left.value, right.value, out.value, accumulate);
    }
  }

  template <class V>
  void backward(const V& out, std::uint64_t pass) const {
    kernels::Contraction plan = axes(out), flat;
    const bool weight = is_weight(plan, flat);
    left.reach(pass);
    right.reach(pass);
    if (left.gradient) {
      if (weight && matrix(flat).k.a == 1) {
        const auto [row, col, k] = matrix(flat);
        kernels::gemm_packed<T>(row.extent, k.extent, col.extent, {out.gradient, row.c, col.c},
                                right.parameter->packed(col.extent, k.extent, col.b, k.b), left.gradient, row.a, true);
      } else {  // d left[row, k] += sum over col of d out[row, col] right[k, col]
        kernels::contract<T>({permuted(plan.batch, C, B, A), permuted(plan.rows, C, B, A),
                              permuted(plan.inner, C, B, A), permuted(plan.cols, C, B, A)},
                             out.gradient, right.value, left.gradient, true);
      }
    }
    if (right.gradient) {
      if (weight)
        defer(matrix(flat), out, pass);
      else  // d right[k, col] += sum over row of left[row, k] d out[row, col]
        kernels::contract<T>({permuted(plan.batch, A, C, B), permuted(plan.inner, A, C, B),
                              permuted(plan.cols, A, C, B), permuted(plan.rows, A, C, B)},
                             left.value, out.gradient, right.gradient, true);
    }
  }

  void operands(std::vector<Statement::Operand>& list) const {
    list.push_back(operand_of(left));
    list.push_back(operand_of(right));
  }
  std::string text(std::size_t& operand) const {
    const std::size_t first = operand;
    operand += 2;
    return "contract<" + shape_name(K{}) + ">(%" + std::to_string(first) + ", %" + std::to_string(first + 1) + ")";
  }

 private:
  struct Matrix {
    kernels::Dim row, col, k;
  };
  using Stride = std::size_t kernels::Dim::*;
  static constexpr Stride A = &kernels::Dim::a, B = &kernels::Dim::b, C = &kernels::Dim::c;

  /// The axes with other matrices in the roles of a, b and c.
  static kernels::Dims permuted(const kernels::Dims& dims, Stride a, Stride b, Stride c) {
    kernels::Dims out;
    for (std::size_t i = 0; i < dims.count; ++i) {
      const kernels::Dim& d = dims.dim[i];
      out.push({d.extent, d.*a, d.*b, d.*c});
    }
    return out;
  }

  template <class V>
  kernels::Contraction axes(const V& out) const {
    return {group(Batch{}, out), group(Rows{}, out), group(Cols{}, out), group(K{}, out)};
  }
  template <IsAxis... As, class V>
  kernels::Dims group(Axes<As...>, const V& out) const {
    kernels::Dims dims;
    (dims.push({extent_of<As>(), stride_of<As>(left), stride_of<As>(right), stride_of<As>(out)}), ...);
    return dims;
  }
  template <IsAxis Ax>
  std::size_t extent_of() const {
    if constexpr (contains<Ax, Left>)
      return left.template extent<Ax>();
    else
      return right.template extent<Ax>();
  }
  template <IsAxis Ax, class V>
  static std::size_t stride_of(const V& v) {
    if constexpr (contains<Ax, typename V::Shape>)
      return v.strides[index_in<Ax, typename V::Shape>];
    else
      return 0;
  }

  /// The right operand is a whole parameter, used as one matrix.
  bool is_weight(const kernels::Contraction& plan, kernels::Contraction& flat) const {
    if (!right.parameter || Batch::rank > 0 || !kernels::is_matrix_product(plan, flat)) return false;
    const auto [row, col, k] = matrix(flat);
    return col.c <= 1 && (col.b <= 1 || k.b <= 1);
  }
  static Matrix matrix(const kernels::Contraction& flat) {
    return {flat.rows.dim[0], flat.cols.dim[0], flat.inner.dim[0]};
  }

  /// Leaves the parameter's share for the end of the pass, in the order its values lie in memory.
  template <class V>
  void defer(const Matrix& m, const V& out, std::uint64_t pass) const {
    const kernels::MatrixView<T> input{left.value, m.row.a, m.k.a}, output{out.gradient, m.row.c, m.col.c};
    if (m.col.b <= 1)
      right.parameter->defer(m.k.extent, m.col.extent, {input, output, m.row.extent}, pass);
    else
      right.parameter->defer(m.col.extent, m.k.extent, {output, input, m.row.extent}, pass);
  }
};

}  // namespace detail
}  // namespace hindsight
