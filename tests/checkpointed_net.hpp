// A small net, and what a computation with it gives with checkpoints and without.
#pragma once

#include <catch2/catch_test_macros.hpp>
#include <cmath>

#include "autodiff/backward.hpp"
#include "autodiff/checkpoint.hpp"
#include "autodiff/initialise.hpp"
#include "autodiff/reductions.hpp"
#include "tests/error_text.hpp"
#include "tests/kernel_data.hpp"

namespace hindsight::checkpoint_test {

struct Batch : Axis<> {};
struct In : Axis<3> {};
struct Hidden : Axis<2> {};

struct Net {
  using Weight = Parameter<double, In, Hidden>;
  using Offset = Bias<Hidden, double>;
  BOOST_HANA_DEFINE_STRUCT(Net, (Weight, weight), (Offset, bias));

  template <class X>
  Var<double, Batch, Hidden> operator()(const X& x) const {
    Var z = contract<In>(x, weight) + bias;
    return tanh(z) * z;
  }
  void clear() { clear_gradients(*this); }
  std::vector<double> gradients() const {
    std::vector<double> all(weight.gradients().begin(), weight.gradients().end());
    all.insert(all.end(), bias.gradients().begin(), bias.gradients().end());
    return all;
  }
};

inline Net net() {
  Net net;
  std::uint64_t n = 0;
  for_each_parameter(net, [&](const Path&, auto& p) { initialise_uniform(p, 0.9, Random{5}.child(n++)); });
  return net;
}

inline auto input() { return variable<Batch, In>(numbers<double>(12, "x"), extent<Batch>(4)); }

/// What a computation and its backward pass give: values, gradients of the input and of the parameters.
struct Outcome {
  std::vector<double> values, by_input, by_parameters;
};
template <class F>
Outcome outcome(Net& net, F f) {
  Tape tape;
  net.clear();
  const auto x = input();
  const Var<double> loss = f(x);
  backward(loss);
  return {{loss.item()}, x.gradients(), net.gradients()};
}

inline void check_close(const std::vector<double>& a, const std::vector<double>& b) {
  REQUIRE(a.size() == b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    CAPTURE(i, a[i], b[i]);
    CHECK(std::abs(a[i] - b[i]) <= 1e-14 * (std::abs(b[i]) + 1));
  }
}

/// What a TapeError says.
template <class F>
std::string misuse(F f) {
  return error_text<TapeError>(f);
}

}  // namespace hindsight::checkpoint_test
