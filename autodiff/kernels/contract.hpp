// Sums of products over any axes: what a matrix product is to two axes each.
//
//     c[batch, row, col]  =  sum over inner of  a[batch, row, inner] * b[batch, inner, col]
//
// Each of the four groups may hold several axes, lying anyhow in memory. Axes that lie contiguous
// are melted into one; one axis of each group goes to the matrix product, the others are loops.
#pragma once

#include <array>
#include <cstddef>

namespace hindsight::kernels {

/// An axis: how long it is, and its strides in a, b and c (0 where a matrix lacks it).
struct Dim {
  std::size_t extent = 1, a = 0, b = 0, c = 0;
};

/// A few axes, the last one innermost.
struct Dims {
  static constexpr std::size_t most = 8;
  std::array<Dim, most> dim;
  std::size_t count = 0;

  void push(Dim d) { dim[count++] = d; }
  /// The only axis, or one of a single element.
  Dim first() const { return count == 0 ? Dim{} : dim[0]; }
  std::size_t size() const {
    std::size_t n = 1;
    for (std::size_t i = 0; i < count; ++i) n *= dim[i].extent;
    return n;
  }
};

struct Contraction {
  Dims batch, rows, cols, inner;
};

/// c = or += a b, summed over the inner axes in one order, whatever the other extents are.
template <class T>
void contract(const Contraction& axes, const T* a, const T* b, T* c, bool accumulate);

/// The same axes seen as one matrix each, if they can be: at most one axis a group and no batch.
bool is_matrix_product(const Contraction& axes, Contraction& melted);

}  // namespace hindsight::kernels
