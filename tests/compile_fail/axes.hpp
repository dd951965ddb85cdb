// The axes of the shape mistakes.
#pragma once

#include "autodiff/axis.hpp"

struct Batch : hindsight::Axis<32> {};
struct Hidden : hindsight::Axis<128> {};
struct In : hindsight::Axis<64> {};
struct Half : hindsight::Axis<64> {};
struct Class : hindsight::Axis<10> {};
struct Source : hindsight::Axis<> {};
struct Target : hindsight::Axis<> {};
struct Vocabulary : hindsight::Axis<> {};
