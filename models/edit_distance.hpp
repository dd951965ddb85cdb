// How far found sequences are from the expected ones, counted in symbols and in whole sequences.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace hindsight {

/// The least number of insertions, deletions and substitutions that turn a into b
/// (V. Levenshtein, "Binary codes capable of correcting deletions, insertions, and reversals", 1966):
///
///     d(0, j) = j      d(i, 0) = i
///     d(i, j) = min(d(i-1, j) + 1, d(i, j-1) + 1, d(i-1, j-1) + [a_i != b_j])
std::size_t edit_distance(std::span<const int> a, std::span<const int> b);

/// The error rate of a corpus, each sentence measured against its nearest reference:
///
///     sum_s d(hypothesis_s, nearest_s) / sum_s length(nearest_s)
///
/// over phonemes the phoneme error rate. Of references equally near, the shortest one's length counts.
/// It exceeds 1 where the hypotheses are much too long.
///
/// Throws Error if there are not as many lists of references as hypotheses, if a sentence has no reference,
/// and if the nearest references hold no symbol, as in an empty corpus: 0 would mean that all is right.
double error_rate(std::span<const std::vector<int>> hypotheses,
                  std::span<const std::vector<std::vector<int>>> references);

/// The word error rate of a pronunciation dictionary: the share of words whose hypothesis equals none of
/// the word's references. Throws Error as `error_rate` does, and for no words.
double word_error_rate(std::span<const std::vector<int>> hypotheses,
                       std::span<const std::vector<std::vector<int>>> references);

/// The share of the counted positions of the references, those that hold no negative number, at which the
/// hypothesis holds the same token; 0 if there are none. Behind a hypothesis's end all is wrong; what it
/// has behind the reference's end is not looked at. Throws Error if the numbers of sequences differ.
double token_accuracy(std::span<const std::vector<int>> hypotheses, std::span<const std::vector<int>> references);

/// The share of hypotheses that equal their reference, token by token and in length; 0 if there are none.
/// Throws Error if the numbers of sequences differ.
double sequence_accuracy(std::span<const std::vector<int>> hypotheses, std::span<const std::vector<int>> references);

}  // namespace hindsight
