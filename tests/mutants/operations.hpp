// Operations with backwards that were written by hand, right ones, on plain arrays: what the rules make mutants of.
#pragma once

#include <cmath>
#include <string>
#include <vector>

namespace hindsight::mutants {

// Extents, all different so that nothing fits by luck.
inline constexpr std::size_t steps = 4, batch = 3, in = 2, hidden = 4, sources = 5, symbols = 6, classes = 5;

/// The operands' values, and where what is added to their gradients goes.
using Values = std::vector<const double*>;
using Gradients = std::vector<std::vector<double>>;

/// An operation on arrays, row-major: y = forward(x), and what a gradient dy of y adds to those of x. Activations are those
/// of x, as if they had been kept; in products the values `used` stand, which are x unless a rule makes them others.
struct Operation {
  std::string name;
  std::vector<std::string> operands;
  std::vector<std::string> gates = {};  // of the first operand, each activated by a sigmoid but for those named in `tanh`
  std::string tanh = {};
  void (*forward)(const Values& x, double* y);
  void (*backward)(const Values& x, const Values& used, const double* y, const double* dy, Gradients& dx);
};

inline double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

/// h' = tanh(x W + h U + b)
inline const Operation rnn{
    .name = "rnn",
    .operands = {"x", "h", "W", "U", "b"},
    .forward = [](const Values& v, double* y) {
      for (std::size_t n = 0; n < batch; ++n)
        for (std::size_t j = 0; j < hidden; ++j) {
          double a = v[4][j];
          for (std::size_t i = 0; i < in; ++i) a += v[0][n * in + i] * v[2][i * hidden + j];
          for (std::size_t i = 0; i < hidden; ++i) a += v[1][n * hidden + i] * v[3][i * hidden + j];
          y[n * hidden + j] = std::tanh(a);
        }
    },
    .backward = [](const Values&, const Values& v, const double* y, const double* dy, Gradients& d) {
      for (std::size_t n = 0; n < batch; ++n)
        for (std::size_t j = 0; j < hidden; ++j) {
          const double da = dy[n * hidden + j] * (1 - y[n * hidden + j] * y[n * hidden + j]);
          d[4][j] += da;
          for (std::size_t i = 0; i < in; ++i) {
            d[0][n * in + i] += da * v[2][i * hidden + j];
            d[2][i * hidden + j] += da * v[0][n * in + i];
          }
          for (std::size_t i = 0; i < hidden; ++i) {
            d[1][n * hidden + i] += da * v[3][i * hidden + j];
            d[3][i * hidden + j] += da * v[1][n * hidden + i];
          }
        }
    }};

/// c' = f c + i g, h' = o tanh(c'), with peepholes p: f and i see c, o sees c'. y = [h', c'].
inline const Operation peephole{
    .name = "peephole",
    .operands = {"z", "c", "p_f", "p_i", "p_o"},
    .gates = {"Forget", "Input", "Candidate", "Output"},
    .tanh = "Candidate",
    .forward = [](const Values& v, double* y) {
      for (std::size_t k = 0; k < batch * hidden; ++k) {
        const std::size_t n = k / hidden, j = k % hidden;
        const double *z = v[0] + n * 4 * hidden + j, c = v[1][k];
        const double now = sigmoid(z[0] + v[2][j] * c) * c + sigmoid(z[hidden] + v[3][j] * c) * std::tanh(z[2 * hidden]);
        y[n * 2 * hidden + j] = sigmoid(z[3 * hidden] + v[4][j] * now) * std::tanh(now);
        y[n * 2 * hidden + hidden + j] = now;
      }
    },
    .backward = [](const Values& v, const Values& used, const double* y, const double* dy, Gradients& d) {
      for (std::size_t k = 0; k < batch * hidden; ++k) {
        const std::size_t n = k / hidden, j = k % hidden;
        const double *z = v[0] + n * 4 * hidden + j, c = v[1][k], now = y[n * 2 * hidden + hidden + j];
        double* dz = d[0].data() + n * 4 * hidden + j;
        const double f = sigmoid(z[0] + v[2][j] * c), i = sigmoid(z[hidden] + v[3][j] * c), g = std::tanh(z[2 * hidden]);
        const double o = sigmoid(z[3 * hidden] + v[4][j] * now), dh = dy[n * 2 * hidden + j];
        const double da_o = dh * std::tanh(now) * o * (1 - o);
        const double dc = dy[n * 2 * hidden + hidden + j] + dh * o * (1 - std::tanh(now) * std::tanh(now)) + da_o * v[4][j];
        const double da_f = dc * used[1][k] * f * (1 - f), da_i = dc * g * i * (1 - i);
        dz[0] += da_f;
        dz[hidden] += da_i;
        dz[2 * hidden] += dc * i * (1 - g * g);
        dz[3 * hidden] += da_o;
        d[1][k] += dc * f + da_f * v[2][j] + da_i * v[3][j];
        d[2][j] += da_f * used[1][k];
        d[3][j] += da_i * used[1][k];
        d[4][j] += da_o * now;
      }
    }};

/// The same without peepholes.
inline const Operation lstm{
    .name = "lstm",
    .operands = {"z", "c"},
    .gates = {"Forget", "Input", "Candidate", "Output"},
    .tanh = "Candidate",
    .forward = [](const Values& v, double* y) {
      const std::vector<double> none(hidden, 0.0);
      peephole.forward({v[0], v[1], none.data(), none.data(), none.data()}, y);
    },
    .backward = [](const Values& v, const Values& used, const double* y, const double* dy, Gradients& d) {
      const std::vector<double> none(hidden, 0.0);
      const auto without_peepholes = [&](const Values& x) { return Values{x[0], x[1], none.data(), none.data(), none.data()}; };
      d.resize(5, none);
      peephole.backward(without_peepholes(v), without_peepholes(used), y, dy, d);
      d.resize(2);
    }};

/// h' = z h + (1 - z) n of the gates' arguments a = [r, z] and the candidate's, n = tanh(x + r u)
inline const Operation gru{
    .name = "gru",
    .operands = {"a", "x", "u", "h"},
    .gates = {"Reset", "Update"},
    .forward = [](const Values& v, double* y) {
      for (std::size_t k = 0; k < batch * hidden; ++k) {
        const double* a = v[0] + k / hidden * 2 * hidden + k % hidden;
        const double r = sigmoid(a[0]), z = sigmoid(a[hidden]);
        y[k] = z * v[3][k] + (1 - z) * std::tanh(v[1][k] + r * v[2][k]);
      }
    },
    .backward = [](const Values& v, const Values& used, const double*, const double* dy, Gradients& d) {
      for (std::size_t k = 0; k < batch * hidden; ++k) {
        const std::size_t at = k / hidden * 2 * hidden + k % hidden;
        const double r = sigmoid(v[0][at]), z = sigmoid(v[0][at + hidden]), n = std::tanh(v[1][k] + r * v[2][k]);
        const double dn = dy[k] * (1 - z) * (1 - n * n);
        d[0][at] += dn * used[2][k] * r * (1 - r);
        d[0][at + hidden] += dy[k] * (used[3][k] - n) * z * (1 - z);
        d[1][k] += dn;
        d[2][k] += dn * r;
        d[3][k] += dy[k] * z;
      }
    }};

/// alpha = softmax(e) along the sources
inline const Operation softmax{
    .name = "softmax",
    .operands = {"e"},
    .forward = [](const Values& v, double* y) {
      for (std::size_t n = 0; n < batch; ++n) {
        double sum = 0;
        for (std::size_t i = 0; i < sources; ++i) sum += std::exp(v[0][n * sources + i]);
        for (std::size_t i = 0; i < sources; ++i) y[n * sources + i] = std::exp(v[0][n * sources + i]) / sum;
      }
    },
    .backward = [](const Values&, const Values&, const double* y, const double* dy, Gradients& d) {
      for (std::size_t n = 0; n < batch; ++n) {
        double dot = 0;
        for (std::size_t i = 0; i < sources; ++i) dot += y[n * sources + i] * dy[n * sources + i];
        for (std::size_t i = 0; i < sources; ++i) d[0][n * sources + i] += y[n * sources + i] * (dy[n * sources + i] - dot);
      }
    }};

/// A read: context = sum_i alpha_i h_i
inline const Operation attention{
    .name = "attention",
    .operands = {"alpha", "memory"},
    .forward = [](const Values& v, double* y) {
      for (std::size_t k = 0; k < batch * hidden; ++k) y[k] = 0;
      for (std::size_t n = 0; n < batch; ++n)
        for (std::size_t i = 0; i < sources; ++i)
          for (std::size_t j = 0; j < hidden; ++j)
            y[n * hidden + j] += v[0][n * sources + i] * v[1][(n * sources + i) * hidden + j];
    },
    .backward = [](const Values& v, const Values&, const double*, const double* dy, Gradients& d) {
      for (std::size_t n = 0; n < batch; ++n)
        for (std::size_t i = 0; i < sources; ++i)
          for (std::size_t j = 0; j < hidden; ++j) {
            d[0][n * sources + i] += dy[n * hidden + j] * v[1][(n * sources + i) * hidden + j];
            d[1][(n * sources + i) * hidden + j] += dy[n * hidden + j] * v[0][n * sources + i];
          }
    }};

/// y = gain (x - mean) / deviation + bias
inline const Operation layer_norm{
    .name = "layer_norm",
    .operands = {"x", "gain", "bias"},
    .forward = [](const Values& v, double* y) {
      for (std::size_t n = 0; n < batch; ++n) {
        const double* x = v[0] + n * hidden;
        double mean = 0, variance = 0;
        for (std::size_t j = 0; j < hidden; ++j) mean += x[j] / hidden;
        for (std::size_t j = 0; j < hidden; ++j) variance += (x[j] - mean) * (x[j] - mean) / hidden;
        for (std::size_t j = 0; j < hidden; ++j)
          y[n * hidden + j] = v[1][j] * (x[j] - mean) / std::sqrt(variance + 1e-3) + v[2][j];
      }
    },
    .backward = [](const Values& v, const Values&, const double*, const double* dy, Gradients& d) {
      for (std::size_t n = 0; n < batch; ++n) {
        const double *x = v[0] + n * hidden, *g = dy + n * hidden;
        double mean = 0, variance = 0, mean_g = 0, mean_gx = 0;
        for (std::size_t j = 0; j < hidden; ++j) mean += x[j] / hidden;
        for (std::size_t j = 0; j < hidden; ++j) variance += (x[j] - mean) * (x[j] - mean) / hidden;
        const double deviation = std::sqrt(variance + 1e-3);
        for (std::size_t j = 0; j < hidden; ++j) {
          mean_g += g[j] * v[1][j] / hidden;
          mean_gx += g[j] * v[1][j] * (x[j] - mean) / deviation / hidden;
        }
        for (std::size_t j = 0; j < hidden; ++j) {
          const double normal = (x[j] - mean) / deviation;
          d[0][n * hidden + j] += (g[j] * v[1][j] - mean_g - normal * mean_gx) / deviation;
          d[1][j] += g[j] * normal;
          d[2][j] += g[j];
        }
      }
    }};

/// Rows of a table, some of them more than once.
inline constexpr std::size_t ids[batch] = {4, 1, 4};
inline const Operation embedding{
    .name = "embedding",
    .operands = {"table"},
    .forward = [](const Values& v, double* y) {
      for (std::size_t n = 0; n < batch; ++n)
        for (std::size_t j = 0; j < hidden; ++j) y[n * hidden + j] = v[0][ids[n] * hidden + j];
    },
    .backward = [](const Values&, const Values&, const double*, const double* dy, Gradients& d) {
      for (std::size_t n = 0; n < batch; ++n)
        for (std::size_t j = 0; j < hidden; ++j) d[0][ids[n] * hidden + j] += dy[n * hidden + j];
    }};

/// The mean of -log softmax(logits) at the targets
inline constexpr std::size_t targets[batch] = {2, 0, 3};
inline const Operation cross_entropy{
    .name = "cross_entropy",
    .operands = {"logits"},
    .forward = [](const Values& v, double* y) {
      *y = 0;
      for (std::size_t n = 0; n < batch; ++n) {
        double sum = 0;
        for (std::size_t c = 0; c < classes; ++c) sum += std::exp(v[0][n * classes + c]);
        *y += (std::log(sum) - v[0][n * classes + targets[n]]) / batch;
      }
    },
    .backward = [](const Values& v, const Values&, const double*, const double* dy, Gradients& d) {
      for (std::size_t n = 0; n < batch; ++n) {
        double sum = 0;
        for (std::size_t c = 0; c < classes; ++c) sum += std::exp(v[0][n * classes + c]);
        for (std::size_t c = 0; c < classes; ++c)
          d[0][n * classes + c] += *dy * (std::exp(v[0][n * classes + c]) / sum - (c == targets[n])) / batch;
      }
    }};

}  // namespace hindsight::mutants
