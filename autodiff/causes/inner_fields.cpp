#include <algorithm>
#include <span>

#include "autodiff/causes/evidence.hpp"

namespace hindsight::causes {
namespace {

/// a b, summed over an axis that both have; with three axes in b, over its last, with the others of a's in common.
std::vector<Field> products(const Field& a, const Field& b) {
  std::vector<Field> all;
  if (a.axes.size() != 2) return all;
  if (b.axes.size() == 2) {  // x W, or x W^T where W has its rows last
    const std::size_t rows = a.axes[0].extent, inner = a.axes[1].extent;
    for (const bool rows_last : {false, true}) {
      const NamedAxis &summed = b.axes[rows_last ? 1 : 0], &kept = b.axes[rows_last ? 0 : 1];
      if (!alike(a.axes[1], summed) || alike(a.axes[0], kept)) continue;
      Field y{a.name + " " + b.name + (rows_last ? "^T" : ""),
              {a.axes[0], kept},
              std::vector<double>(rows * kept.extent, 0.0)};
      for (std::size_t n = 0; n < rows; ++n)
        for (std::size_t i = 0; i < inner; ++i)
          for (std::size_t j = 0; j < kept.extent; ++j)
            y.values[n * kept.extent + j] +=
                a.values[n * inner + i] * b.values[rows_last ? j * inner + i : i * kept.extent + j];
      all.push_back(std::move(y));
    }
  }
  if (b.axes.size() == 3 && alike(a.axes[1], b.axes[2])) {  // a query and the states of a memory
    const std::size_t rows = a.axes[0].extent, inner = a.axes[1].extent;
    const bool batch_first = alike(a.axes[0], b.axes[0]);
    if (!batch_first && !alike(a.axes[0], b.axes[1])) return all;
    const NamedAxis& source = b.axes[batch_first ? 1 : 0];
    Field y{a.name + " " + b.name, {b.axes[0], b.axes[1]}, std::vector<double>(rows * source.extent, 0.0)};
    for (std::size_t n = 0; n < rows; ++n)
      for (std::size_t i = 0; i < source.extent; ++i) {
        const std::size_t at = batch_first ? n * source.extent + i : i * rows + n;
        for (std::size_t h = 0; h < inner; ++h) y.values[at] += a.values[n * inner + h] * b.values[at * inner + h];
      }
    all.push_back(std::move(y));
  }
  return all;
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

std::vector<Field> inner_fields(const CheckedMap& map) {
  std::vector<Field> all;
  for (const MapOperand& a : map.operands)
    for (const MapOperand& b : map.operands)
      if (&a != &b)
        for (Field& y : products(a.field, b.field)) all.push_back(std::move(y));
  const std::size_t products = all.size();
  for (const MapOperand& operand : map.operands)
    for (std::size_t d = 0; operand.field.axes.size() == 2 && d < 2 && map.operands.size() == 1; ++d)
      all.push_back(softmax(operand.field, d));
  for (std::size_t a = 0; a < map.operands.size(); ++a)
    for (std::size_t b = a + 1; b < map.operands.size(); ++b) {
      const Field &x = map.operands[a].field, &y = map.operands[b].field;
      if (x.axes != y.axes || x.axes.size() != 2 || map.operands.size() > 6) continue;
      Field sum{x.name + " + " + y.name, x.axes, x.values};
      for (std::size_t i = 0; i < sum.values.size(); ++i) sum.values[i] += y.values[i];
      all.push_back(std::move(sum));
    }
  if (products == 0) return all;
  // A sum has one product of each matrix: x W + h U, and where more than one operand fits on U, each of them once.
  std::vector<Field> sums{{"", all[0].axes, std::vector<double>(all[0].values.size(), 0.0)}};
  for (const MapOperand& matrix : map.operands) {
    std::vector<Field> longer;
    for (const Field& sum : sums)
      for (const Field& product : std::span(all).first(products))
        if (product.axes == sum.axes && product.name.ends_with(" " + matrix.field.name)) {
          longer.push_back(sum);
          longer.back().name += (sum.name.empty() ? "" : " + ") + product.name;
          for (std::size_t i = 0; i < sum.values.size(); ++i) longer.back().values[i] += product.values[i];
        }
    if (!longer.empty() && longer.size() <= 16) sums = std::move(longer);
  }
  for (Field& sum : sums) {
    for (const MapOperand& bias : map.operands)
      if (bias.field.axes.size() == 1 || bias.field.axes == sum.axes)
        if (const auto values = spread(bias.field, sum.axes)) {
          sum.name += " + " + bias.field.name;
          for (std::size_t i = 0; i < sum.values.size(); ++i) sum.values[i] += (*values)[i];
        }
    if (sum.name != all[0].name) all.push_back(std::move(sum));
  }
  for (std::size_t p = 0; p < products; ++p)
    for (std::size_t d = 0; d < all[p].axes.size(); ++d) all.push_back(softmax(all[p], d));
  return all;
}

}  // namespace hindsight::causes
