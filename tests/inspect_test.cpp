// Looking at a recording: the listing, the graph, and the first NaN.
#include "autodiff/inspect.hpp"

#include <catch2/catch_test_macros.hpp>
#include <limits>
#include <string>

#include "autodiff/backward.hpp"
#include "autodiff/join.hpp"
#include "autodiff/reductions.hpp"
#include "layers/lstm.hpp"

using namespace hindsight;

namespace {

struct Batch : Axis<2> {};
struct In : Axis<3> {};
struct Hidden : Axis<2> {};
struct Row : Axis<2> {};

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

bool holds(const std::string& text, const std::string& part) {
  INFO(text);
  CHECK(text.find(part) != std::string::npos);
  return text.find(part) != std::string::npos;
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t n = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

/// A small net: z = x w + b, y = sum tanh z.
struct Net {
  using Weight = Parameter<double, In, Hidden>;
  using Offset = Bias<Hidden, double>;
  BOOST_HANA_DEFINE_STRUCT(Net, (Weight, weight), (Offset, bias));
};

std::string line_of(int line) { return "inspect_test.cpp:" + std::to_string(line); }

}  // namespace

TEST_CASE("the listing has a line a statement, in order, with names, axes and extents") {
  Tape tape;
  Net net;
  const auto x = named("x", variable<Batch, In>({1.0, 2.0, 3.0, 4.0, 5.0, 6.0}));
  const Var z = contract<In>(x, net.weight) + net.bias;
  const Var h = named("h", Var(tanh(z) * 2 + z));
  const auto y = sum(h);
  REQUIRE(y.size() == 1);
  CHECK(list(tape, net) ==
        "x                                     Batch x In (2 x 3)\n"
        "v1 = contract<In>(x, weight) + bias   Batch x Hidden (2 x 2)\n"
        "h = tanh(v1) * 2 + v1                 Batch x Hidden (2 x 2)\n"
        "v2 = sum(h)                           scalar\n");
  CHECK(holds(list(tape), "v1 = contract<In>(x, p1) + p2  "));
}

TEST_CASE("a view is named after what it is a part of") {
  Tape tape;
  using Z = Gates<Hidden, Forget, Input>;
  const auto z = named("z", variable<Batch, Z>({1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0}));
  const Var y = gate<Forget>(z) * gate<Input>(z);
  const Var one = at<Batch>(z, 1) * 1.0;
  const Var both = gate<Input>(at<Batch>(z, 1)) + at<Hidden>(at<Batch>(gate<Input>(z), 0), 1);
  const Var same = z + 1;
  const Var turned = contract<Row>(rename<Batch, Row>(y), rename<Batch, Row>(y));
  CHECK(y.size() + one.size() + both.size() + same.size() + turned.size() == 4 + 4 + 2 + 8 + 2);
  CHECK(holds(list(tape), "v1 = z[Forget] * z[Input] "));
  CHECK(holds(list(tape), "v2 = z[Batch 1] * 1 "));
  CHECK(holds(list(tape), "v3 = z[Batch 1, Input] + z[Batch 0, Input 1] "));
  CHECK(holds(list(tape), "v4 = z + 1 "));
  CHECK(holds(list(tape), "v5 = contract<Row>(v1, v1) "));
  const Var r = named("second row", at<Batch>(z, 1)) * 2.0;  // a view with a name of its own
  CHECK(r.size() == 4);
  CHECK(holds(list(tape), "v6 = second row * 2 "));
}

TEST_CASE("a view that is named leaves the name of the whole, where both begin at one address") {
  Tape tape;
  const auto xs = named("xs", variable<Batch, In>({1.0, 2.0, 3.0, 4.0, 5.0, 6.0}));
  const auto first = named("x0", at<Batch>(xs, 0)), second = named("x1", at<Batch>(xs, 1));
  const Var y = first * second + xs;
  const auto v = xs + y;
  named("head", slice<In, Row>(Var(v), 0));
  const auto c = named("c", constant<Batch, In>({1.0, 2.0, 3.0, 4.0, 5.0, 6.0}));
  const Var z = named("c0", at<Batch>(c, 0)) * c;
  CHECK(y.size() + z.size() == 12);
  CHECK(list(tape) ==
        "xs                  Batch x In (2 x 3)\n"
        "v1 = x0 * x1 + xs   Batch x In (2 x 3)\n"
        "v2 = xs + v1        Batch x In (2 x 3)\n"
        "v3 = c0 * c         Batch x In (2 x 3)\n");
}

TEST_CASE("a name given to the whole under another name of its axis is the whole's") {
  Tape tape;
  const auto x = variable<Batch, In>({1.0, 2.0, 3.0, 4.0, 5.0, 6.0});
  const auto y = named("y", rename<Batch, Row>(Var(x * 2)));
  const Var z = y + 1;
  CHECK(z.size() == 6);
  CHECK(holds(list(tape), "y = v1 * 2 "));
  CHECK(holds(list(tape), " = y + 1 "));
}

TEST_CASE("a part of an axis is told by where it begins") {
  Tape tape;
  const auto x = named("x", variable<Batch, In>({1.0, 2.0, 3.0, 4.0, 5.0, 6.0}));
  const Var y = slice<In, Row>(x, 1) + slice<In, Row>(x, 0);
  CHECK(y.size() == 4);
  CHECK(holds(list(tape), "v1 = x[In 1..] + x "));
}

TEST_CASE("a stack has an edge from each of its parts") {
  Tape tape;
  const auto a = named("a", variable<In>({1.0, 2.0, 3.0})), b = named("b", variable<In>({1.0, 2.0, 3.0}));
  const auto y = stack<Batch>(std::vector{a, b});
  CHECK(y.size() == 6);
  CHECK(holds(list(tape), "v1 = stack(a, .., b) "));
  CHECK(count(draw(tape), " -> s2;") == 2);
}

TEST_CASE("the graph has a node for each statement, leaf and parameter, and an edge for each operand") {
  Tape tape;
  Net net;
  const auto x = named("x", variable<Batch, In>({1.0, 2.0, 3.0, 4.0, 5.0, 6.0}));
  const Var z = contract<In>(x, net.weight) + net.bias;
  const Var y = z * z;
  const Var cut = detach(y) * constant<Batch>({1.0, 2.0});
  CHECK(cut.size() == 4);
  const std::string graph = draw(tape, net);
  CHECK(holds(graph, "digraph tape {\n"));
  CHECK(holds(graph, "s0 [label=\"x\\nBatch x In (2 x 3)\", shape=ellipse];\n"));
  CHECK(holds(graph, "s1 [label=\"v1 = contract<In>(x, weight) + bias\\nBatch x Hidden (2 x 2)\", shape=box];\n"));
  CHECK(holds(graph, "[label=\"weight\\nIn x Hidden (3 x 2)\", shape=cylinder];\n"));
  CHECK(holds(graph, "[label=\"p1\", shape=cylinder];\n"));  // the constant
  CHECK(holds(graph, "s3 [label=\"v3 = v2 * p1\\nBatch x Hidden (2 x 2)\", shape=box, style=dashed];\n"));
  CHECK(holds(graph, "  s0 -> s1;\n"));
  CHECK(count(graph, "s1 -> s2;") == 1);  // both factors are z
  CHECK(count(graph, " -> ") == 6);
  CHECK(count(graph, "{") == count(graph, "}"));
}

TEST_CASE("what stands in quotes is quoted") {
  Tape tape;
  const auto x = named("the \"input\" \\", variable(1.0));
  CHECK(x.item() == 1);
  CHECK(holds(draw(tape), R"(label="the \"input\" \\\nscalar")"));
}

TEST_CASE("an empty tape has an empty listing, a graph without nodes and no NaN") {
  Tape tape;
  CHECK(list(tape).empty());
  CHECK(draw(tape).find("label") == std::string::npos);
  CHECK_FALSE(first_nan(tape));
  CHECK_FALSE(first_nan_gradient(tape));
  CHECK_NOTHROW(throw_if_nan(tape));
}

TEST_CASE("the first statement that makes a NaN is named, with the place and the line") {
  Tape tape;
  const auto x = named("x", variable<Batch, In>({1.0, 2.0, 3.0, 4.0, -5.0, 6.0}));
  const Var fine = x * 2;
  const Var bad = log(fine) + 1; const int line = __LINE__;
  const Var worse = bad * bad;
  CHECK(worse.size() == 6);
  CHECK(first_nan(tape) == "NaN in v2 = log(v1) + 1 at Batch[1] In[1] (1 of 6 elements), recorded at " + line_of(line) +
                               "; its operands hold none");
  CHECK_THROWS_AS(throw_if_nan(tape), Error);
}

TEST_CASE("a NaN is found in float too, and infinity is none") {
  Tape tape;
  const auto x = variable<In>({0.0F, 1.0F, 2.0F});
  const Var logs = log(x);  // -inf at 0
  CHECK_FALSE(first_nan(tape));
  const Var difference = logs - logs;
  CHECK(difference.size() == 3);
  CHECK(holds(first_nan(tape).value(), "NaN in v3 = v2 - v2"));
  CHECK(holds(first_nan(tape).value(), "at In[0] (1 of 3 elements)"));
}

TEST_CASE("an operation that is called by name has its line too") {
  Tape tape;
  const double inf = std::numeric_limits<double>::infinity();
  const auto x = named("x", variable<Batch, In>({1.0, 2.0, 3.0, inf, 5.0, -inf}));
  const auto total = sum<In>(x); const int line = __LINE__;
  const Var<double> loss = sum(total);
  CHECK(loss.size() == 1);
  CHECK(first_nan(tape) == "NaN in v1 = sum(x) at Batch[1] (1 of 2 elements), recorded at " + line_of(line) +
                               "; its operands hold none");
}

TEST_CASE("a NaN that was put in is told from one that was made") {
  Tape tape;
  const auto x = named("x", variable<In>({1.0, not_a_number, not_a_number}));
  const Var y = x * 2;
  CHECK(y.size() == 3);
  CHECK(first_nan(tape) == "NaN in the variable x at In[1] (2 of 3 elements), as it was given");

  tape.reset();
  Lstm<In, Hidden, double> cell;
  cell.bias.edit()[5] = not_a_number;
  const auto zero = filled<double, Batch, Hidden>(0.0);
  const auto next = cell(variable<Batch, In>({1.0, 2.0, 3.0, 4.0, 5.0, 6.0}), State{zero, zero});
  CHECK(next.h.size() == 4);
  CHECK(holds(first_nan(tape, cell).value(), "NaN in the parameter bias at Candidate[1] (1 of 8 elements); it is used by v2 = "));
  CHECK(holds(first_nan(tape).value(), "at Batch[0] Candidate[1] (2 of 16 elements), recorded at lstm.hpp:"));
  CHECK(holds(first_nan(tape).value(), "cannot be looked at"));
}

TEST_CASE("the first NaN of the backward pass is named with the statement that made it") {
  Tape tape;
  const auto x = named("x", variable<In>({0.0, 1.0, 4.0}));
  const Var root = sqrt(x); const int line = __LINE__;  // d sqrt is inf at 0
  const Var y = root * root;                            // whose gradient there is 0: 0 * inf
  const auto total = sum(y);
  CHECK_FALSE(first_nan_gradient(tape));
  backward(total);
  CHECK_FALSE(first_nan(tape));
  CHECK(first_nan_gradient(tape) == "NaN in the gradient of x at In[0] (1 of 3 elements); "
                                    "it comes from the backward of v1 = sqrt(x), recorded at " + line_of(line));
  CHECK_THROWS_AS(throw_if_nan(tape), Error);
}

TEST_CASE("a NaN gradient of a parameter is named by its path, and a NaN seed is told") {
  Tape tape;
  Net net;
  const Var root = sqrt(net.bias);
  const Var y = root * root;
  const auto total = sum(y);
  backward(total);
  CHECK(holds(first_nan_gradient(tape, net).value(), "NaN in the gradient of the parameter bias at Hidden[0] (2 of 2 elements); "
                                                     "it comes from the backward of v1 = sqrt(bias)"));
  tape.reset();
  const Var z = variable<In>({1.0, 2.0, 3.0}) * 2;
  backward(z, constant<In>({1.0, not_a_number, 1.0}));
  CHECK(holds(first_nan_gradient(tape).value(), "NaN in the gradient of v2 = v1 * 2 at In[1] (1 of 3 elements)"));
  CHECK(holds(first_nan_gradient(tape).value(), "; it is the seed of the pass"));
}
