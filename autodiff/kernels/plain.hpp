// The kernels on complex numbers: what a forward pass needs, as plain loops over the definitions. No
// vectors, no tiles, no partial sums: where both give the same, the fast ones are right.
//
// Their contracts are those of the fast ones, with these words: an element is masked out if its mask is 0,
// and the larger one is the one with the larger real part.
#pragma once

#include "autodiff/kernels/complex.hpp"
#include "autodiff/kernels/contract.hpp"
#include "autodiff/kernels/gemm.hpp"
#include "autodiff/kernels/reduce.hpp"
#include "autodiff/kernels/softmax.hpp"

namespace hindsight::kernels {

template <>
void contract(const Contraction& axes, const Complex* a, const Complex* b, Complex* c, bool accumulate);

/// Packed is copied, row-major.
template <>
std::size_t packed_size<Complex>(std::size_t k, std::size_t n);
template <>
void pack(std::size_t k, std::size_t n, MatrixView<Complex> b, Complex* packed);
template <>
void gemm_packed(std::size_t m, std::size_t n, std::span<const PackedTerm<Complex>> terms, Start<Complex> start,
                 Complex* c, std::size_t ldc);

template <>
void sum(AxisLayout layout, const Complex* x, const Complex* mask, Complex* y);
template <>
void mean(AxisLayout layout, const Complex* x, const Complex* mask, Complex* y);
template <>
void max(AxisLayout layout, const Complex* x, const Complex* mask, Complex* y, std::int32_t* argmax);
template <>
void add(std::size_t n, const Complex* x, Complex* y);
template <>
void gather_rows(const Complex* table, const std::int32_t* ids, std::size_t n, std::size_t cols, Complex* out);

template <>
void softmax(AxisLayout layout, const Complex* x, const Complex* mask, Complex* y);
template <>
void log_softmax(AxisLayout layout, const Complex* x, const Complex* mask, Complex* y);
template <>
void logsumexp(AxisLayout layout, const Complex* x, const Complex* mask, Complex* y);
template <>
void cross_entropy(const CrossEntropy& c, const Complex* logits, const std::int32_t* targets, Complex* loss,
                   Complex* lse);

}  // namespace hindsight::kernels
