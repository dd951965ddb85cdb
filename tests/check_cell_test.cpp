// check_cell finds what it is there to find: each cell here has one fault, and the item of that fault says so.
#include "models/check_cell.hpp"

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <cmath>

#include "layers/dropout.hpp"
#include "layers/gru.hpp"
#include "layers/lstm.hpp"
#include "layers/rnn.hpp"

using namespace hindsight;
using Catch::Matchers::ContainsSubstring;

namespace {

/// An Elman net h = tanh(a), a = W x + V h + b, in which one thing is done otherwise.
template <class Otherwise, class T = double>
struct Net {
  using In = checked::In;
  using Hidden = checked::Hidden;
  using Scalar = T;
  using FromInput = Affine<In, Hidden, T>;
  using FromHidden = Linear<Hidden, Hidden, T>;
  BOOST_HANA_DEFINE_STRUCT(Net, (FromInput, from_input), (FromHidden, from_hidden), (Otherwise, otherwise));

  template <IsAxis B>
  auto operator()(const Var<T, B, In>& x, const HiddenState<T, B, Hidden>& s) const {
    Var a = from_input(x) + from_hidden(otherwise.before(s.h));
    Var h = otherwise.after(tanh(a));
    return HiddenState{h};
  }
  template <IsAxis B>
  HiddenState<T, B, Hidden> initial(Extent<B> batch = {}) const {
    return {otherwise.first(filled<T, B, Hidden>(T{0}, batch))};
  }
};
struct Right {
  const auto& first(const auto& zero) const { return zero; }
  const auto& before(const auto& h) const { return h; }
  auto after(const auto& h) const { return h; }
};
struct Detached : Right {  // a detach is forgotten in the equations
  auto before(const auto& h) const { return detach(h); }
};
struct Mixed : Right {  // subtracts the mean over the batch
  auto after(const auto& h) const {
    Var v = h;
    return subtract_mean(v);
  }
  template <class T, IsAxis B, IsAxis H>
  static auto subtract_mean(const Var<T, B, H>& v) {
    return v - mean<B>(v);
  }
};
struct Counting : Right {  // another function at every call
  mutable int calls = 0;
  auto after(const auto& h) const { return (1 + 0.001 * ++calls) * h; }
};
struct Overflowing : Right {  // e^100 is infinite in float
  auto after(const auto& h) const { return log(exp(h + 100)) - 100; }
};
struct Throwing : Right {
  const auto& before(const auto& h) const { return throw Error("no step today"), h; }
};
struct Learned : Right {  // right: the first state is a parameter
  using First = Parameter<double, checked::Hidden>;
  BOOST_HANA_DEFINE_STRUCT(Learned, (First, h0));
  auto first(const auto& zero) const { return zero + h0; }
};
struct Dropping : Right {  // right: dropout is at rest while the cell is checked
  Dropout dropout;
  Dropping() { dropout.rate = 0.5; }
  auto after(const auto& h) const { return 1.0 * dropout(Var(h)); }
  void initialise(const Random& random) { dropout.initialise(random); }
};

/// A momentum net: v = v / 2 + W x, h = tanh(V h + v), with a zip of its own.
template <class Zip>
struct Pair {
  template <class T, IsAxis B, IsAxis H>
  struct Of {
    Var<T, B, H> h, v;
    using Zipped = Zip;
  };
};
template <class S, class F, class... More>
  requires requires { typename S::Zipped; }
S zip(F f, const S& s, const More&... more) {
  return S::Zipped::template zip<S>(f, s, more...);
}
template <class S>
  requires requires { typename S::Zipped; }
auto output(const S& s) {
  return s.h;
}
struct RightZip {
  template <class S>
  static S zip(auto f, const S& s, const auto&... more) {
    return {f(s.h, more.h...), f(s.v, more.v...)};
  }
};
struct OneLeftOut {
  template <class S>
  static S zip(auto f, const S& s, const auto&... more) {
    return {f(s.h, more.h...), s.v};
  }
};
struct WrongFellow {
  template <class S>
  static S zip(auto f, const S& s, const auto&... more) {
    return {f(s.h, more.h...), f(s.v, more.h...)};
  }
};
template <class Zip>
struct Momentum {
  using In = checked::In;
  using Hidden = checked::Hidden;
  using Scalar = double;
  using FromInput = Affine<In, Hidden, double>;
  using FromHidden = Linear<Hidden, Hidden, double>;
  BOOST_HANA_DEFINE_STRUCT(Momentum, (FromInput, from_input), (FromHidden, from_hidden));
  template <IsAxis B>
  using S = typename Pair<Zip>::template Of<double, B, Hidden>;

  template <IsAxis B>
  S<B> operator()(const Var<double, B, In>& x, const S<B>& s) const {
    Var a = from_input(x);
    Var u = from_hidden(s.h);
    Var v = 0.5 * s.v + a;
    return {tanh(u + v), v};
  }
  template <IsAxis B>
  S<B> initial(Extent<B> batch = {}) const {
    return {filled<double, B, Hidden>(0.0, batch), filled<double, B, Hidden>(0.0, batch)};
  }
};

/// What is wrong, by name, with the cell that is in the place of the one in float.
template <class Cell, class InFloat = Cell>
CellReport rules() {
  CheckedCellOf<Cell> cell(1, 0.9);
  CheckedCellOf<InFloat> other(1, 0.9);
  return {"cell", check_rules(cell, other)};
}
const CellItem& item(const CellReport& report, const std::string& name) {
  for (const CellItem& i : report.items)
    if (i.name == name) return i;
  throw Error("no item " + name);
}
std::vector<std::string> wrong(const CellReport& report) {
  std::vector<std::string> names;
  for (const CellItem& i : report.items)
    if (!i.ok) names.push_back(i.name);
  return names;
}
using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("cells that are right pass all rules") {
  CHECK(wrong(rules<Net<Right>, Net<Right, float>>()).empty());
  CHECK(wrong(rules<Net<Learned>>()).empty());
  CHECK(wrong(rules<Net<Dropping>>()).empty());
  CHECK(wrong(rules<Momentum<RightZip>>()).empty());
}

TEST_CASE("a detach in the equations is a wrong gradient") {
  const CellReport report = rules<Net<Detached>>();
  CHECK(wrong(report) == Names{"gradients"});
  CHECK_THAT(report.text(), ContainsSubstring("gradients         WRONG") && ContainsSubstring("Time[0] Batch[0] In[0]"));
}

TEST_CASE("a mean over the batch is found, with and without masks") {
  const CellReport report = rules<Net<Mixed>>();
  CHECK(wrong(report) == Names{"batch", "masks"});
  CHECK_THAT(item(report, "batch").words, ContainsSubstring("outputs of sequence 0") && ContainsSubstring("look at: sums"));
}

TEST_CASE("a cell that is another function at every call is found") {
  const CellReport report = rules<Net<Counting>>();
  CHECK_FALSE(item(report, "gradients").ok);
  CHECK_FALSE(item(report, "batch").ok);
  CHECK_FALSE(item(report, "carried state").ok);
  CHECK_THAT(item(report, "gradients").words, ContainsSubstring("not deterministic"));
}

TEST_CASE("a zip that leaves a variable out is found where states are carried") {
  const CellReport report = rules<Momentum<OneLeftOut>>();
  CHECK(wrong(report) == Names{"carried state"});
  CHECK_THAT(item(report, "carried state").words, ContainsSubstring("outputs after the cut") && ContainsSubstring("zip"));
}

TEST_CASE("a zip that gives a variable another one's fellow is found at masks") {
  const CellReport report = rules<Momentum<WrongFellow>>();
  CHECK_FALSE(item(report, "masks").ok);
  CHECK_FALSE(item(report, "no steps").ok);
  CHECK_THAT(item(report, "masks").words, ContainsSubstring("last state of sequence") && ContainsSubstring("variable 2"));
}

TEST_CASE("what a float cannot hold is found beside double") {
  const CellReport report = rules<Net<Overflowing>, Net<Overflowing, float>>();
  CHECK(wrong(report) == Names{"float and double"});
}

TEST_CASE("what a cell throws is told, item by item") {
  const CellReport report = rules<Net<Throwing>>();
  CHECK(wrong(report).size() == 6);
  CHECK_THAT(report.text(), ContainsSubstring("masks             WRONG: no step today"));
}

static_assert(detail::equal_hidden<Lstm, 1, 1024>() == measured::lstm_hidden);
static_assert(detail::equal_hidden<Rnn, 1, 1024>() == 77);  // 76 (32 + 76 + 1) < 8320 <= 77 (32 + 77 + 1)

namespace {

/// h = a h + W x, a = 1 / divisor: the gradient over k steps is a^k.
template <int divisor, IsAxis In_, IsAxis H, class T = float>
struct Decaying {
  using In = In_;
  using Hidden = H;
  using Scalar = T;
  using FromInput = Affine<In, H, T>;
  BOOST_HANA_DEFINE_STRUCT(Decaying, (FromInput, from_input));
  static constexpr const char* name = "Decaying";

  template <IsAxis B>
  auto operator()(const Var<T, B, In>& x, const HiddenState<T, B, H>& s) const {
    Var a = from_input(x);
    Var h = (1.0 / divisor) * s.h + a;
    return HiddenState{h};
  }
  template <IsAxis B>
  HiddenState<T, B, H> initial(Extent<B> batch = {}) const {
    return {filled<T, B, H>(T{0}, batch)};
  }
};
template <IsAxis In, IsAxis H, class T>
using Halving = Decaying<2, In, H, T>;

}  // namespace

TEST_CASE("the whole of it: the gradient by the lag, the adding problem, the speed") {
  const CellReport report = check_cell<Halving>({.adding = {.steps = 10, .updates = 300}, .seeds = 1, .timed = 1});
  INFO(report.text());
  CHECK(report.ok());
  CHECK(report.cell == "Decaying");
  const std::string lags = item(report, "gradient by lag").words;
  CHECK_THAT(lags, ContainsSubstring("\n   1  5.0e-01 ") && ContainsSubstring("\n   2  2.5e-01 ") &&
                       ContainsSubstring("\n  10  9.8e-04 ") && ContainsSubstring("\n 100  7.9e-31 "));
  // What is halved at each step cannot count to ten; the LSTM beside it learns.
  CHECK_THAT(item(report, "adding problem").words, ContainsSubstring("Decaying  came as far as 0.") &&
                                                       ContainsSubstring("LSTM      learns: 0.0"));
  CHECK_THAT(item(report, "training step").words, ContainsSubstring(" ms ("));
}

TEST_CASE("training that ends in infinities is a figure, not a failure") {
  struct Diverging final : AddingLearner {
    using AddingLearner::AddingLearner;
    void update() override { throw Error("the gradient is not finite"); }
    double error() override { return 0; }
  };
  const CellOptions options{.adding = {.steps = 10, .updates = 1}, .seeds = 1, .timed = 1};
  MeasuredCell cell = measured_lstm(options), lstm = measured_lstm(options);
  cell.learners[0] = std::make_unique<Diverging>(options.adding);
  const CellReport report{"cell", measure(cell, lstm, options)};
  CHECK(report.ok());
  CHECK_THAT(item(report, "adding problem").words, ContainsSubstring("came as far as infinity"));
  CHECK_THAT(item(report, "training step").words, ContainsSubstring("not timed: the gradient is not finite"));
}

TEST_CASE("a report is wrong if one of its items is, and its lines are aligned") {
  CellReport report{"MyCell", {{"masks", false, "first\nsecond"}, {"batch", true, "fine"}}};
  CHECK_FALSE(report.ok());
  CHECK(report.text() == "MyCell\n"
                         "  masks             WRONG: first\n"
                         "                    second\n"
                         "  batch             fine\n");
}
