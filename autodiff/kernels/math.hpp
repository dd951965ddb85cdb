// Elementary functions on vectors: exp, expm1, sigmoid, tanh; log, log1p, softplus; sin, cos.
//
// They keep three promises that training leans on: NaN in is NaN out, a lane's result depends on
// that lane's value alone, and no result leaves the range of the true function (|tanh| <= 1,
// sigmoid >= 0). For float and double alike the error is at most 2 units in the last place for exp,
// expm1, log and log1p, and 3 for sigmoid, tanh, softplus, sin and cos, but where a function's own
// comment says otherwise. Of -0 only tanh keeps the sign.
//
// One pattern serves all. A power of two (for sin and cos a multiple of pi) is taken out of the
// argument, so that a small interval around 0 remains, and there the function is  x + x^2 q(x), for
// sin  x + x^3 q(x^2),  with a polynomial q: the leading x is exact, so relative accuracy is kept
// down to the smallest x. The coefficients of q are minimax for the relative error of the whole
// (Remez's exchange in 45 digits, then rounded to T).
#pragma once

#include "autodiff/kernels/math_exp.hpp"
#include "autodiff/kernels/math_log.hpp"
#include "autodiff/kernels/math_sin.hpp"
