// How the processor computes with floats: how it rounds, and whether what is smaller than the smallest normal number
// is 0. (On x86; other processors are left as they are.)
#pragma once

#ifdef __SSE__
#include <xmmintrin.h>
#endif

namespace hindsight {

/// A mode of the processor.
class FloatMode {
 public:
  /// The one that this thread is in.
  static FloatMode current() {
    FloatMode mode;
#ifdef __SSE__
    mode.bits_ = _mm_getcsr();
#endif
    return mode;
  }

  /// The same, with what is smaller than the smallest normal number as 0, in operands and in results.
  FloatMode with_subnormals_as_zero() const {
    FloatMode mode;
    mode.bits_ = bits_ | results | operands;
    return mode;
  }

 private:
  friend class UseFloatMode;
  static constexpr unsigned results = 0x8000, operands = 0x0040;
  unsigned bits_ = 0;
};

/// While it lives, this thread computes in a mode.
class UseFloatMode {
 public:
  explicit UseFloatMode(FloatMode mode) : before_(FloatMode::current()) { set(mode); }
  ~UseFloatMode() { set(before_); }
  UseFloatMode(const UseFloatMode&) = delete;
  UseFloatMode& operator=(const UseFloatMode&) = delete;

 private:
  static void set([[maybe_unused]] FloatMode mode) {
#ifdef __SSE__
    _mm_setcsr(mode.bits_);
#endif
  }

  FloatMode before_;
};

}  // namespace hindsight
