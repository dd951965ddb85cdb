#include "autodiff/kernels/softmax.hpp"

#include <string>

#include "autodiff/error.hpp"
#include "autodiff/kernels/math.hpp"
#include "autodiff/kernels/slices.hpp"

namespace hindsight::kernels {
namespace {

/// m = max_k x_k over the kept k, or 0 where there is nothing above -inf, so that x - m is -inf
/// there and not NaN.
template <class T, class Slice>
Vec<T> shift(const Slice& slice, const T* x, const T* mask) {
  const Simd<T> d;
  const auto lowest = hn::Set(d, -infinity<T>);
  const auto m =
      slice.max([&](Piece at) { return hn::IfThenElse(kept(mask, at), load(x, at), lowest); });
  return hn::IfThenZeroElse(hn::Eq(m, lowest), m);
}

/// sum_k exp(x_k - m) over the kept k
template <class T, class Slice>
Vec<T> sum_of_exp(const Slice& slice, const T* x, const T* mask, Vec<T> m) {
  const Simd<T> d;
  return slice.sum([&](Piece at) {
    return hn::IfThenElseZero(kept(mask, at), simd::exp(d, hn::Sub(load(x, at), m)));
  });
}

}  // namespace

template <class T>
void softmax(AxisLayout layout, const T* x, const T* mask, T* y) {
  const Simd<T> d;
  for_each_slice<T>(layout, [&](auto slice) {
    const auto m = shift(slice, x, mask);
    const auto total = slice.sum([&](Piece at) {
      const auto keep = kept(mask, at);
      const auto e = hn::IfThenElseZero(keep, simd::exp(d, hn::Sub(load(x, at), m)));
      store(e, y, at);
      return e;
    });
    const auto nothing = hn::Eq(total, hn::Zero(d));
    const auto scale = hn::IfThenZeroElse(nothing, hn::Div(hn::Set(d, T(1)), total));
    slice.each([&](Piece at) {
      store(hn::IfThenElseZero(kept(mask, at), hn::Mul(load(y, at), scale)), y, at);
    });
  });
}

template <class T>
void softmax_backward(AxisLayout layout, const T* y, const T* dy, T* dx) {
  const Simd<T> d;
  for_each_slice<T>(layout, [&](auto slice) {
    const auto total = slice.sum([&](Piece at) {
      const auto weight = load(y, at);
      return hn::IfThenZeroElse(hn::Eq(weight, hn::Zero(d)), hn::Mul(weight, load(dy, at)));
    });
    slice.each([&](Piece at) {
      const auto weight = load(y, at);
      const auto slope = hn::Mul(weight, hn::Sub(load(dy, at), total));
      accumulate(hn::IfThenZeroElse(hn::Eq(weight, hn::Zero(d)), slope), dx, at);
    });
  });
}

template <class T>
void log_softmax(AxisLayout layout, const T* x, const T* mask, T* y) {
  const Simd<T> d;
  for_each_slice<T>(layout, [&](auto slice) {
    const auto m = shift(slice, x, mask);
    const auto total = sum_of_exp(slice, x, mask, m);
    const auto nothing = hn::Eq(total, hn::Zero(d));
    const auto log_total = hn::IfThenZeroElse(nothing, simd::log(d, total));
    slice.each([&](Piece at) {
      const auto value = hn::Sub(hn::Sub(load(x, at), m), log_total);
      store(hn::IfThenElse(kept(mask, at), value, hn::Set(d, -infinity<T>)), y, at);
    });
  });
}

template <class T>
void log_softmax_backward(AxisLayout layout, const T* y, const T* dy, T* dx) {
  const Simd<T> d;
  const auto masked = [&](Piece at) { return hn::Eq(load(y, at), hn::Set(d, -infinity<T>)); };
  for_each_slice<T>(layout, [&](auto slice) {
    const auto total =
        slice.sum([&](Piece at) { return hn::IfThenZeroElse(masked(at), load(dy, at)); });
    slice.each([&](Piece at) {
      const auto slope = hn::NegMulAdd(simd::exp(d, load(y, at)), total, load(dy, at));
      accumulate(hn::IfThenZeroElse(masked(at), slope), dx, at);
    });
  });
}

template <class T>
void logsumexp(AxisLayout layout, const T* x, const T* mask, T* y) {
  const Simd<T> d;
  for_each_slice<T>(layout, [&](auto slice) {
    const auto m = shift(slice, x, mask);
    const auto total = sum_of_exp(slice, x, mask, m);
    const auto nothing = hn::Eq(total, hn::Zero(d));
    const auto infinite = hn::Eq(m, hn::Set(d, infinity<T>));
    auto result = hn::Add(m, simd::log(d, total));
    result = hn::IfThenElse(nothing, hn::Set(d, -infinity<T>), result);
    slice.store_result(hn::IfThenElse(infinite, m, result), y);
  });
}

template <class T>
void logsumexp_backward(AxisLayout layout, const T* x, const T* mask, const T* y, const T* dy,
                        T* dx) {
  const Simd<T> d;
  for_each_slice<T>(layout, [&](auto slice) {
    const auto lse = slice.load_result(y);
    const auto slope = slice.load_result(dy);
    slice.each([&](Piece at) {
      const auto score = load(x, at);
      const auto live = hn::And(kept(mask, at), hn::Ne(score, hn::Set(d, -infinity<T>)));
      const auto share = simd::exp(d, hn::Sub(score, lse));
      accumulate(hn::IfThenElseZero(live, hn::Mul(slope, share)), dx, at);
    });
  });
}

void check_targets(const CrossEntropy& c, const std::int32_t* targets) {
  for (std::size_t r = 0; r < c.rows; ++r) {
    const std::int32_t t = targets[r];
    if (t == c.ignored || (t >= 0 && static_cast<std::size_t>(t) < c.classes)) continue;
    throw Error("cross_entropy: target " + std::to_string(t) + " at position " + std::to_string(r) +
                " is neither a class (0 to " + std::to_string(c.classes) +
                " exclusive) nor the ignored id " + std::to_string(c.ignored));
  }
}

template <class T>
void cross_entropy(const CrossEntropy& c, const T* logits, const std::int32_t* targets, T* loss,
                   T* lse) {
  const Simd<T> d;
  const T s = static_cast<T>(c.smoothing);
  for (std::size_t r = 0; r < c.rows; ++r) {
    if (targets[r] == c.ignored) {
      loss[r] = lse[r] = 0;
      continue;
    }
    const RowSlice<T> row{r * c.classes, c.classes, r, d};
    const auto m = shift<T>(row, logits, nullptr);
    const auto target = hn::Set(d, static_cast<T>(targets[r]));
    const auto target_logit =
        hn::Sub(hn::Set(d, logits[row.begin + static_cast<std::size_t>(targets[r])]), m);
    // log sum_k e^(x_k - m) as log(1 + what the sum exceeds 1 by): exact also where the target has
    // nearly all of it.
    const auto others = row.sum([&](Piece at) {
      const auto is_target = hn::Eq(row.places(at), target);
      return hn::IfThenZeroElse(is_target, simd::exp(d, hn::Sub(load(logits, at), m)));
    });
    const auto excess = hn::Add(others, simd::expm1(d, target_logit));
    const auto log_sum = simd::log1p(d, excess);
    auto expected = hn::Mul(hn::Set(d, 1 - s), target_logit);
    if (s > 0) {
      const auto sum = row.sum([&](Piece at) { return hn::Sub(load(logits, at), m); });
      expected = hn::MulAdd(hn::Set(d, s / static_cast<T>(c.classes)), sum, expected);
    }
    loss[r] = hn::GetLane(hn::Sub(log_sum, expected));
    lse[r] = hn::GetLane(hn::Add(m, log_sum));
  }
}

template <class T>
void cross_entropy_backward(const CrossEntropy& c, const T* logits, const std::int32_t* targets,
                            const T* lse, const T* dloss, T* dlogits) {
  const Simd<T> d;
  const auto on_target = hn::Set(d, static_cast<T>(1 - c.smoothing));
  const auto on_all = hn::Set(d, static_cast<T>(c.smoothing / static_cast<double>(c.classes)));
  for (std::size_t r = 0; r < c.rows; ++r) {
    if (targets[r] == c.ignored) continue;
    const RowSlice<T> row{r * c.classes, c.classes, r, d};
    const auto target = hn::Set(d, static_cast<T>(targets[r]));
    const auto row_lse = row.load_result(lse);
    const auto slope = row.load_result(dloss);
    row.each([&](Piece at) {
      const auto p = simd::exp(d, hn::Sub(load(logits, at), row_lse));
      const auto q = hn::Add(
          on_all, hn::IfThenElseZero(hn::Eq(row.places(at), target), on_target));
      accumulate(hn::Mul(slope, hn::Sub(p, q)), dlogits, at);
    });
  }
}

#define HINDSIGHT_INSTANTIATE(T)                                                                  \
  template void softmax(AxisLayout, const T*, const T*, T*);                                      \
  template void softmax_backward(AxisLayout, const T*, const T*, T*);                             \
  template void log_softmax(AxisLayout, const T*, const T*, T*);                                  \
  template void log_softmax_backward(AxisLayout, const T*, const T*, T*);                         \
  template void logsumexp(AxisLayout, const T*, const T*, T*);                                    \
  template void logsumexp_backward(AxisLayout, const T*, const T*, const T*, const T*, T*);       \
  template void cross_entropy(const CrossEntropy&, const T*, const std::int32_t*, T*, T*);        \
  template void cross_entropy_backward(const CrossEntropy&, const T*, const std::int32_t*,        \
                                       const T*, const T*, T*);
HINDSIGHT_INSTANTIATE(float)
HINDSIGHT_INSTANTIATE(double)
#undef HINDSIGHT_INSTANTIATE

}  // namespace hindsight::kernels
