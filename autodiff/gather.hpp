// Rows of a table by their numbers: what an embedding is made of.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "autodiff/views.hpp"

namespace hindsight {

/// `gather<Vocab, Batch>(table, ids)`: row ids[b] of a Vocab x Emb table for each b, Batch x Emb. The
/// gradients of an id that is met twice add up; those of the row `padding` are dropped.
/// Throws Error, naming the position, for an id outside the table.
template <IsAxis Rows, IsAxis... Ids, TensorLike X, class... Given>
auto gather(const X& table, std::span<const std::int32_t> ids, std::int32_t padding, Extent<Given>... given) {
  const auto t = detail::contiguous(detail::as_var(table));
  using V = detail::VarOf<X>;
  using T = typename V::Scalar;
  static_assert(V::rank == 2 && index_in<Rows, typename V::Shape> == 0, "gather<Rows, Ids...>: the table is Rows x Columns");
  return [&]<IsAxis Columns>(Axes<Columns>) {
    const auto extents = detail::extents_of(Axes<Ids..., Columns>{}, given..., extent<Columns>(t.extents[1]));
    const std::size_t cols = t.extents[1], n = ids.size();
    auto y = detail::result<T, Ids..., Columns>(extents, t);
    if (n * cols != y.size())
      throw Error("gather: " + std::to_string(n) + " ids for " + detail::shape_name(Axes<Ids...>{}));
    kernels::check_ids(n, ids.data(), t.extents[0]);
    auto* kept = Tape::current().allocate<std::int32_t>(n);
    std::copy(ids.begin(), ids.end(), kept);
    kernels::gather_rows(t.value, kept, n, cols, y.value);
    return detail::record("gather(%0)", y, [=] {
      kernels::scatter_add_rows(t.gradient, kept, n, cols, y.gradient, padding);
    }, t);
  }(Without<typename V::Shape, Axes<Rows>>{});
}
template <IsAxis Rows, IsAxis... Ids, TensorLike X, class... Given>
auto gather(const X& table, std::span<const std::int32_t> ids, Extent<Given>... given) {
  constexpr std::int32_t none = -1;
  return gather<Rows, Ids...>(table, ids, none, given...);
}

}  // namespace hindsight
