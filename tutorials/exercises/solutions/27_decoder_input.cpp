// 27. Find the bug: what a decoder is fed
//
//     s_t = step(y_{t-1}, s_{t-1})        p(y_t) = softmax(W s_t + b)        y_0 = bos, "begin of sentence"
//
// In training the decoder gets the right symbols as its inputs and is to say the right symbols. This one
// reaches a loss of 0 in no time, and writes nonsense when it has to write alone.
#include <vector>

/// The inputs of a decoder, one for each of its targets y_1 .. y_T
std::vector<int> decoder_inputs(const std::vector<int>& targets, int bos) {
  // Shifted by one: at step t it sees y_{t-1} and is asked for y_t. Else it need only copy, and learns nothing else.
  std::vector<int> inputs{bos};
  inputs.insert(inputs.end(), targets.begin(), targets.end() - 1);
  return inputs;
}
