// Rows of a table by their numbers: what an embedding is made of.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "autodiff/views.hpp"

namespace hindsight {

template <class, class>
struct gather_needs_a_table_of_rows_and_columns;

/// `gather<Vocab, Batch>(table, ids)`: row ids[b] of a Vocab x Emb table for each b, Batch x Emb. The
/// gradients of an id that is met twice add up; those of the row `padding` are dropped.
/// Throws Error, naming the position, for an id outside the table.
template <IsAxis Rows, IsAxis... Ids, TensorLike X, class... Given>
auto gather(const X& table, std::span<const std::int32_t> ids, std::int32_t padding, Extent<Given>... given) {
  using V = detail::VarOf<X>;
  if constexpr (V::rank != 2 || index_in<Rows, typename V::Shape> != 0) {
    (void)sizeof(gather_needs_a_table_of_rows_and_columns<Rows, detail::Spelled<X>>);
    return detail::as_var(table);
  } else {
    const auto t = detail::contiguous(detail::as_var(table));
    using T = typename V::Scalar;
    return [&]<IsAxis Columns>(Axes<Columns>) {
      const auto extents = detail::extents_of(Axes<Ids..., Columns>{}, given..., extent<Columns>(t.extents[1]));
      const std::size_t cols = t.extents[1], n = ids.size();
      auto y = detail::result<T, Ids..., Columns>(extents, t);
      if (n * cols != y.size())
        throw Error("gather: " + std::to_string(n) + " ids for " + std::to_string(y.size() / cols) + " positions (" +
                    detail::shape_name(Axes<Ids...>{}) + ")");
      kernels::check_ids(n, ids.data(), t.extents[0]);
      auto* kept = Tape::current().allocate<std::int32_t>(n);
      std::copy(ids.begin(), ids.end(), kept);
      kernels::gather_rows(t.value, kept, n, cols, y.value);
      return detail::record("gather(%0)", y, [=] {
        kernels::scatter_add_rows(t.gradient, kept, n, cols, y.gradient, padding);
      }, t);
    }(Without<typename V::Shape, Axes<Rows>>{});
  }
}
template <IsAxis Rows, IsAxis... Ids, TensorLike X, class... Given>
auto gather(const X& table, std::span<const std::int32_t> ids, Extent<Given>... given) {
  constexpr std::int32_t none = -1;
  return gather<Rows, Ids...>(table, ids, none, given...);
}

}  // namespace hindsight
