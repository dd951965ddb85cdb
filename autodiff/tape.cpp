#include "autodiff/tape.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "autodiff/float_mode.hpp"

namespace hindsight {
namespace {

// Numbers that no two recordings or passes of the process share.
std::uint64_t next_number() {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

}  // namespace

void Node::begin(std::uint64_t current_pass) {
  pass = current_pass;
  if (!accumulates)
    std::memset(gradient, 0, bytes);
  else if (KeptGradients* kept = Tape::current().kept_)
    kept->keep(*this);
}

void Node::edited() {
  throw TapeError(
      "backward: a parameter was edited after the forward pass had read it, so that its gradient would be that of "
      "another value: run backward before the edit, or tape.reset(), clear the gradients and compute again");
}

Statement Entry::statement() const {
  StatementText text;
  describe(*this, text);
  return text.statement();
}

void KeptGradients::keep(Node& node) {
  const auto* gradient = static_cast<const std::byte*>(node.gradient);
  const auto same = [&node](const auto& kept) { return kept.first == &node; };
  if (std::none_of(gradients_.begin(), gradients_.end(), same))
    gradients_.emplace_back(&node, std::vector<std::byte>(gradient, gradient + node.bytes));
  std::memset(node.gradient, 0, node.bytes);
}

KeptGradients::~KeptGradients() {
  for (const auto& [node, gradient] : gradients_)
    if (node->bytes > 0) std::memcpy(node->gradient, gradient.data(), node->bytes);
  tape_.kept_ = outer_;
}

Tape::Tape() : generation_(next_number()), pass_(generation_), outer_(current_) { current_ = this; }

Tape::Tape(std::nullptr_t) : generation_(next_number()), pass_(generation_), outer_(nullptr), is_beneath_(true) {}

Tape::~Tape() {
  Tape** link = &current_;
  while (*link && *link != this) link = &(*link)->outer_;
  if (*link) *link = outer_;
}

void Tape::reset() {
  if (is_beneath_ || waits_)
    throw TapeError("tape.reset() inside of a function that checkpoint runs: reset the tape before or after it");
  restart();
}

void Tape::restart() {
  peak_with_beneath_ = 0;
  arena_.reset();
  last_ = nullptr;
  size_ = 0;
  generation_ = next_number();
  used_up_ = false;
  deferred_.clear();
  names_.clear();
}

std::size_t Tape::capacity() const { return arena_.capacity() + (beneath_ ? beneath_->capacity() : 0); }

std::size_t Tape::peak() const { return std::max(used(), peak_with_beneath_); }

void Tape::append(Entry& entry, void* value, std::size_t bytes, void* gradient, Where where) {
  entry.gradient = gradient;
  entry.bytes = entry.value_bytes = bytes;
  entry.previous = last_;
  entry.value = value;
  entry.where = where;
  last_ = &entry;
  ++size_;
  if (watcher_) watcher_->recorded(entry);
}

std::uint64_t Tape::begin_pass() {
  if (is_beneath_ || waits_)
    throw TapeError(
        "backward inside of a function that checkpoint runs: the function computes, and backward is called outside of "
        "it");
  deferred_.clear();
  return pass_ = next_number();
}

void Tape::run_backward(const void* value, std::uint64_t pass) {
  const auto holds = [value](const Entry& e) {
    const auto* begin = static_cast<const std::byte*>(e.value);
    const auto* v = static_cast<const std::byte*>(value);
    return begin <= v && v < begin + e.value_bytes;
  };
  // A gradient that has vanished so far would else make every product it meets several times as slow.
  const UseFloatMode guard(FloatMode::current().with_subnormals_as_zero());
  Entry* entry = last_;
  while (value && entry && !holds(*entry)) entry = entry->previous;
  for (; entry; entry = entry->previous)
    if (entry->gradient && entry->reached(pass)) entry->backward(*entry, pass);
  flush_deferred();
}

void Tape::run_alone(const Entry& entry, std::uint64_t pass) {
  entry.backward(entry, pass);
  flush_deferred();
}

void Tape::flush_deferred() {
  for (Deferred* deferred : deferred_) deferred->flush();
  deferred_.clear();
}

void Tape::use_up() {
  if (used_up_)
    throw TapeError(
        "backward(loss): this recording was run backwards before; call tape.reset() and record again, or use "
        "backward(y, seed) for several seeds on one recording");
  used_up_ = true;
}

void Tape::only_real_numbers() {
  throw TapeError("complex numbers are computed and not differentiated: create a hindsight::NoRecording first");
}

void Tape::no_tape() { throw TapeError("no tape: create a hindsight::Tape before computing with variables"); }

void Tape::empty_handle() { throw TapeError("a variable that was never given a value was used"); }

void Tape::stale_handle() {
  if (current_ && current_->is_beneath_)
    throw TapeError(
        "checkpoint(f, ..): f uses a variable that is not one of its arguments and was not made in it: pass it to "
        "checkpoint, which runs f again on its arguments alone");
  throw TapeError(
      "a variable of another recording was used: handles end with tape.reset() and with their tape; "
      "make it anew on the current tape");
}

}  // namespace hindsight
