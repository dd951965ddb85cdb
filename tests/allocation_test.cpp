// A steady training step takes nothing from the heap: a replaced operator new counts.

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <cstddef>
#include <cstdlib>
#include <new>

#include "autodiff/backward.hpp"
#include "autodiff/clipping.hpp"
#include "autodiff/loss.hpp"
#include "autodiff/optimizers.hpp"
#include "autodiff/reductions.hpp"
#include "layers/combine.hpp"
#include "layers/embedding.hpp"
#include "layers/gru.hpp"
#include "layers/peephole_lstm.hpp"

namespace {

thread_local std::size_t allocations = 0;

void* counted(std::size_t bytes, std::size_t alignment) {
  ++allocations;
  const std::size_t rounded = (bytes + alignment - 1) / alignment * alignment;
  if (void* memory = std::aligned_alloc(alignment, rounded ? rounded : alignment)) return memory;
  throw std::bad_alloc();
}

// Not inlined: GCC would take the free of what operator new returned for a mistake.
[[gnu::noinline]] void release(void* memory) { std::free(memory); }

}  // namespace

void* operator new(std::size_t bytes) { return counted(bytes, alignof(std::max_align_t)); }
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return counted(bytes, static_cast<std::size_t>(alignment));
}
// What std::stable_sort takes its buffer by: a sanitizer has one of its own, which our delete would not fit.
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  try {
    return operator new(bytes);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}
void operator delete(void* memory) noexcept { release(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { release(memory); }
void operator delete(void* memory, std::size_t) noexcept { release(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { release(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { release(memory); }

using namespace hindsight;

namespace {

struct Batch : Axis<3> {};
struct In : Axis<5> {};
struct Hidden : Axis<7> {};
struct Time : Axis<> {};
struct Vocab : Axis<9> {};

template <class T>
struct Reader {
  using Symbols = Embedding<Vocab, In, T>;
  using Cell = Stack<Gru<In, Hidden, T>, GruResetAfter<Hidden, Hidden, T>, Residual<PeepholeLstm<Hidden, Hidden, T>>>;
  using ToLogits = Affine<Hidden, Vocab, T>;
  BOOST_HANA_DEFINE_STRUCT(Reader, (Symbols, symbols), (Cell, cell), (ToLogits, to_logits));
};

/// How often `work` takes memory from the heap.
template <class Work>
std::size_t allocations_in(Work work) {
  const std::size_t before = allocations;
  work();
  return allocations - before;
}

}  // namespace

TEST_CASE("the counter counts") {
  CHECK(allocations_in([] { Parameter<float, In>(); }) >= 3);  // its core, its values, its gradients
  CHECK(allocations_in([] {}) == 0);
}

TEMPLATE_TEST_CASE("an optimizer takes its moments at the first step, then nothing", "", Sgd, RmsProp, Adam, AdamW) {
  Lstm<In, Hidden> cell;
  TestType optimizer;
  CHECK(allocations_in([&] { optimizer.step(cell); }) > 0);
  for (int i = 0; i < 3; ++i) CHECK(allocations_in([&] { optimizer.step(cell); }) == 0);
}

TEMPLATE_TEST_CASE("a steady training step takes nothing", "", float, double) {
  using T = TestType;
  Lstm<In, Hidden, T> cell;
  initialise(cell, 1);
  Adam adam;
  Tape tape;
  const std::vector<T> inputs(3 * 5, T(0.5));
  const auto step = [&] {
    tape.reset();
    auto x = constant<Batch, In>(inputs);
    State<T, Batch, Hidden> s{filled<T, Batch, Hidden>(T(0)), filled<T, Batch, Hidden>(T(0))};
    for (int t = 0; t < 20; ++t) s = cell(x, s);
    Var loss = mean(square(s.h - T(1)));
    backward(loss);
    clip_by_global_norm(cell, 1e-3);
    adam.step(cell);
    clear_gradients(cell);
  };
  step();
  step();
  for (int i = 0; i < 3; ++i) CHECK(allocations_in(step) == 0);
}

TEMPLATE_TEST_CASE("a steady step over masked sequences, from symbols to symbols, takes nothing", "", float, double) {
  using T = TestType;
  Reader<T> reader;
  reader.symbols.padding = 0;
  reader.cell.between[0].rate = 0.5;
  initialise(reader, 1);
  Adam adam;
  Tape tape;
  constexpr std::size_t steps = 4;
  const std::vector<std::int32_t> symbols{1, 2, 3, 4, 5, 0, 6, 0, 0, 7, 0, 0};
  const std::vector<std::int32_t> targets{2, 1, 1, 3, 2, 8, 4, 8, 8, 5, 8, 8};
  const std::vector<std::size_t> lengths{4, 2, 1};
  Carried<decltype(reader.cell.template initial<Batch>())> carried;
  const auto step = [&] {
    tape.reset();
    tape.occasion = {1, adam.steps, 0, true};
    auto s = reader.cell.template initial<Batch>();
    if (!carried.empty()) s = carried.on_tape(s);
    const auto xs = reader.symbols.template lookup<Time, Batch>(symbols, extent<Time>(steps));
    const auto mask = mask_of_lengths<Time, Batch, T>(lengths, steps);
    const auto run = unroll(reader.cell, xs, s, mask);
    Var logits = reader.to_logits(run.outputs);
    Var loss = cross_entropy<Vocab>(logits, targets);
    backward(loss);
    clip_by_global_norm(reader, 1e-3);
    adam.step(reader);
    clear_gradients(reader);
    carried.keep(run.last);
  };
  for (int i = 0; i < 3; ++i) step();
  for (int i = 0; i < 3; ++i) CHECK(allocations_in(step) == 0);
}

TEST_CASE("a steady step in checkpointed segments takes nothing") {
  Stack<Lstm<In, Hidden>, Gru<Hidden, Hidden>> cell;
  initialise(cell, 1);
  Tape tape;
  const std::vector<float> inputs(7 * 3 * 5, 0.5f);
  const auto step = [&] {
    tape.reset();
    const auto xs = variable<Time, Batch, In>(inputs, extent<Time>(7));
    backward(Var(sum(unroll(cell, xs, cell.initial<Batch>(), NoMask{}, {.checkpoint = 3}).outputs)));
    clear_gradients(cell);
  };
  for (int i = 0; i < 3; ++i) step();
  for (int i = 0; i < 3; ++i) CHECK(allocations_in(step) == 0);
}
