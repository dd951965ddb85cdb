// A table has its rows first.
// EXPECT: gather_needs_a_table_of_rows_and_columns
// EXPECT: Vocabulary
// EXPECT: Tensor<Hidden, Vocabulary>
#include "autodiff/gather.hpp"
#include "tests/compile_fail/axes.hpp"

using namespace hindsight;

void mistake(Var<float, Vocabulary, Hidden> table, std::span<const std::int32_t> ids) {
#ifdef MISTAKE
  auto words = gather<Vocabulary, Batch>(transpose<Hidden, Vocabulary>(table), ids);
#else
  auto words = gather<Vocabulary, Batch>(table, ids);
#endif
}
