// A vector for each symbol: row number id of a table.
#pragma once

#include "autodiff/gather.hpp"
#include "autodiff/initialise.hpp"

namespace hindsight {

/// `embedding.lookup<Time, Batch>(ids)`: Time x Batch ids -> Time x Batch x Emb, row-major. The table
/// begins uniform in +-1: what is read is as large as a cell's state.
template <IsAxis Vocab, IsAxis Emb, class T = float>
struct Embedding {
  using Table = Parameter<T, Vocab, Emb>;
  BOOST_HANA_DEFINE_STRUCT(Embedding, (Table, table));

  /// The id that stands for nothing: its row begins at 0, gets no gradient and is frozen. -1: there is
  /// none. Set it before `initialise`. A checkpoint's row is taken as it is, and is frozen all the same.
  std::int32_t padding = -1;

  /// Throws Error, naming the position, for an id outside the table.
  template <IsAxis... Ids, class... Given>
  auto lookup(std::span<const std::int32_t> ids, Extent<Given>... given) const {
    return gather<Vocab, Ids...>(table, ids, padding, given...);
  }

  void initialise(const Random& random) {
    const std::size_t each = table.extents()[1];
    initialise_uniform(table, 1, random.child("table"));
    if (padding < 0) return;
    const std::size_t row = static_cast<std::size_t>(padding);
    auto edit = table.edit();
    table.freeze_row(row);  // throws Error if there is no such row
    std::fill_n(edit.begin() + row * each, each, T{0});
  }
};

}  // namespace hindsight
