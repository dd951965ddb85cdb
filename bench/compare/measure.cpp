#include "bench/compare/measure.hpp"

#include <algorithm>
#include <cmath>

#include "autodiff/error.hpp"
#include "autodiff/kernels/gemm.hpp"

namespace hindsight::bench {
namespace {

using Clock = std::chrono::steady_clock;
double since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

constexpr std::size_t product_size = 256;
constexpr double sample = 0.1;      // seconds that a contender's part of a round lasts, or one step if that is longer
constexpr double tolerance = 1e-4;   // of an array's norm

/// Seconds of our product, over half a sample.
double product_seconds() {
  constexpr std::size_t n = product_size;
  static const std::vector<float> a(n * n, 0.5f), b(n * n, 0.25f);
  static std::vector<float> c(n * n);
  const auto begin = Clock::now();
  std::size_t products = 0;
  do {
    kernels::gemm<float>(n, n, n, {a.data(), n, 1}, {b.data(), n, 1}, c.data(), n, false);
    ++products;
  } while (since(begin) < sample / 2);
  return since(begin) / static_cast<double>(products);
}

double quantile(std::vector<double>& values, double q) {
  std::sort(values.begin(), values.end());
  const double at = q * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const std::size_t above = std::min(below + 1, values.size() - 1);
  return values[below] + (at - static_cast<double>(below)) * (values[above] - values[below]);
}

std::string text(double x) {
  char out[32];
  std::snprintf(out, sizeof out, "%.1e", x);
  return out;
}

/// How many steps make a sample, after some that nobody counts: memory is found, code is compiled.
std::size_t steps_of(Contender& contender) {
  contender.seconds(1);
  const double once = std::min(contender.seconds(1), contender.seconds(1));
  return static_cast<std::size_t>(std::clamp(std::ceil(sample / once), 1.0, 1e6));
}

}  // namespace

double median(std::vector<double> values) { return quantile(values, 0.5); }

double spread(std::vector<double> values) {
  return (quantile(values, 0.75) - quantile(values, 0.25)) / 2 / quantile(values, 0.5);
}

double ratio(const Measured& measured, std::size_t c) {
  std::vector<double> ratios = measured.contenders[c].seconds;
  for (std::size_t r = 0; r < ratios.size(); ++r) ratios[r] /= measured.contenders[0].seconds[r];
  return median(ratios);
}

double share(const Measured& measured) {
  std::vector<double> shares = measured.product;
  const double products = measured.flops / (2.0 * product_size * product_size * product_size);
  for (std::size_t r = 0; r < shares.size(); ++r) shares[r] *= products / measured.contenders[0].seconds[r];
  return median(shares);
}

std::vector<std::string> differences(const Arrays& ours, const Arrays& theirs) {
  std::vector<std::string> wrong;
  for (const Array& own : ours) {
    const auto other = std::find_if(theirs.begin(), theirs.end(), [&](const Array& a) { return a.name == own.name; });
    if (other == theirs.end() || other->values.size() != own.values.size()) {
      wrong.push_back(own.name + " is not there, or of another size");
      continue;
    }
    double difference = 0, norm = 0;
    for (std::size_t i = 0; i < own.values.size(); ++i) {
      const double x = static_cast<double>(own.values[i]), y = static_cast<double>(other->values[i]);
      difference += (x - y) * (x - y);
      norm += x * x;
    }
    const double relative = std::sqrt(difference / norm);
    if (!(relative <= tolerance))
      wrong.push_back(own.name + " differs from ours by " + text(relative) + " of its norm");
  }
  return wrong;
}

Measured measure(const Workload& workload, const Effort& effort, std::vector<std::string>& wrong,
                 const std::function<void(const std::string&)>& now) {
  Measured measured{workload.name, workload.flops, {}, {{"ours", {}}}};
  const auto ours = workload.ours();
  const Work work = ours->work();
  now("checking");
  const Arrays results = ours->results();
  std::vector<std::unique_ptr<Contender>> peers;
  std::vector<Contender*> contenders{ours.get()};
  for (const Peer& peer : workload.peers) {
    std::unique_ptr<Contender> made;
    std::vector<std::string> found;
    try {
      made = peer.make(work);
      found = differences(results, made->results());
    } catch (const std::exception& error) {
      found = {error.what()};
    }
    for (const std::string& what : found) wrong.push_back(workload.name + ", " + peer.name + ": " + what);
    if (!found.empty()) continue;
    measured.contenders.push_back({peer.name, {}});
    contenders.push_back(made.get());
    peers.push_back(std::move(made));
  }
  if (effort.rounds == 0) return measured;

  std::vector<std::size_t> steps;
  for (Contender* contender : contenders) steps.push_back(steps_of(*contender));
  const auto begin = Clock::now();
  for (std::size_t round = 0; round < effort.rounds || since(begin) < effort.seconds; ++round) {
    now("round " + std::to_string(round + 1));
    measured.product.push_back(product_seconds());
    for (std::size_t i = 0; i < contenders.size(); ++i) {
      const std::size_t c = (i + round) % contenders.size();  // none is always the first
      measured.contenders[c].seconds.push_back(contenders[c]->seconds(steps[c]) / static_cast<double>(steps[c]));
    }
  }
  return measured;
}

}  // namespace hindsight::bench
