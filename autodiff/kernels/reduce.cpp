#include "autodiff/kernels/reduce.hpp"

#include <algorithm>
#include <string>

#include "autodiff/error.hpp"
#include "autodiff/kernels/slices.hpp"

namespace hindsight::kernels {
namespace {

/// 1/N for the N kept elements of a slice, 0 if there are none.
template <class T, class Slice>
Vec<T> one_over_count(const Slice& slice, const T* mask) {
  const Simd<T> d;
  const auto one = hn::Set(d, T(1));
  const auto count = slice.sum([&](Piece at) { return hn::IfThenElseZero(kept(mask, at), one); });
  return hn::IfThenZeroElse(hn::Eq(count, hn::Zero(d)), hn::Div(one, count));
}

template <class T, class Slice>
Vec<T> sum_of_kept(const Slice& slice, const T* x, const T* mask) {
  return slice.sum([&](Piece at) { return hn::IfThenElseZero(kept(mask, at), load(x, at)); });
}

template <class T, class Slice>
void add_to_kept(const Slice& slice, Vec<T> v, const T* mask, T* dx) {
  slice.each([&](Piece at) { accumulate(hn::IfThenElseZero(kept(mask, at), v), dx, at); });
}

}  // namespace

template <class T>
void sum(AxisLayout layout, const T* x, const T* mask, T* y) {
  for_each_slice<T>(layout,
                    [&](auto slice) { slice.store_result(sum_of_kept(slice, x, mask), y); });
}

template <class T>
void sum_backward(AxisLayout layout, const T* mask, const T* dy, T* dx) {
  for_each_slice<T>(layout,
                    [&](auto slice) { add_to_kept(slice, slice.load_result(dy), mask, dx); });
}

template <class T>
void mean(AxisLayout layout, const T* x, const T* mask, T* y) {
  for_each_slice<T>(layout, [&](auto slice) {
    const auto total = sum_of_kept(slice, x, mask);
    slice.store_result(hn::Mul(total, one_over_count(slice, mask)), y);
  });
}

template <class T>
void mean_backward(AxisLayout layout, const T* mask, const T* dy, T* dx) {
  for_each_slice<T>(layout, [&](auto slice) {
    const auto slope = hn::Mul(slice.load_result(dy), one_over_count(slice, mask));
    add_to_kept(slice, slope, mask, dx);
  });
}

template <class T>
void max(AxisLayout layout, const T* x, const T* mask, T* y, std::int32_t* argmax) {
  constexpr std::size_t longest = std::size_t{1} << 24;
  if (layout.n > longest)
    throw Error("max: an axis of " + std::to_string(layout.n) + " elements is longer than " +
                std::to_string(longest));
  const Simd<T> d;
  const auto lowest = hn::Set(d, -infinity<T>);
  for_each_slice<T>(layout, [&](auto slice) {
    const auto largest =
        slice.max([&](Piece at) { return hn::IfThenElse(kept(mask, at), load(x, at), lowest); });
    // The smallest place where the maximum is reached is the largest of the negated places.
    const auto first = hn::Neg(slice.max([&](Piece at) {
      const auto v = load(x, at);
      const auto reached = hn::And(kept(mask, at), hn::Or(hn::Eq(v, largest), hn::IsNaN(v)));
      return hn::IfThenElse(reached, hn::Neg(slice.places(at)), lowest);
    }));
    const auto nothing = hn::Eq(first, hn::Neg(lowest));
    slice.store_result(hn::IfThenZeroElse(nothing, largest), y);
    HWY_ALIGN T place[HWY_LANES(T)];
    hn::Store(hn::IfThenElse(nothing, hn::Set(d, T(-1)), first), d, place);
    for (std::size_t k = 0; k < slice.results(); ++k)
      argmax[slice.result + k] = static_cast<std::int32_t>(place[k]);
  });
}

template <class T>
void max_backward(AxisLayout layout, const std::int32_t* argmax, const T* dy, T* dx) {
  for (std::size_t o = 0; o < layout.outer; ++o)
    for (std::size_t j = 0; j < layout.inner; ++j) {
      const std::size_t result = o * layout.inner + j;
      if (argmax[result] < 0) continue;
      const auto place = static_cast<std::size_t>(argmax[result]);
      dx[(o * layout.n + place) * layout.inner + j] += dy[result];
    }
}

template <class T>
void column_sum(std::size_t rows, std::size_t cols, const T* x, std::size_t row_stride, T* out) {
  const Simd<T> d;
  std::size_t r = 0;
  for (; r + 4 <= rows; r += 4) {
    const T* const x0 = x + r * row_stride;
    const T* const x1 = x0 + row_stride;
    const T* const x2 = x1 + row_stride;
    const T* const x3 = x2 + row_stride;
    for_each_vector(d, cols, [&](std::size_t c, std::size_t count) {
      auto sum = simd::load_n(d, out + c, count);
      sum = hn::Add(sum, simd::load_n(d, x0 + c, count));
      sum = hn::Add(sum, simd::load_n(d, x1 + c, count));
      sum = hn::Add(sum, simd::load_n(d, x2 + c, count));
      sum = hn::Add(sum, simd::load_n(d, x3 + c, count));
      simd::store_n(sum, d, out + c, count);
    });
  }
  for (; r < rows; ++r) add(cols, x + r * row_stride, out);
}

template <class T>
void add(std::size_t n, const T* x, T* y) {
  const Simd<T> d;
  for_each_vector(d, n, [&](std::size_t i, std::size_t count) {
    const auto sum = hn::Add(simd::load_n(d, y + i, count), simd::load_n(d, x + i, count));
    simd::store_n(sum, d, y + i, count);
  });
}

template <class T>
std::size_t find_nan(std::size_t n, const T* x) {
  const Simd<T> d;
  std::size_t i = 0;
  while (i + lanes<T>() <= n && hn::AllFalse(d, hn::IsNaN(hn::LoadU(d, x + i)))) i += lanes<T>();
  while (i < n && x[i] == x[i]) ++i;
  return i;
}

void check_ids(std::size_t n, const std::int32_t* ids, std::size_t rows) {
  for (std::size_t k = 0; k < n; ++k) {
    if (ids[k] >= 0 && static_cast<std::size_t>(ids[k]) < rows) continue;
    throw Error("embedding: id " + std::to_string(ids[k]) + " at position " + std::to_string(k) +
                " is not a row of the table (0 to " + std::to_string(rows) + " exclusive)");
  }
}

template <class T>
void gather_rows(const T* table, const std::int32_t* ids, std::size_t n, std::size_t cols, T* out) {
  for (std::size_t k = 0; k < n; ++k)
    std::copy_n(table + static_cast<std::size_t>(ids[k]) * cols, cols, out + k * cols);
}

template <class T>
void scatter_add_rows(T* dtable, const std::int32_t* ids, std::size_t n, std::size_t cols,
                      const T* dy, std::int32_t padding) {
  for (std::size_t k = 0; k < n; ++k)
    if (ids[k] != padding)
      add(cols, dy + k * cols, dtable + static_cast<std::size_t>(ids[k]) * cols);
}

#define HINDSIGHT_INSTANTIATE(T)                                                                  \
  template void sum(AxisLayout, const T*, const T*, T*);                                          \
  template void sum_backward(AxisLayout, const T*, const T*, T*);                                 \
  template void mean(AxisLayout, const T*, const T*, T*);                                         \
  template void mean_backward(AxisLayout, const T*, const T*, T*);                                \
  template void max(AxisLayout, const T*, const T*, T*, std::int32_t*);                           \
  template void max_backward(AxisLayout, const std::int32_t*, const T*, T*);                      \
  template void column_sum(std::size_t, std::size_t, const T*, std::size_t, T*);                  \
  template void add(std::size_t, const T*, T*);                                                   \
  template std::size_t find_nan(std::size_t, const T*);                                           \
  template void gather_rows(const T*, const std::int32_t*, std::size_t, std::size_t, T*);         \
  template void scatter_add_rows(T*, const std::int32_t*, std::size_t, std::size_t, const T*,     \
                                 std::int32_t);
HINDSIGHT_INSTANTIATE(float)
HINDSIGHT_INSTANTIATE(double)
#undef HINDSIGHT_INSTANTIATE

}  // namespace hindsight::kernels
