// The headers of the library that exercises use, compiled once so that each check compiles in seconds.
#include "autodiff/backward.hpp"
#include "autodiff/gradcheck.hpp"
#include "autodiff/loss.hpp"
#include "layers/gru.hpp"
#include "layers/peephole_lstm.hpp"
#include "layers/reads.hpp"
#include "layers/rnn.hpp"
#include "layers/unroll.hpp"
