#include "models/ngram.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "autodiff/error.hpp"

namespace hindsight {
namespace {

// The context of `length` symbols before i as one number: its digits in base `symbols`.
std::uint64_t key_of(std::span<const int> text, std::size_t i, std::size_t length, std::size_t symbols) {
  std::uint64_t key = 0;
  for (std::size_t k = i - length; k < i; ++k) key = key * symbols + static_cast<std::uint64_t>(text[k]);
  return key;
}

}  // namespace

Ngram::Ngram(std::size_t order, std::size_t symbols, std::span<const int> text)
    : order_(order), symbols_(symbols), contexts_(order) {
  if (order == 0 || symbols == 0) throw Error("n-gram: it needs an order and symbols, both at least 1");
  if (std::pow(static_cast<double>(symbols), static_cast<double>(order)) > 1e18)
    throw Error("n-gram: contexts of order " + std::to_string(order) + " over " + std::to_string(symbols) +
                " symbols do not fit a 64-bit key");
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] < 0 || static_cast<std::size_t>(text[i]) >= symbols)
      throw Error("n-gram: symbol " + std::to_string(text[i]) + " at position " + std::to_string(i) + " is not one of 0.." +
                  std::to_string(symbols - 1));
    for (std::size_t length = 0; length < order && length <= i; ++length) {
      Context& context = contexts_[length][key_of(text, i, length, symbols)];
      ++context.seen;
      ++context.next[text[i]];
    }
  }
}

double Ngram::probability(std::span<const int> text, std::size_t i) const {
  double p = 1.0 / static_cast<double>(symbols_);
  for (std::size_t length = 0; length < order_ && length <= i; ++length) {
    const auto found = contexts_[length].find(key_of(text, i, length, symbols_));
    if (found == contexts_[length].end()) break;
    const Context& context = found->second;
    const auto next = context.next.find(text[i]);
    const double count = next == context.next.end() ? 0.0 : static_cast<double>(next->second);
    const double different = static_cast<double>(context.next.size());
    p = (count + different * p) / (static_cast<double>(context.seen) + different);
  }
  return p;
}

double Ngram::bits(std::span<const int> text) const {
  double sum = 0;
  for (std::size_t i = 0; i < text.size(); ++i) sum -= std::log2(probability(text, i));
  return text.empty() ? 0 : sum / static_cast<double>(text.size());
}

}  // namespace hindsight
