#include <algorithm>

#include "autodiff/causes/evidence.hpp"

namespace hindsight::causes {
namespace {

bool alike(const NamedAxis& a, const NamedAxis& b) { return a.extent == b.extent && bare(a.name) == bare(b.name); }

/// a b, summed over the last axis of a, where that is the first of b, or the last of both with their first in common.
std::optional<Field> product(const Field& a, const Field& b) {
  if (a.axes.size() != 2 || b.axes.size() < 2 || b.axes.size() > 3) return {};
  const std::size_t rows = a.axes[0].extent, inner = a.axes[1].extent;
  if (b.axes.size() == 2 && alike(a.axes[1], b.axes[0])) {  // x W
    const std::size_t columns = b.axes[1].extent;
    Field y{a.name + " " + b.name, {a.axes[0], b.axes[1]}, std::vector<double>(rows * columns, 0.0)};
    for (std::size_t n = 0; n < rows; ++n)
      for (std::size_t i = 0; i < inner; ++i)
        for (std::size_t j = 0; j < columns; ++j) y.values[n * columns + j] += a.values[n * inner + i] * b.values[i * columns + j];
    return y;
  }
  if (b.axes.size() == 3 && alike(a.axes[1], b.axes[2])) {  // a query and the states of a memory
    const bool batch_first = alike(a.axes[0], b.axes[0]);
    if (!batch_first && !alike(a.axes[0], b.axes[1])) return {};
    const NamedAxis& source = b.axes[batch_first ? 1 : 0];
    Field y{a.name + " " + b.name, {b.axes[0], b.axes[1]}, std::vector<double>(rows * source.extent, 0.0)};
    for (std::size_t n = 0; n < rows; ++n)
      for (std::size_t i = 0; i < source.extent; ++i) {
        const std::size_t at = batch_first ? n * source.extent + i : i * rows + n;
        for (std::size_t h = 0; h < inner; ++h) y.values[at] += a.values[n * inner + h] * b.values[at * inner + h];
      }
    return y;
  }
  return {};
}

/// softmax along axis d.
Field softmax(const Field& e, std::size_t d) {
  Field y = e;
  y.name = "softmax(" + e.name + ")";
  std::size_t stride = 1;
  for (std::size_t inner = d + 1; inner < e.axes.size(); ++inner) stride *= e.axes[inner].extent;
  const std::size_t extent = e.axes[d].extent;
  std::vector<double> sums(e.values.size(), 0.0);
  const auto slice = [&](std::size_t i) { return i / (stride * extent) * stride * extent + i % stride; };
  for (std::size_t i = 0; i < e.values.size(); ++i) sums[slice(i)] += y.values[i] = std::exp(e.values[i]);
  for (std::size_t i = 0; i < e.values.size(); ++i) y.values[i] /= sums[slice(i)];
  return y;
}

}  // namespace

std::string_view bare(std::string_view name) {
  while (name.starts_with("From<") || name.starts_with("Next<")) name = name.substr(5, name.size() - 6);
  return name;
}

std::vector<Field> inner_fields(const CheckedMap& map) {
  std::vector<Field> all;
  for (const MapOperand& a : map.operands)
    for (const MapOperand& b : map.operands)
      if (&a != &b)
        if (auto y = product(a.field, b.field)) all.push_back(std::move(*y));
  const std::size_t products = all.size();
  if (products == 0) return all;
  Field sum = all[0];
  for (std::size_t p = 1; p < products; ++p)
    if (all[p].axes == sum.axes) {
      sum.name += " + " + all[p].name;
      for (std::size_t i = 0; i < sum.values.size(); ++i) sum.values[i] += all[p].values[i];
    }
  for (const MapOperand& bias : map.operands)
    if (bias.field.axes.size() == 1)
      if (const auto values = spread(bias.field, sum.axes)) {
        sum.name += " + " + bias.field.name;
        for (std::size_t i = 0; i < sum.values.size(); ++i) sum.values[i] += (*values)[i];
      }
  if (sum.name != all[0].name) all.push_back(std::move(sum));
  for (std::size_t p = 0; p < products; ++p)
    for (std::size_t d = 0; d < all[p].axes.size(); ++d) all.push_back(softmax(all[p], d));
  return all;
}

}  // namespace hindsight::causes
