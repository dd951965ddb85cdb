// The headers of the library that exercises use, compiled once so that each check compiles in seconds.
// (Without gradcheck.hpp, on which Clang 14 crashes when it is precompiled.)
#include "autodiff/backward.hpp"
#include "autodiff/loss.hpp"
#include "layers/gru.hpp"
#include "layers/peephole_lstm.hpp"
#include "layers/reads.hpp"
#include "layers/rnn.hpp"
#include "layers/unroll.hpp"
