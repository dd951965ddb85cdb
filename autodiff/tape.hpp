// The tape: what was computed, in order, so that it can be walked backwards.
//
// An entry is one statement: where its value and gradient lie, a function that runs it backwards,
// and a closure with what that function needs. All of it lies in an arena and is trivially
// destructible; backward is one flat loop over the entries in reverse, so a million steps deep is
// fine. docs/engine.md explains the whole, docs/operation.md how to add an operation.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

#include "autodiff/arena.hpp"
#include "autodiff/description.hpp"
#include "autodiff/error.hpp"
#include "autodiff/statement_text.hpp"

namespace hindsight {

class KeptGradients;
class Stretch;

/// A block of gradients. It is cleared when a backward pass first adds to it, never before: a
/// gradient that nothing reaches costs nothing, and a statement it belongs to is not run.
/// Parameters' blocks are not cleared: they accumulate, until whoever owns them clears them.
struct Node {
  void* gradient = nullptr;
  std::size_t bytes = 0;
  std::uint64_t pass = 0;  // the last backward pass that added to it
  bool accumulates = false;
  std::uint32_t version = 0;  // counts the edits of a parameter's value

  bool reached(std::uint64_t current_pass) const { return pass >= current_pass; }
  void reach(std::uint64_t current_pass) {
    if (!reached(current_pass)) begin(current_pass);
  }
  /// The same for one who goes on to write all of the block. True: he is the first, nothing was cleared, and he
  /// has to assign rather than to add.
  bool reach_whole(std::uint64_t current_pass) {
    const bool first = !reached(current_pass) && !accumulates;
    if (first)
      pass = current_pass;
    else
      reach(current_pass);
    return first;
  }
  /// Throws TapeError for a parameter that was edited since a statement read it at version `read`.
  void check_unedited(std::uint32_t read) const {
    if (version != read) edited();
  }
  [[noreturn]] static void edited();

  /// The sum of the versions at which this thread has read parameters: another one, if a function that is run again
  /// reads one that was edited.
  inline static thread_local std::uint64_t versions_read = 0;

 private:
  void begin(std::uint64_t current_pass);
};

/// A statement on the tape. What it needs to run backwards lies behind it in memory.
struct Entry : Node {
  using Backward = void (*)(const Entry&, std::uint64_t pass);
  using Describe = void (*)(const Entry&, StatementText&);
  Backward backward = nullptr;  // adds to the operands' gradients
  Describe describe = nullptr;
  Entry* previous = nullptr;    // in the order of recording
  void* value = nullptr;        // the result
  std::size_t value_bytes = 0;
  Where where;

  /// What it says of itself.
  Statement statement() const;
};

/// Sees each statement when it has just been computed and recorded.
struct Watcher {
  virtual void recorded(Entry& entry) = 0;

 protected:
  ~Watcher() = default;
};

/// Gradients that a backward pass leaves with a parameter, to be worked off when the pass ends.
struct Deferred {
  virtual void flush() = 0;

 protected:
  ~Deferred() = default;
};

/// What random layers draw by, besides their own path: the same occasion gives the same draw, whatever
/// was called before.
struct Occasion {
  std::uint64_t seed = 0;
  std::uint64_t step = 0;  // of training
  std::uint64_t time = 0;  // in the sequence; set by unroll
  bool training = false;   // dropout drops
};

/// Records statements. The newest living tape of a thread is the one that records (TrainingStep aside); there is one
/// backward pass a recording, and `reset` begins the next one in the same memory.
class Tape {
 public:
  Tape();
  ~Tape();
  Tape(const Tape&) = delete;
  Tape& operator=(const Tape&) = delete;

  /// The newest tape of this thread. Throws TapeError if there is none.
  static Tape& current() {
    if (!current_) no_tape();
    return *current_;
  }

  /// Forgets what was recorded: every handle from before is refused from here on. Throws TapeError inside of a
  /// function that `checkpoint` runs.
  void reset();

  bool recording() const { return recording_; }

  /// Set by TrainingStep, or by a training loop of one's own.
  Occasion occasion;

  std::uint64_t generation() const { return generation_; }

  /// How many statements are recorded.
  std::size_t size() const { return size_; }

  /// Bytes the tape holds; constant once the longest recording has been seen.
  std::size_t capacity() const;

  /// Bytes that this recording takes: values, gradients and the statements themselves.
  std::size_t used() const { return arena_.used(); }

  /// The most bytes it took at one time: more than `used` where `checkpoint` (checkpoint.hpp) ran a function.
  std::size_t peak() const;

  /// The last entry; the others follow by `previous`.
  const Entry* last() const { return last_; }

  /// Calls a tensor by a name in graphs and messages.
  void name(Name name) { names_.push_back(std::move(name)); }
  const std::vector<Name>& names() const { return names_; }

  /// Refuses a handle that another recording made. Generation 0 stands for what no tape owns.
  void check(std::uint64_t generation) const {
    if (generation != 0 && generation != generation_) stale_handle();
  }

  /// Throws TapeError for a handle that stands for nothing.
  [[noreturn]] static void empty_handle();

  /// `count` uninitialised T, until reset.
  template <class T>
  T* allocate(std::size_t count) {
    static_assert(std::is_trivially_destructible_v<T>);
    return reinterpret_cast<T*>(arena_.allocate(count * sizeof(T)));
  }

  /// A new entry that holds `closure`, which must have `backward(pass)` and `describe(text)`, and whose result
  /// is `value`, `size` elements. Throws TapeError for complex numbers: nothing is differentiated by them.
  template <class T, class Closure>
  Entry* record(T* value, std::size_t size, T* gradient, Where where, Closure closure) {
    static_assert(std::is_trivially_destructible_v<Closure>, "what lies in the arena is never destroyed");
    if constexpr (!std::floating_point<T>) {
      only_real_numbers();
    } else {
      struct Held : Entry {
        Closure closure;
        explicit Held(Closure c) : closure(std::move(c)) {}
      };
      auto* entry = new (arena_.allocate(sizeof(Held))) Held(std::move(closure));
      entry->backward = [](const Entry& e, std::uint64_t pass) { static_cast<const Held&>(e).closure.backward(pass); };
      entry->describe = [](const Entry& e, StatementText& text) { static_cast<const Held&>(e).closure.describe(text); };
      append(*entry, value, size * sizeof(T), gradient, where);
      return entry;
    }
  }

  /// Begins a backward pass and returns its number. Gradients of earlier passes count as cleared.
  std::uint64_t begin_pass();
  /// Runs the entries backwards, from the one that made `value` (null: the last) to the first, then the deferred.
  void run_backward(const void* value, std::uint64_t pass);
  /// Runs one entry backwards and no other, then the deferred.
  void run_alone(const Entry& entry, std::uint64_t pass);
  std::uint64_t pass() const { return pass_; }

  /// Marks the recording as used up by `backward(loss)`. Throws TapeError the second time.
  void use_up();

  /// Shows `watcher` every statement from here on; null: nobody.
  void watch(Watcher* watcher) { watcher_ = watcher; }

  /// Runs `deferred.flush()` when the pass ends.
  void defer(Deferred* deferred) { deferred_.push_back(deferred); }

 private:
  explicit Tape(std::nullptr_t);  // one beneath another tape
  void restart();
  void append(Entry& entry, void* value, std::size_t bytes, void* gradient, Where where);
  void flush_deferred();
  friend class Stretch;
  friend class NoRecording;
  friend class TrainingStep;
  friend class KeptGradients;
  friend struct Node;
  [[noreturn]] static void no_tape();
  [[noreturn]] static void only_real_numbers();
  [[noreturn]] static void stale_handle();

  inline static thread_local Tape* current_ = nullptr;

  Arena arena_;
  Entry* last_ = nullptr;
  std::size_t size_ = 0;
  std::uint64_t generation_;
  std::uint64_t pass_;
  bool recording_ = true;
  bool used_up_ = false;
  Watcher* watcher_ = nullptr;
  std::vector<Deferred*> deferred_;
  std::vector<Name> names_;
  Tape* outer_;
  KeptGradients* kept_ = nullptr;
  std::unique_ptr<Tape> beneath_;  // records what `checkpoint` runs
  std::size_t peak_with_beneath_ = 0;
  bool is_beneath_ = false;
  bool waits_ = false;  // for the tape beneath it
};

/// While it lives, backward passes find parameters' gradients at zero, and when it ends they are as
/// they were before.
class KeptGradients {
 public:
  explicit KeptGradients(Tape& tape) : tape_(tape), outer_(tape.kept_) { tape.kept_ = this; }
  ~KeptGradients();
  KeptGradients(const KeptGradients&) = delete;
  KeptGradients& operator=(const KeptGradients&) = delete;

 private:
  friend struct Node;
  void keep(Node& node);

  Tape& tape_;
  KeptGradients* outer_;
  std::vector<std::pair<Node*, std::vector<std::byte>>> gradients_;
};

/// While it lives, statements are computed and not recorded: nothing can be differentiated.
class NoRecording {
 public:
  NoRecording() : tape_(Tape::current()), before_(tape_.recording_) { tape_.recording_ = false; }
  ~NoRecording() { tape_.recording_ = before_; }
  NoRecording(const NoRecording&) = delete;
  NoRecording& operator=(const NoRecording&) = delete;

 private:
  Tape& tape_;
  bool before_;
};

/// A training step on a tape that is kept from one step to the next. While it lives, that tape, emptied first, is
/// the one that records, whatever tapes are newer, and random layers draw by the seed and the step's number.
/// A newer tape must not end meanwhile.
class TrainingStep {
 public:
  TrainingStep(Tape& tape, std::uint64_t seed, std::uint64_t step) : tape_(tape), newest_(Tape::current_) {
    tape.reset();
    tape.occasion = {seed, step, 0, true};
    Tape::current_ = &tape;
  }
  ~TrainingStep() {
    Tape::current_ = newest_;
    tape_.occasion = {};
  }
  TrainingStep(const TrainingStep&) = delete;
  TrainingStep& operator=(const TrainingStep&) = delete;

 private:
  Tape& tape_;
  Tape* newest_;
};

}  // namespace hindsight
