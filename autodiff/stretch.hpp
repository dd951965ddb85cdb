// A stretch of a computation that is recorded on a tape of its own, beneath the one that records, and forgotten when
// it ends. checkpoint.hpp is made of it.
#pragma once

#include "autodiff/float_mode.hpp"
#include "autodiff/tape.hpp"

namespace hindsight {

/// What a function's values depend on besides its arguments and the parameters that it reads.
struct Circumstances {
  Occasion occasion;
  FloatMode mode;

  /// Those of the current tape.
  static Circumstances current() { return {Tape::current().occasion, FloatMode::current()}; }
};

/// While it lives, the tape beneath the current one is the one that records, emptied first: its memory is that of the
/// longest stretch, and not of them all. Handles of either tape are refused on the other one.
class Stretch {
 public:
  Stretch(const Circumstances& circumstances, bool recording);
  ~Stretch();
  Stretch(const Stretch&) = delete;
  Stretch& operator=(const Stretch&) = delete;

  /// How the versions of the parameters that were read since the beginning add up.
  std::uint64_t versions_read() const { return Node::versions_read - versions_before_; }

  /// Runs the stretch backwards as a part of a pass of the tape outside.
  void run_backward(std::uint64_t pass);

 private:
  static Tape& beneath(Tape& tape);

  Tape& outside_;
  Tape& tape_;
  UseFloatMode mode_;
  std::uint64_t versions_before_;
  bool waited_;
};

}  // namespace hindsight
