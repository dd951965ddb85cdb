// The names of gates. A block of gates is an axis made of them: Gates<H, Forget, Input>.
#pragma once

namespace hindsight {

struct Forget;     // LSTM: what of the memory stays
struct Input;      // LSTM: what of the candidate is written
struct Candidate;  // LSTM, GRU: what may be written
struct Output;     // LSTM: what of the memory is shown
struct Reset;      // GRU: what of the state the candidate sees
struct Update;     // GRU: what of the state stays

}  // namespace hindsight
