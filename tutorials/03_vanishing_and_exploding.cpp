// 3. Vanishing and exploding: what a product of many Jacobians does
//
// The gradient over k steps is a product of k matrices diag(1 - h^2) V^T. Scale V by a little and the
// product changes by a power of it. Clipping cures the one failure and not the other; and a plain
// recurrent net that stores a bit must lose its gradient (Bengio, Simard and Frasconi 1994).
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "autodiff/backward.hpp"
#include "autodiff/clipping.hpp"
#include "autodiff/reductions.hpp"
#include "layers/rnn.hpp"
#include "layers/unroll.hpp"
#include "tutorials/program.hpp"

using namespace hindsight;
using tutorial::result;
using tutorial::text;

namespace {

struct Time : Axis<> {};
struct Batch : Axis<1> {};
struct In : Axis<4> {};
struct Hidden : Axis<32> {};
using Cell = Rnn<In, Hidden, double>;

// A recurrent net whose V has all its eigenvalues on a circle of the given radius.
Cell net_of_radius(double radius, std::uint64_t seed) {
  Cell cell;
  initialise(cell, seed);
  initialise_orthogonal(cell.from_hidden.weight, radius, Random{seed}.child("V"));
  return cell;
}

// |d (u h_T) / d h_{T-k}| for every lag k, u a random direction: one backward pass gives them all.
std::vector<double> gradient_by_lag(double radius, std::size_t steps, std::uint64_t seed) {
  const Cell cell = net_of_radius(radius, seed);
  Tape tape;
  const auto xs = constant<Time, Batch, In>(tutorial::noise(steps * In::extent, 0.01, seed), extent<Time>(steps));
  const HiddenState s0{variable<Batch, Hidden>(std::vector<double>(Hidden::extent, 0.0))};
  const auto run = unroll(cell, xs, s0);
  std::vector<double> u(Hidden::extent);
  for (std::size_t i = 0; i < u.size(); ++i) u[i] = Random{seed}.child("u").normal(i);
  const double length = tutorial::norm(u);
  for (double& x : u) x /= length;
  backward(run.last.h, constant<Batch, Hidden>(u));
  std::vector<double> by_lag;
  for (std::size_t k = 0; k < steps; ++k) by_lag.push_back(tutorial::norm(run.states[steps - 1 - k].h.gradients()));
  return by_lag;
}

void draw_lags(std::size_t steps, std::uint64_t seed, double& shrunk, double& grown) {
  const std::vector<double> radii{0.5, 0.9, 1.0, 1.1, 1.5};
  std::vector<std::string> columns{"lag"};
  std::vector<std::vector<double>> curves;
  for (double radius : radii) {
    columns.push_back(text("radius %.1f", radius));
    curves.push_back(gradient_by_lag(radius, steps, seed));
  }
  tutorial::Table table("03_gradient_by_lag", columns);
  for (std::size_t k = 0; k < steps; ++k) {
    std::vector<double> row{static_cast<double>(k)};
    for (const auto& curve : curves) row.push_back(curve[k]);
    table.row(row);
  }
  std::printf("The norm of the gradient that reaches a state k steps back, by the spectral radius of V.\n");
  table.print(steps / 6);
  table.save({.title = "A gradient through k Jacobians", .x = "lag k", .y = "norm",
              .see = "straight lines on a logarithmic scale: the gradient is a power of the radius", .log_y = true});
  shrunk = curves[1].back();
  grown = *std::max_element(curves[3].begin(), curves[3].end());
}

// Clipping scales the whole gradient by one factor. Too long a step becomes a good one; what the first
// half of the inputs contributes, here measured before clipping, stays the same share.
void clipping(std::size_t steps, std::uint64_t seed) {
  std::printf("\nClipping.  radius   norm    loss: before    one step    clipped   share of the first half\n");
  for (double radius : {0.9, 1.5}) {
    const auto loss_of = [&](const Cell& cell, const Var<double, Time, Batch, In>& xs) {
      const auto run = unroll(cell, xs, cell.initial<Batch>());
      return Var(mean(square(run.last.h - 0.5)));
    };
    const auto stepped = [&](double limit, double& norm_before, double& share) {
      Cell cell = net_of_radius(radius, seed);
      Tape tape;
      const auto xs = variable<Time, Batch, In>(tutorial::noise(steps * In::extent, 0.05, seed), extent<Time>(steps));
      Var loss = loss_of(cell, xs);
      backward(loss);
      const std::vector<double> dx = xs.gradients();
      share = tutorial::norm({dx.begin(), dx.begin() + dx.size() / 2}) / tutorial::norm(dx);
      norm_before = limit > 0 ? clip_by_global_norm(cell, limit) : norm_before;
      for_each_parameter(cell, [](const Path&, auto& p) {  // one step downhill, rate 0.5
        auto edit = p.edit();
        for (std::size_t i = 0; i < edit.size(); ++i) edit[i] -= 0.5 * p.gradients()[i];
      });
      const double before = loss.item();
      return std::pair(before, loss_of(cell, xs).item());
    };
    double gradient_norm = 0, share = 0;
    const double clipped = stepped(0.1, gradient_norm, share).second;
    const auto [before, plain] = stepped(0, gradient_norm, share);
    std::printf("           %6.1f %8.1e %14.3f %11.3f %10.3f %14.0e\n", radius, gradient_norm, before, plain, clipped, share);
  }
}

// One unit, h_t = tanh(w h_{t-1}), set to h_0 = 0.8. Can it hold the bit (half of it, to be read), and
// let a gradient pass?
void latch(double& best_both) {
  std::printf("\nA latch.       w    h after 100 steps    d h_100 / d h_0\n");
  best_both = 0;
  for (double w : {0.5, 0.9, 1.0, 1.02, 1.05, 1.1, 1.2, 2.0, 4.0}) {
    Tape tape;
    const auto h0 = variable(0.8);
    Var<double> h = h0;
    for (int t = 0; t < 100; ++t) h = tanh(w * h);
    backward(h);
    std::printf("        %8.2f %20.4f %18.1e\n", w, h.item(), h0.gradient_at());
    if (h.item() > 0.4) best_both = std::max(best_both, h0.gradient_at());
  }
  std::printf("  w <= 1: the bit fades. w > 1: it is held by an attractor, h* = tanh(w h*), and what makes h*\n"
              "  attract is a slope w (1 - h*^2) < 1: the same number, taken to the power 100, is the gradient.\n");
}

}  // namespace

int main(int argc, char** argv) {
  tutorial::Program program("Vanishing and exploding gradients, what clipping cures, and a latch.");
  std::uint64_t seed = 1, steps = 120;
  program.option("--seed", seed, "of the weights and inputs");
  program.option("--steps", steps, "the longest lag");
  return program.run(argc, argv, [&] {
    if (steps < 10) throw Error("--steps must be at least 10");
    double shrunk = 0, grown = 0, both = 0;
    draw_lags(steps, seed, shrunk, grown);
    clipping(std::min<std::uint64_t>(steps, 60), seed);
    latch(both);
    result(text("radius 0.9 leaves %.0e at lag %zu, 1.1 reaches %.0e; a bit held by half passes at most %.0e over 100 steps",
                shrunk, static_cast<std::size_t>(steps) - 1, grown, both));
  });
}
