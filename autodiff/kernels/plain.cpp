#include "autodiff/kernels/plain.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace hindsight::kernels {
namespace {

using Places = std::vector<std::size_t>;

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Where the i-th combination of the axes lies in one of the matrices.
std::size_t offset(const Dims& dims, std::size_t Dim::*stride, std::size_t i) {
  std::size_t at = 0;
  for (std::size_t d = dims.count; d-- > 0; i /= dims.dim[d].extent) at += i % dims.dim[d].extent * dims.dim[d].*stride;
  return at;
}

/// Runs work(number of the slice, all its places, those that are kept) for every slice along the axis.
template <class Work>
void each_slice(const AxisLayout& layout, const Complex* mask, Work work) {
  for (std::size_t o = 0; o < layout.outer; ++o)
    for (std::size_t j = 0; j < layout.inner; ++j) {
      Places all, kept;
      for (std::size_t i = 0; i < layout.n; ++i) {
        all.push_back((o * layout.n + i) * layout.inner + j);
        if (!mask || mask[all.back()] != 0.0) kept.push_back(all.back());
      }
      work(o * layout.inner + j, all, kept);
    }
}

/// The first of these places with the largest real part, of which there are some; NaN is larger than any number.
std::size_t place_of_largest(const Complex* x, const Places& places) {
  return *std::max_element(places.begin(), places.end(), [x](std::size_t a, std::size_t b) {
    return x[a].real() < x[b].real() || (std::isnan(x[b].real()) && !std::isnan(x[a].real()));
  });
}

/// The largest real part, a constant that is taken off before exp; 0 where there is nothing above -inf.
double shift(const Complex* x, const Places& places) {
  const double m = places.empty() ? -infinity : x[place_of_largest(x, places)].real();
  return m == -infinity ? 0 : m;
}

/// sum_k exp(x_k - m)
Complex sum_of_exp(const Complex* x, const Places& places, double m) {
  Complex sum = 0;
  for (const std::size_t k : places) sum += std::exp(x[k] - m);
  return sum;
}

}  // namespace

template <>
void contract(const Contraction& axes, const Complex* a, const Complex* b, Complex* c, bool accumulate) {
  const auto& [batch, rows, cols, inner] = axes;
  for (std::size_t n = 0; n < batch.size(); ++n)
    for (std::size_t i = 0; i < rows.size(); ++i)
      for (std::size_t j = 0; j < cols.size(); ++j) {
        Complex& out = c[offset(batch, &Dim::c, n) + offset(rows, &Dim::c, i) + offset(cols, &Dim::c, j)];
        if (!accumulate) out = 0;
        for (std::size_t k = 0; k < inner.size(); ++k)
          out += a[offset(batch, &Dim::a, n) + offset(rows, &Dim::a, i) + offset(inner, &Dim::a, k)] *
                 b[offset(batch, &Dim::b, n) + offset(cols, &Dim::b, j) + offset(inner, &Dim::b, k)];
      }
}

template <>
std::size_t packed_size<Complex>(std::size_t k, std::size_t n) {
  return k * n;
}

template <>
void pack(std::size_t k, std::size_t n, MatrixView<Complex> b, Complex* packed) {
  for (std::size_t i = 0; i < k; ++i)
    for (std::size_t j = 0; j < n; ++j) packed[i * n + j] = b.data[i * b.row_stride + j * b.col_stride];
}

template <>
void gemm_packed(std::size_t m, std::size_t n, std::span<const PackedTerm<Complex>> terms, Start<Complex> start,
                 Complex* c, std::size_t ldc) {
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      Complex sum = start.data ? start.data[i * start.row_stride + j] : Complex(0);
      for (const auto& [a, packed_b, k] : terms)
        for (std::size_t l = 0; l < k; ++l) sum += a.data[i * a.row_stride + l * a.col_stride] * packed_b[l * n + j];
      c[i * ldc + j] = sum;
    }
}

template <>
void sum(AxisLayout layout, const Complex* x, const Complex* mask, Complex* y) {
  each_slice(layout, mask, [&](std::size_t slice, const Places&, const Places& kept) {
    y[slice] = 0;
    for (const std::size_t i : kept) y[slice] += x[i];
  });
}

template <>
void mean(AxisLayout layout, const Complex* x, const Complex* mask, Complex* y) {
  sum(layout, x, mask, y);
  each_slice(layout, mask, [&](std::size_t slice, const Places&, const Places& kept) {
    if (!kept.empty()) y[slice] /= static_cast<double>(kept.size());
  });
}

template <>
void max(AxisLayout layout, const Complex* x, const Complex* mask, Complex* y, std::int32_t* argmax) {
  each_slice(layout, mask, [&](std::size_t slice, const Places& all, const Places& kept) {
    y[slice] = 0;
    argmax[slice] = -1;
    if (kept.empty()) return;
    const std::size_t place = place_of_largest(x, kept);
    y[slice] = x[place];
    argmax[slice] = static_cast<std::int32_t>((place - all.front()) / layout.inner);
  });
}

template <>
void add(std::size_t n, const Complex* x, Complex* y) {
  for (std::size_t i = 0; i < n; ++i) y[i] += x[i];
}

template <>
void gather_rows(const Complex* table, const std::int32_t* ids, std::size_t n, std::size_t cols, Complex* out) {
  for (std::size_t k = 0; k < n; ++k)
    for (std::size_t j = 0; j < cols; ++j) out[k * cols + j] = table[static_cast<std::size_t>(ids[k]) * cols + j];
}

template <>
void softmax(AxisLayout layout, const Complex* x, const Complex* mask, Complex* y) {
  each_slice(layout, mask, [&](std::size_t, const Places& all, const Places& kept) {
    const double m = shift(x, kept);
    const Complex total = sum_of_exp(x, kept, m);
    std::vector<Complex> values;
    for (const std::size_t i : kept) values.push_back(total == 0.0 ? 0 : std::exp(x[i] - m) / total);
    for (const std::size_t i : all) y[i] = 0;  // x and y may be the same memory
    for (std::size_t k = 0; k < kept.size(); ++k) y[kept[k]] = values[k];
  });
}

template <>
void log_softmax(AxisLayout layout, const Complex* x, const Complex* mask, Complex* y) {
  each_slice(layout, mask, [&](std::size_t, const Places& all, const Places& kept) {
    const double m = shift(x, kept);
    const Complex total = sum_of_exp(x, kept, m);
    std::vector<Complex> values;
    for (const std::size_t i : kept) values.push_back(x[i] - m - (total == 0.0 ? 0 : std::log(total)));
    for (const std::size_t i : all) y[i] = -infinity;
    for (std::size_t k = 0; k < kept.size(); ++k) y[kept[k]] = values[k];
  });
}

template <>
void logsumexp(AxisLayout layout, const Complex* x, const Complex* mask, Complex* y) {
  each_slice(layout, mask, [&](std::size_t slice, const Places&, const Places& kept) {
    const double m = shift(x, kept);
    const Complex total = sum_of_exp(x, kept, m);
    y[slice] = m == infinity ? infinity : total == 0.0 ? -infinity : m + std::log(total);
  });
}

template <>
void cross_entropy(const CrossEntropy& c, const Complex* logits, const std::int32_t* targets, Complex* loss,
                   Complex* lse) {
  const double s = c.smoothing, n = static_cast<double>(c.classes);
  each_slice({c.rows, c.classes, 1}, nullptr, [&](std::size_t r, const Places& row, const Places&) {
    loss[r] = lse[r] = 0;
    if (targets[r] == c.ignored) return;
    // log sum_k exp(x_k - m) as log(1 + what the sum exceeds 1 by): exact also where the target has nearly all of it.
    const std::size_t target = row[static_cast<std::size_t>(targets[r])];
    const double m = shift(logits, row);
    Complex excess = simd::expm1({}, logits[target] - m), mean = 0;
    for (const std::size_t k : row) {
      mean += (logits[k] - m) / n;
      if (k != target) excess += std::exp(logits[k] - m);
    }
    const Complex log_sum = simd::log1p({}, excess);
    lse[r] = m + log_sum;
    loss[r] = log_sum - (1 - s) * (logits[target] - m) - (s > 0 ? s * mean : 0);
  });
}

}  // namespace hindsight::kernels
