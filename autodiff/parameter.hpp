// A parameter owns its value and its gradient outside the tape, and is a leaf by itself.
//
// Its gradient accumulates over backward passes until it is cleared. What a product leaves for a
// weight matrix is deferred: each step adds the pair (input, output gradient), and one large
// product over all steps runs at the end of the pass.
#pragma once

#include <algorithm>
#include <memory>
#include <span>
#include <vector>

#include "autodiff/kernels/gemm.hpp"
#include "autodiff/var.hpp"

namespace hindsight {

/// What a parameter owns, at an address that stays.
template <class T>
struct ParameterCore final : Node, Deferred {
  explicit ParameterCore(std::size_t size);
  ParameterCore(const ParameterCore&);

  /// Takes over the values of another of this size, and which of them are frozen.
  void copy(const ParameterCore& other);

  std::size_t size() const { return size_; }
  T* value() { return value_.get(); }
  T* gradient() { return gradient_.get(); }

  /// The parameter as the right-hand matrix (k x n) of a product, packed; made anew when the
  /// value has changed since.
  const T* packed(std::size_t k, std::size_t n, std::size_t row_stride, std::size_t col_stride);

  /// Adds left^T right to the gradient, seen as rows x cols, when the pass ends.
  void defer(std::size_t rows, std::size_t cols, const kernels::OuterBlock<T>& block, std::uint64_t pass);
  void flush() override;

  /// Edits under way: while there are any, nothing packed is trusted.
  int editors = 0;
  /// Elements [frozen_begin, frozen_end) are left alone by clipping and by updates.
  std::size_t frozen_begin = 0, frozen_end = 0;
  /// The last walk of clipping or of an optimizer that met it.
  std::uint64_t met = 0;

 private:
  struct Free {
    void operator()(T* memory) const;
  };
  using Memory = std::unique_ptr<T[], Free>;
  static Memory allocate(std::size_t size);

  struct Packed {
    std::size_t k, n, row_stride, col_stride;
    std::uint32_t version;
    Memory panels;
  };

  std::size_t size_;
  Memory value_, gradient_;
  std::vector<Packed> packed_;
  std::size_t rows_ = 0, cols_ = 0;  // how the deferred products see the gradient
  std::uint64_t deferred_pass_ = 0;
  std::vector<kernels::OuterBlock<T>> deferred_;
};

extern template struct ParameterCore<float>;
extern template struct ParameterCore<double>;

/// Write access to a parameter's values while it lives; what was packed is made anew afterwards. Statements
/// that read the parameter before are not run backwards any more: `backward` throws TapeError.
template <class T>
class Edit {
 public:
  explicit Edit(ParameterCore<T>& core) : core_(core) {
    ++core_.editors;
    ++core_.version;
  }
  ~Edit() {
    --core_.editors;
    ++core_.version;
  }
  Edit(const Edit&) = delete;
  Edit& operator=(const Edit&) = delete;

  T& operator[](std::size_t i) { return core_.value()[i]; }
  std::size_t size() const { return core_.size(); }
  T* begin() { return core_.value(); }
  T* end() { return core_.value() + core_.size(); }
  operator std::span<T>() { return {core_.value(), core_.size()}; }

 private:
  ParameterCore<T>& core_;
};

/// A tensor that is learned. Values begin at zero; copying a parameter copies its values and not
/// its gradient.
template <class T, IsAxis... As>
class Parameter {
 public:
  using Scalar = T;
  using Shape = Axes<As...>;
  static constexpr bool is_static = (!is_dynamic<As> && ...);

  Parameter()
    requires is_static
      : Parameter(detail::extents_of(Axes<As...>{})) {}

  /// With the extents of the dynamic axes: `Parameter<float, Vocab, Emb>(extent<Vocab>(65))`.
  template <IsAxis... Given>
    requires(sizeof...(Given) > 0)
  explicit Parameter(Extent<Given>... given) : Parameter(detail::extents_of(Axes<As...>{}, given...)) {}

  Parameter(const Parameter& other)
      : core_(std::make_unique<ParameterCore<T>>(*other.core_)), extents_(other.extents_) {}
  /// Copies the values in place, as an edit does, and clears the gradient: handles stay good. Other extents
  /// (of dynamic axes) need other memory, and end the handles and the recordings that read the parameter, as
  /// does an assignment of a parameter that is moved.
  Parameter& operator=(const Parameter& other) {
    if (this == &other) return *this;
    if (!core_ || extents_ != other.extents_) return *this = Parameter(other);
    const Edit<T> edit(*core_);
    core_->copy(*other.core_);
    clear_gradients();
    return *this;
  }
  Parameter(Parameter&&) = default;
  Parameter& operator=(Parameter&&) = default;

  /// The parameter as a variable.
  Var<T, As...> var() const {
    Var<T, As...> v;
    v.value = core_->value();
    v.gradient = core_->gradient();
    v.node = core_.get();
    v.parameter = core_.get();
    v.version = core_->version;
    Node::versions_read += v.version;
    v.extents = extents_;
    v.strides = detail::row_major(extents_);
    return v;
  }
  operator Var<T, As...>() const { return var(); }

  std::size_t size() const { return core_->size(); }
  const Extents<sizeof...(As)>& extents() const { return extents_; }
  std::span<const T> values() const { return {core_->value(), size()}; }
  std::span<T> gradients() const { return {core_->gradient(), size()}; }
  Edit<T> edit() { return Edit<T>(*core_); }
  ParameterCore<T>& core() const { return *core_; }

  /// Lets no update change a row, an index on the first axis: the row of the padding in an embedding.
  /// `edit` and initialisers still do. One row at a time; a copy of the parameter has it frozen too.
  void freeze_row(std::size_t row)
    requires(sizeof...(As) > 0)
  {
    if (row >= extents_[0])
      throw Error("freeze_row: row " + std::to_string(row) + " of a parameter with " + std::to_string(extents_[0]) +
                  " rows");
    const std::size_t each = size() / extents_[0];
    core_->frozen_begin = row * each;
    core_->frozen_end = (row + 1) * each;
  }
  /// Lets updates change all of it again.
  void thaw() { core_->frozen_begin = core_->frozen_end = 0; }

  void clear_gradients() { std::fill_n(core_->gradient(), size(), T{0}); }

 private:
  explicit Parameter(const Extents<sizeof...(As)>& extents)
      : core_(std::make_unique<ParameterCore<T>>(detail::count(extents))), extents_(extents) {}

  std::unique_ptr<ParameterCore<T>> core_;
  Extents<sizeof...(As)> extents_;
};

template <class P>
inline constexpr bool is_parameter = false;
template <class T, IsAxis... As>
inline constexpr bool is_parameter<Parameter<T, As...>> = true;

/// A bias is a parameter that is added.
template <IsAxis A, class T = float>
using Bias = Parameter<T, A>;

}  // namespace hindsight
