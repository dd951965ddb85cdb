// The smallest program that uses the library: what a consumer's own code looks like.
#include "autodiff/error.hpp"

#include <cstdio>

#ifndef HWY_COMPILE_ONLY_STATIC
#error "the flags that inline code depends on do not reach the consumer"
#endif

int main() {
  try {
    throw hindsight::Error("caught by a consumer");
  } catch (const hindsight::Error& error) {
    std::puts(error.what());
  }
}
