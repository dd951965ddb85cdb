// Reads over sentences of unequal lengths: padding has no part in them, and a batch changes no bit. What a
// read costs a step.

#include <catch2/catch_test_macros.hpp>
#include <cmath>

#include "autodiff/gradcheck.hpp"
#include "layers/reads.hpp"
#include "layers/unroll.hpp"
#include "tests/finite_difference.hpp"

using namespace hindsight;

namespace {

struct Source : Axis<> {};
struct Batch : Axis<> {};
struct Width : Axis<> {};  // of the memory and of the query
struct Inner : Axis<3> {};

using General = GeneralScore<Width, Width, double>;
using Additive = AdditiveScore<Width, Width, Inner, double>;

General general(std::size_t m) { return {{General::Map::Weight(extent<From<Width>>(m), extent<Width>(m))}}; }
Additive additive(std::size_t m) {
  const auto from = extent<From<Width>>(m);
  return {{{Additive::FromQuery::Map::Weight(from)}, {}}, {Additive::FromMemory::Weight(from)}, {}};
}

template <class Read>
Read filled_read(Read read) {
  std::uint64_t n = 0;
  for_each_parameter(read, [&](const Path&, auto& p) { initialise_uniform(p, 0.9, Random{5}.child(n++)); });
  return read;
}

/// Calls f(name, read) for every read over a memory of `m` units.
template <class F>
void for_each_read(std::size_t m, F f) {
  const auto call = [&](const char* name, auto read) {
    CAPTURE(name, m);
    f(read);
  };
  call("dot", Attention<DotScore<Width, double>>{});
  call("scaled dot", Attention<ScaledDotScore<Width, double>>{});
  call("general", filled_read(Attention<General>{general(m)}));
  call("additive", filled_read(Attention<Additive>{additive(m)}));
  call("hard selection", filled_read(HardSelection<Additive>{additive(m)}));
  call("last", LastState<Width, double>{});
  call("mean", MeanState<Width, double>{});
  call("maximum", MaxState<Width, double>{});
  call("nothing", NoRead<Width, double>{});
}

std::vector<std::size_t> sizes_of_the_memory() {
  std::vector<std::size_t> sizes = around_the_width();
  sizes.push_back(0);
  return sizes;
}

/// A batch of sentences: the states and the query of sentence number `names[b]` are `lengths[b]` long and the
/// same in any batch; behind them is `pad`.
struct Sentences {
  std::vector<std::size_t> names, lengths;
  std::size_t positions, m;
  double pad = not_a_number<double>;

  std::size_t size() const { return names.size(); }
  std::vector<double> rows(std::string what) const {
    std::vector<double> all;
    for (const std::size_t name : names) {
      const auto row = numbers<double>(m, what + std::to_string(name));
      all.insert(all.end(), row.begin(), row.end());
    }
    return all;
  }
  std::vector<double> states() const {
    std::vector<double> all(positions * size() * m, pad);
    for (std::size_t b = 0; b < size(); ++b) {
      const auto own = numbers<double>(lengths[b] * m, "states" + std::to_string(names[b]));
      for (std::size_t i = 0; i < lengths[b]; ++i)
        std::copy_n(own.begin() + static_cast<std::ptrdiff_t>(i * m), m,
                    all.begin() + static_cast<std::ptrdiff_t>((i * size() + b) * m));
    }
    return all;
  }
};

/// What a read of a batch gave, forwards and backwards.
struct Outcome {
  std::vector<double> context, weights, d_states, d_query, d_parameters;

  /// The part of sentence b of Source x Batch x n numbers.
  static std::vector<double> of(const std::vector<double>& all, std::size_t b, std::size_t batch, std::size_t n) {
    std::vector<double> own;
    for (std::size_t i = b; n > 0 && i < all.size() / n; i += batch)
      for (std::size_t k = 0; k < n; ++k) own.push_back(all[i * n + k]);
    return own;
  }
};

template <class Read>
Outcome outcome(Read& read, const Sentences& s, bool masked = true) {
  Tape tape;
  const auto batch = extent<Batch>(s.size());
  const auto states =
      variable<Source, Batch, Width>(s.states(), extent<Source>(s.positions), batch, extent<Width>(s.m));
  const auto query = variable<Batch, Width>(s.rows("query"), batch, extent<Width>(s.m));
  clear_gradients(read);
  const auto look = [&] {
    if (!masked) return read(query, read.remember(states));
    return read(query, read.remember(states, mask_of_lengths<Source, Batch, double>(s.lengths, s.positions)));
  }();
  if (look.context.size() > 0) {
    Var seed = detail::like(look.context);
    const auto rows = s.rows("seed");
    std::copy(rows.begin(), rows.end(), seed.value);
    backward(look.context, seed);
  }
  Outcome out{look.context.values(), look.weights.values(), states.gradients(), query.gradients(), {}};
  for_each_parameter(read, [&](const Path&, const auto& p) {
    out.d_parameters.insert(out.d_parameters.end(), p.gradients().begin(), p.gradients().end());
  });
  return out;
}

bool finite(const std::vector<double>& values) {
  return std::ranges::all_of(values, [](double x) { return std::isfinite(x); });
}

const std::vector<std::size_t> unequal{3, 1, 0, 5};

}  // namespace

TEST_CASE("what is masked, NaN or not, changes no bit and gets exactly no gradient") {
  for (const std::size_t m : sizes_of_the_memory())
    for_each_read(m, [&](auto read) {
      const Sentences padded{{0, 1, 2, 3}, unequal, 5, m, 0.0};
      const Outcome clean = outcome(read, padded);
      for (const double pad : {not_a_number<double>, inf<double>, -7.0}) {
        CAPTURE(pad);
        Sentences dirty = padded;
        dirty.pad = pad;
        const Outcome found = outcome(read, dirty);
        CHECK(same_bits(found.context, clean.context));
        CHECK(same_bits(found.weights, clean.weights));
        CHECK(same_bits(found.d_states, clean.d_states));
        CHECK(same_bits(found.d_query, clean.d_query));
        CHECK(same_bits(found.d_parameters, clean.d_parameters));
      }
      for (const auto* values : {&clean.context, &clean.weights, &clean.d_states, &clean.d_query, &clean.d_parameters})
        CHECK(finite(*values));
      for (std::size_t b = 0; b < 4; ++b)
        for (std::size_t i = unequal[b]; i < 5; ++i) {
          CHECK(clean.weights[i * 4 + b] == 0);
          for (std::size_t k = 0; k < m; ++k) CHECK(clean.d_states[(i * 4 + b) * m + k] == 0);
        }
    });
}

TEST_CASE("of a sentence that is masked whole or has no positions, a read is 0 and teaches nothing") {
  for (const std::size_t positions : {5, 0})
    for_each_read(4, [&](auto read) {
      const Outcome found = outcome(read, {{0, 1}, {0, 0}, positions, 4});
      for (const auto* values : {&found.context, &found.weights, &found.d_states, &found.d_query, &found.d_parameters})
        for (const double x : *values) CHECK(x == 0);
    });
}

TEST_CASE("a sentence alone, unmasked, and in a batch of longer ones: the same bits") {
  for (const std::size_t m : sizes_of_the_memory())
    for_each_read(m, [&](auto read) {
      for (const auto& [lengths, positions] : {std::pair{unequal, 5}, {std::vector<std::size_t>{2, 37, 19, 16}, 40}}) {
        const Outcome together = outcome(read, {{0, 1, 2, 3}, lengths, static_cast<std::size_t>(positions), m});
        const std::size_t width = together.context.size() / 4;
        for (std::size_t b = 0; b < 4; ++b) {
          CAPTURE(b, lengths[b]);
          const Outcome alone = outcome(read, {{b}, {lengths[b]}, lengths[b], m}, false);
          const auto same = [&](const auto& all, const auto& own, std::size_t n) {
            auto part = Outcome::of(all, b, 4, n);
            part.resize(own.size());
            return same_bits(part, own);
          };
          CHECK(same(together.context, alone.context, width));
          CHECK(same(together.weights, alone.weights, 1));
          CHECK(same(together.d_states, alone.d_states, m));
          CHECK(same(together.d_query, alone.d_query, m));
        }
      }
    });
}

TEST_CASE("reads pass the gradient check, masked and not") {
  const auto n = extent<Batch>(3);
  for (const std::size_t m : {1, 3})
    for_each_read(m, [&](auto read) {
      if constexpr (!std::same_as<decltype(read), NoRead<Width, double>>) {
        const auto states = random_input<Source, Batch, Width>("h", extent<Source>(4), n, extent<Width>(m));
        const auto query = random_input<Batch, Width>("s", n, extent<Width>(m));
        const auto report = check_gradients(
            [&](auto h, auto s) {
              const auto mask = mask_of_lengths<Source, Batch, double>(std::vector<std::size_t>{3, 1, 0}, 4);
              Var both = read(s, read.remember(h)).context * 2.0 + read(s, read.remember(h, mask)).context;
              return both;
            },
            read, states, query);
        INFO(report.text());
        CHECK(report.ok());
      }
    });
}

TEST_CASE("a mask may have its axes in another order, and what is real need not come first") {
  const auto positions = extent<Source>(4);
  const auto batch = extent<Batch>(2);
  const std::vector<double> h{1, 10, 2, 20, 3, 30, 4, 40}, real{0, 1, 1, 0, 1, 1, 0, 0};  // Source x Batch
  const std::vector<double> turned{0, 1, 1, 0, 1, 0, 1, 0};                                // Batch x Source
  const auto contexts = [&](auto read) {
    Tape tape;
    const auto states = constant<Source, Batch, Width>(h, positions, batch, extent<Width>(1));
    const auto query = constant<Batch, Width>({1.0, 1.0}, batch, extent<Width>(1));
    const auto one = read(query, read.remember(states, constant<Source, Batch>(real, positions, batch)));
    const auto other = read(query, read.remember(states, constant<Batch, Source>(turned, batch, positions)));
    CHECK(same_bits(one.context.values(), other.context.values()));
    return one.context.values();
  };
  CHECK(contexts(LastState<Width, double>{}) == std::vector<double>{3, 30});
  CHECK(contexts(MeanState<Width, double>{}) == std::vector<double>{2.5, 20});
  CHECK(contexts(MaxState<Width, double>{}) == std::vector<double>{3, 30});
  CHECK(contexts(HardSelection<DotScore<Width, double>>{}) == std::vector<double>{3, 30});
  const auto soft = contexts(Attention<DotScore<Width, double>>{});
  CHECK(std::abs(soft[0] - (2 + 3 * std::exp(1.0)) / (1 + std::exp(1.0))) < 1e-12);
}

TEST_CASE("of two directions, the last state is the last of each") {
  struct Half : Axis<1> {};
  using Both = Concat<Half, Half>;
  const auto positions = extent<Source>(3);
  const auto batch = extent<Batch>(2);
  Tape tape;  // forward 1, 2, 3 and 10, 20, 30; backward -1, -2, -3 and -10, -20, -30; the second has length 2
  const auto states = variable<Source, Batch, Both>({1.0, -1.0, 10.0, -10.0, 2.0, -2.0, 20.0, -20.0, 3.0, -3.0, 30.0, -30.0},
                                                    positions, batch);
  const auto mask = mask_of_lengths<Source, Batch, double>(std::vector<std::size_t>{3, 2}, 3);
  const LastState<Both, double> read;
  const auto look = read(0, read.remember(states, mask));
  CHECK(look.context.values() == std::vector<double>{3, -1, 20, -10});
  CHECK(look.weights.values() == std::vector<double>{0.5, 0.5, 0, 0.5, 0.5, 0});
  const auto report = check_gradients(
      [&](auto h) {
        const auto m = mask_of_lengths<Source, Batch, double>(std::vector<std::size_t>{3, 2}, 3);
        return read(0, read.remember(h, m)).context;
      },
      random_input<Source, Batch, Both>("h", positions, batch));
  INFO(report.text());
  CHECK(report.ok());
}

TEST_CASE("the memory is not copied at each step") {
  // A memory of 64 positions of 256 units; what a step records is as long as a state or as the sentence.
  const std::size_t positions = 64, m = 256, steps = 50, memory_bytes = positions * m * sizeof(double);
  for_each_read(m, [&](auto read) {
    Tape tape;
    const Sentences s{{0}, {positions}, positions, m};
    const auto one = extent<Batch>(1);
    const auto states = variable<Source, Batch, Width>(s.states(), extent<Source>(positions), one, extent<Width>(m));
    const auto query = variable<Batch, Width>(s.rows("query"), one, extent<Width>(m));
    const auto memory = read.remember(states, mask_of_lengths<Source, Batch, double>(s.lengths, positions));
    const std::size_t capacity = tape.capacity(), statements = tape.size();
    for (std::size_t t = 0; t < steps; ++t) read(query, memory);
    CHECK(tape.capacity() - capacity <= steps * memory_bytes / 4);
    if constexpr (!requires { read.score; }) CHECK(tape.size() == statements);
  });
}
