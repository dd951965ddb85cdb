#include "autodiff/parameter.hpp"

#include <algorithm>
#include <concepts>
#include <new>

#include "autodiff/kernels/plain.hpp"

namespace hindsight {

template <class T>
void ParameterCore<T>::Free::operator()(T* memory) const {
  ::operator delete(memory, std::align_val_t{Arena::alignment});
}

template <class T>
typename ParameterCore<T>::Memory ParameterCore<T>::allocate(std::size_t size) {
  return Memory(static_cast<T*>(::operator new(size * sizeof(T), std::align_val_t{Arena::alignment})));
}

template <class T>
ParameterCore<T>::ParameterCore(std::size_t size)
    : size_(size), value_(allocate(size)), gradient_(allocate(size)) {
  std::fill_n(value_.get(), size, T{0});
  std::fill_n(gradient_.get(), size, T{0});
  Node::gradient = gradient_.get();
  Node::bytes = size * sizeof(T);
  Node::accumulates = true;
  Node::version = 1;
}

template <class T>
ParameterCore<T>::ParameterCore(const ParameterCore& other) : ParameterCore(other.size_) {
  copy(other);
}

template <class T>
void ParameterCore<T>::copy(const ParameterCore& other) {
  std::copy_n(other.value_.get(), size_, value_.get());
  frozen_begin = other.frozen_begin;
  frozen_end = other.frozen_end;
}

template <class T>
const T* ParameterCore<T>::packed(std::size_t k, std::size_t n, std::size_t row_stride, std::size_t col_stride) {
  auto found = std::find_if(packed_.begin(), packed_.end(), [&](const Packed& p) {
    return p.k == k && p.n == n && p.row_stride == row_stride && p.col_stride == col_stride;
  });
  if (found == packed_.end()) {
    packed_.push_back({k, n, row_stride, col_stride, 0, allocate(kernels::packed_size<T>(k, n))});
    found = packed_.end() - 1;
  }
  if (found->version != version || editors > 0) {
    kernels::pack<T>(k, n, {value_.get(), row_stride, col_stride}, found->panels.get());
    found->version = version;
  }
  return found->panels.get();
}

template <class T>
void ParameterCore<T>::defer(std::size_t rows, std::size_t cols, const kernels::OuterBlock<T>& block,
                             std::uint64_t pass) {
  if (deferred_pass_ != pass) deferred_.clear();
  deferred_pass_ = pass;
  if (!deferred_.empty() && (rows != rows_ || cols != cols_)) flush();
  if (deferred_.empty()) Tape::current().defer(this);
  rows_ = rows;
  cols_ = cols;
  deferred_.push_back(block);
}

template <class T>
void ParameterCore<T>::flush() {
  if constexpr (std::floating_point<T>)  // complex numbers leave nothing
    if (!deferred_.empty()) kernels::gemm_outer<T>(rows_, cols_, deferred_, gradient_.get(), cols_);
  deferred_.clear();
}

template struct ParameterCore<float>;
template struct ParameterCore<double>;
template struct ParameterCore<Complex>;

}  // namespace hindsight
