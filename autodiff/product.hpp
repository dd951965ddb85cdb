// One contraction of two variables, brought to matrix products: a term of the sums in contract.hpp.
//
// A right operand that is a whole parameter is special twice: its packed form is kept from step to step, and
// its gradient is deferred to the end of the pass.
#pragma once

#include <optional>

#include "autodiff/select.hpp"
#include "autodiff/kernels/contract.hpp"
#include "autodiff/kernels/reduce.hpp"

namespace hindsight {
namespace detail {

/// What a sum of products is computed into. Products with a packed right side wait until all are there, for one pass
/// over the result.
template <class V>
class SumInto {
 public:
  using T = typename V::Scalar;
  static constexpr std::size_t most = 8;

  explicit SumInto(const V& result) : out(result) {}

  /// Adds a product, of which `row` and `col` say how it lies in the result.
  void add(const kernels::Dim& row, const kernels::Dim& col, const kernels::PackedTerm<T>& term) {
    const bool fits = count_ < most && row.extent == row_.extent && col.extent == col_.extent && row.c == row_.c;
    if (count_ > 0 && !fits) flush();
    row_ = row, col_ = col;
    terms_[count_++] = term;
  }
  /// Begins with a bias, as long as the result's last axes.
  void begin(std::size_t length, const T* bias) { bias_ = bias, bias_length_ = length; }

  /// Computes what waits.
  void flush() {
    kernels::Start<T> start{begun ? out.value : nullptr, row_.c};
    if (bias_ && count_ > 0 && col_.extent == bias_length_)
      start = {bias_, 0};
    else if (bias_)
      spread_bias();
    if (count_ > 0)
      kernels::gemm_packed<T>(row_.extent, col_.extent, {terms_.data(), count_}, start, out.value, row_.c);
    begun = begun || bias_ || count_ > 0;
    bias_ = nullptr;
    count_ = 0;
  }

  const V& out;
  bool begun = false;  // something is in the result

 private:
  void spread_bias() {
    for (std::size_t i = 0; i < out.size(); i += bias_length_) std::copy_n(bias_, bias_length_, out.value + i);
  }

  const T* bias_ = nullptr;
  std::size_t bias_length_ = 0;
  kernels::Dim row_, col_;
  std::array<kernels::PackedTerm<T>, most> terms_;
  std::size_t count_ = 0;
};

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
  void add_to(SumInto<V>& sum) const {
    const V& out = sum.out;
    if (const auto m = weight_matrix(out)) {
      sum.add(m->row, m->col, {{left.value, m->row.a, m->k.a}, packed(*m), m->k.extent});
    } else {
      sum.flush();
      kernels::contract<T>(axes(out), left.value, right.value, out.value, sum.begun);
      sum.begun = true;
    }
  }

  template <class V>
  void backward(const V& out, std::uint64_t pass) const {
    const auto m = weight_matrix(out);
    right.reach(pass);
    const bool accumulate = left.gradient && !left.reach_whole(pass);
    if (left.gradient) {
      if (m && m->k.a == 1) {
        kernels::gemm_packed<T>(m->row.extent, m->k.extent, m->col.extent, {out.gradient, m->row.c, m->col.c},
                                right.parameter->packed(m->col.extent, m->k.extent, m->col.b, m->k.b), left.gradient,
                                m->row.a, accumulate);
      } else {  // d left[row, k] += sum over col of d out[row, col] right[k, col]
        const kernels::Contraction plan = axes(out);
        kernels::contract<T>({permuted(plan.batch, C, B, A), permuted(plan.rows, C, B, A),
                              permuted(plan.inner, C, B, A), permuted(plan.cols, C, B, A)},
                             out.gradient, right.value, left.gradient, accumulate);
      }
    }
    if (right.gradient) {
      if (m) {
        defer(*m, out, pass);
      } else {  // d right[k, col] += sum over row of left[row, k] d out[row, col]
        const kernels::Contraction plan = axes(out);
        kernels::contract<T>({permuted(plan.batch, A, C, B), permuted(plan.inner, A, C, B),
                              permuted(plan.cols, A, C, B), permuted(plan.rows, A, C, B)},
                             left.value, out.gradient, right.gradient, true);
      }
    }
  }

  void describe(StatementText& text) const {
    text.operand(left.value, Left::spelled);
    text.operand(right.value, Right::spelled);
    text.contraction(K::spelled);
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

  /// The product as one of matrices whose right one is a whole parameter, or nothing.
  template <class V>
  std::optional<Matrix> weight_matrix(const V& out) const {
    if constexpr (Batch::rank == 0) {
      if (!right.parameter) return {};
      kernels::Contraction flat;
      if constexpr (Rows::rank <= 1 && Cols::rank <= 1 && K::rank <= 1)
        flat = axes(out);
      else if (!kernels::is_matrix_product(axes(out), flat))
        return {};
      const Matrix m{flat.rows.first(), flat.cols.first(), flat.inner.first()};
      if (m.col.c <= 1 && (m.col.b <= 1 || m.k.b <= 1)) return m;
    }
    return {};
  }
  const T* packed(const Matrix& m) const {
    return right.parameter->packed(m.k.extent, m.col.extent, m.k.b, m.col.b);
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
