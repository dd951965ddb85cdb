// A tensor as a backward that is written by hand sees it: a matrix of plain numbers.
#pragma once

#include "autodiff/views.hpp"

namespace hindsight::mutants {

struct Matrix {
  double* values;
  std::size_t rows, columns;
  std::size_t row_stride, column_stride;

  double& operator()(std::size_t i, std::size_t j) const { return values[i * row_stride + j * column_stride]; }
  Matrix transposed() const { return {values, columns, rows, column_stride, row_stride}; }
};

/// A variable's values or its gradients, whichever lie there; a vector is one row.
template <IsAxis Row, IsAxis Column>
Matrix matrix(double* there, const Var<double, Row, Column>& v) {
  return {there, v.extents[0], v.extents[1], v.strides[0], v.strides[1]};
}
template <IsAxis Column>
Matrix matrix(double* there, const Var<double, Column>& v) {
  return {there, 1, v.extents[0], 0, v.strides[0]};
}
template <IsAxis... As>
Matrix value(const Var<double, As...>& v) {
  return matrix(v.value, v);
}
template <IsAxis... As>
Matrix gradient(const Var<double, As...>& v) {
  return matrix(v.gradient, v);
}

/// Room on the tape for what a backward computes on its way.
inline Matrix scratch(std::size_t rows, std::size_t columns) {
  return {Tape::current().allocate<double>(rows * columns), rows, columns, columns, 1};
}

/// work(i, j) for every element.
template <class Work>
void each(const Matrix& x, Work work) {
  for (std::size_t i = 0; i < x.rows; ++i)
    for (std::size_t j = 0; j < x.columns; ++j) work(i, j);
}

inline void clear(const Matrix& x) {
  each(x, [&](std::size_t i, std::size_t j) { x(i, j) = 0; });
}

/// y += x.
inline void add(const Matrix& x, const Matrix& y) {
  each(x, [&](std::size_t i, std::size_t j) { y(i, j) += x(i, j); });
}

/// y += a b.
inline void add_product(const Matrix& a, const Matrix& b, const Matrix& y) {
  each(y, [&](std::size_t i, std::size_t j) {
    for (std::size_t k = 0; k < a.columns; ++k) y(i, j) += a(i, k) * b(k, j);
  });
}

/// total += the sum of x's rows.
inline void add_rows(const Matrix& x, const Matrix& total) {
  each(x, [&](std::size_t i, std::size_t j) { total(0, j) += x(i, j); });
}

}  // namespace hindsight::mutants
