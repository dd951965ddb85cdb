// EXPECTED: layer_norm_backward(y, r, dy) returns dL/dx, with what goes through the mean and the variance.
// HINT: dL/dx_k = r (dy_k - A - y_k B), where A and B are means over all k. A comes from m; B from v, and has y
//   in it.
// SHIPPED: as if mean and variance were constants
#include EXERCISE
#include "tutorials/exercises/checks/check.hpp"

std::string exercise::check() {
  const double eps = 1e-5;
  for (std::size_t n : {5, 3, 8}) {
    const Vector x = noise(n, n, 2), dy = noise(n, n + 1);
    const auto scale = [eps](const Vector& at, double& m) {
      double v = 0;
      m = 0;
      for (const double a : at) m += a / static_cast<double>(at.size());
      for (const double a : at) v += (a - m) * (a - m) / static_cast<double>(at.size());
      return 1 / std::sqrt(v + eps);
    };
    const auto forward = [&](const std::vector<Vector>& at) {
      double m;
      const double r = scale(at[0], m);
      Vector y;
      for (const double a : at[0]) y.push_back((a - m) * r);
      return y;
    };
    double m;
    const double r = scale(x, m);
    const Vector y = forward({x});
    double mean_dy = 0, mean_dy_y = 0;
    for (std::size_t k = 0; k < n; ++k) {
      mean_dy += dy[k] / static_cast<double>(n);
      mean_dy_y += dy[k] * y[k] / static_cast<double>(n);
    }
    Vector direct, no_variance, no_mean, sums;
    for (std::size_t k = 0; k < n; ++k) {
      const double size = static_cast<double>(n);
      direct.push_back(r * dy[k]);
      no_variance.push_back(r * (dy[k] - mean_dy));
      no_mean.push_back(r * (dy[k] - y[k] * mean_dy_y));
      sums.push_back(r * (dy[k] - size * mean_dy - y[k] * size * mean_dy_y));
    }
    check_backward("layer norm", forward, {{"x", x}}, dy, {layer_norm_backward(y, r, dy)},
                   {{"x", direct, "That is as if mean and variance were constants: they are made of x."},
                    {"x", no_variance, "The way through the mean is there; that through the variance is missing."},
                    {"x", no_mean, "The way through the variance is there; that through the mean is missing."},
                    {"x", sums, "Those are sums over k; the two are means."}});
  }
  return "dL/dx has mean 0 and is orthogonal to y: what a "
         "normalisation takes out of x, its backward takes out of dL/dy.";
}
