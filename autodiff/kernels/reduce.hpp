// Sums, means and maxima along an axis, their gradients, and the plain loops over memory.
//
// Tensors are outer x n x inner (AxisLayout); a mask has the layout of x, 0 where an element is
// masked out, or is null. A mask selects: what x holds at a masked place is never looked at, and
// its gradient is exactly 0. Every sum runs in one fixed order (slices.hpp). Nothing is allocated.
#pragma once

#include <cstddef>
#include <cstdint>

#include "autodiff/kernels/axis_layout.hpp"

namespace hindsight::kernels {

/// y = sum_i x_i over the kept i; 0 where there are none.
///     x, mask: outer x n x inner, y: outer x inner
template <class T>
void sum(AxisLayout layout, const T* x, const T* mask, T* y);

/// dx_i += dy at the kept i.
///     dy: outer x inner, mask, dx: outer x n x inner
template <class T>
void sum_backward(AxisLayout layout, const T* mask, const T* dy, T* dx);

/// y = 1/N sum_i x_i over the N kept i; 0 where there are none, as a read of nothing is.
template <class T>
void mean(AxisLayout layout, const T* x, const T* mask, T* y);

/// dx_i += dy / N at the N kept i.
template <class T>
void mean_backward(AxisLayout layout, const T* mask, const T* dy, T* dx);

/// y = max_i x_i over the kept i, argmax the first i where it is reached.
///     x, mask: outer x n x inner, y, argmax: outer x inner
///
/// NaN is larger than any number. Where nothing is kept y is 0, as a read of nothing is, and argmax
/// is -1. Throws Error if n > 2^24, beyond which a float does not count.
template <class T>
void max(AxisLayout layout, const T* x, const T* mask, T* y, std::int32_t* argmax);

/// dx_argmax += dy: the first of equal maxima gets all of the gradient; nothing for argmax -1.
template <class T>
void max_backward(AxisLayout layout, const std::int32_t* argmax, const T* dy, T* dx);

/// out_c += sum_r x_{r,c}: the gradient of a bias.
///     x: rows x cols, the rows row_stride apart, out: cols
///
/// Row by row in order, so that one call for all time steps gives the bits of one call for each.
template <class T>
void column_sum(std::size_t rows, std::size_t cols, const T* x, std::size_t row_stride, T* out);

/// y += x
template <class T>
void add(std::size_t n, const T* x, T* y);

/// The index of the first NaN, or n.
template <class T>
std::size_t find_nan(std::size_t n, const T* x);

/// Throws Error, naming the position and the range, unless every id is one of 0..rows-1. The two
/// functions below do not check.
void check_ids(std::size_t n, const std::int32_t* ids, std::size_t rows);

/// out_k = table_{ids_k}
///     table: rows x cols, ids: n, out: n x cols
template <class T>
void gather_rows(const T* table, const std::int32_t* ids, std::size_t n, std::size_t cols, T* out);

/// dtable_{ids_k} += dy_k in the order of k, except where ids_k is `padding` (-1: no such id).
template <class T>
void scatter_add_rows(T* dtable, const std::int32_t* ids, std::size_t n, std::size_t cols,
                      const T* dy, std::int32_t padding);

}  // namespace hindsight::kernels
