#include "autodiff/stretch.hpp"

#include <algorithm>

namespace hindsight {

Tape& Stretch::beneath(Tape& tape) {
  if (!tape.beneath_) tape.beneath_.reset(new Tape(nullptr));
  return *tape.beneath_;
}

Stretch::Stretch(const Circumstances& circumstances, bool recording)
    : outside_(Tape::current()),
      tape_(beneath(outside_)),
      mode_(circumstances.mode),
      versions_before_(Node::versions_read),
      waited_(outside_.waits_) {
  tape_.restart();
  tape_.occasion = circumstances.occasion;
  tape_.recording_ = recording;
  tape_.pass_ = outside_.pass_;
  tape_.kept_ = outside_.kept_;
  outside_.waits_ = true;
  Tape::current_ = &tape_;
}

Stretch::~Stretch() {
  outside_.peak_with_beneath_ = std::max(outside_.peak_with_beneath_, outside_.used() + tape_.peak());
  outside_.waits_ = waited_;
  Tape::current_ = &outside_;
}

void Stretch::run_backward(std::uint64_t pass) {
  outside_.flush_deferred();  // so that what is left with a parameter from here on is all of this stretch
  tape_.run_backward(nullptr, pass);
}

}  // namespace hindsight
