// The axes that models share. How long they are is known at run time only: a vocabulary comes from a
// text, a batch is whatever is left of it.
#pragma once

#include "autodiff/axis.hpp"

namespace hindsight {

struct Vocab : Axis<> {};  ///< symbols: characters, words, phonemes
struct Tags : Axis<> {};   ///< what a tagger tells apart
struct Time : Axis<> {};   ///< steps of a sequence
struct Batch : Axis<> {};  ///< sequences side by side

struct Source : Axis<> {};       ///< positions i of a source sentence
struct Target : Axis<> {};       ///< steps t of a target sentence
struct SourceVocab : Axis<> {};  ///< symbols of the source
struct TargetVocab : Axis<> {};  ///< symbols of the target

}  // namespace hindsight
