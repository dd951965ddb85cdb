#include "autodiff/kernels/contract.hpp"

#include "autodiff/kernels/gemm.hpp"

namespace hindsight::kernels {
namespace {

// Melts neighbouring axes that lie contiguous in all three matrices; drops axes of extent 1.
Dims melted(const Dims& dims) {
  Dims out;
  for (std::size_t i = 0; i < dims.count; ++i) {
    const Dim& d = dims.dim[i];
    if (d.extent == 1) continue;
    if (out.count > 0) {
      Dim& outer = out.dim[out.count - 1];
      if (outer.a == d.a * d.extent && outer.b == d.b * d.extent && outer.c == d.c * d.extent) {
        outer = {outer.extent * d.extent, d.a, d.b, d.c};
        continue;
      }
    }
    out.push(d);
  }
  return out;
}

// Takes the innermost axis off a group: the one that goes to the matrix product.
Dim take_last(Dims& dims) { return dims.count == 0 ? Dim{} : dims.dim[--dims.count]; }

void swap_operands(Dims& dims) {
  for (Dim& d : dims.dim) std::swap(d.a, d.b);
}

struct Offset {
  std::size_t a = 0, b = 0, c = 0;
};

// Where the i-th combination of the axes lies.
Offset at(const Dims& dims, std::size_t i) {
  Offset offset;
  for (std::size_t d = dims.count; d-- > 0;) {
    const Dim& dim = dims.dim[d];
    const std::size_t index = i % dim.extent;
    i /= dim.extent;
    offset.a += index * dim.a;
    offset.b += index * dim.b;
    offset.c += index * dim.c;
  }
  return offset;
}

}  // namespace

template <class T>
void contract(const Contraction& axes, const T* a, const T* b, T* c, bool accumulate) {
  Dims outer = melted(axes.batch), rows = melted(axes.rows), cols = melted(axes.cols), inner = melted(axes.inner);
  Dim row = take_last(rows), col = take_last(cols);
  if (col.extent > 1 && col.c != 1) {
    if (row.c == 1 || row.extent == 1) {  // c lies transposed, or is a column: c^T = b^T a^T
      std::swap(a, b);
      std::swap(row, col);
      std::swap(row.a, row.b);
      std::swap(col.a, col.b);
      for (Dims* dims : {&outer, &rows, &cols, &inner}) swap_operands(*dims);
    } else {  // no unit stride in c: column by column
      cols.push(col);
      col = {};
    }
  }
  for (std::size_t i = 0; i < rows.count; ++i) outer.push(rows.dim[i]);
  for (std::size_t i = 0; i < cols.count; ++i) outer.push(cols.dim[i]);
  Dim k = take_last(inner);
  if (inner.size() == 0) inner = {}, k.extent = 0;

  const std::size_t loops = outer.size(), sums = inner.size();
  for (std::size_t i = 0; i < loops; ++i) {
    const Offset o = at(outer, i);
    for (std::size_t s = 0; s < sums; ++s) {
      const Offset p = at(inner, s);
      gemm<T>(row.extent, col.extent, k.extent, {a + o.a + p.a, row.a, k.a}, {b + o.b + p.b, k.b, col.b}, c + o.c,
              row.c, accumulate || s > 0);
    }
  }
}

bool is_matrix_product(const Contraction& axes, Contraction& out) {
  out = {melted(axes.batch), melted(axes.rows), melted(axes.cols), melted(axes.inner)};
  return out.batch.count == 0 && out.rows.count <= 1 && out.cols.count <= 1 && out.inner.count <= 1;
}

template void contract(const Contraction&, const float*, const float*, float*, bool);
template void contract(const Contraction&, const double*, const double*, double*, bool);

}  // namespace hindsight::kernels
