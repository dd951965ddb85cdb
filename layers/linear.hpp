// A linear map, y = x W (+ b).
#pragma once

#include <cmath>

#include "autodiff/initialise.hpp"
#include "autodiff/views.hpp"

namespace hindsight {

template <class, class>
struct linear_input_axis_not_in_tensor;

/// x W, without a bias: ... x In -> ... x Out, W of From<In> x Out. It is lazy: linear maps and biases
/// that are added become one statement. W begins uniform in +-1/sqrt(In).
template <IsAxis In, IsAxis Out, class T = float>
struct Linear {
  using Weight = Parameter<T, From<In>, Out>;
  BOOST_HANA_DEFINE_STRUCT(Linear, (Weight, weight));

  template <TensorLike X>
  auto operator()(const X& x) const {
    if constexpr (!contains<In, typename detail::ExprOf<X>::Shape>) {
      (void)sizeof(linear_input_axis_not_in_tensor<In, detail::Spelled<X>>);
      return contract<From<In>>(weight, weight);
    } else {
      return contract<From<In>>(rename<In, From<In>>(x), weight);
    }
  }

  void initialise(const Random& random) {
    initialise_uniform(weight, 1 / std::sqrt(static_cast<double>(weight.extents()[0])), random.child("weight"));
  }
};

/// x W + b: ... x In -> ... x Out. Both begin uniform in +-1/sqrt(In).
template <IsAxis In, IsAxis Out, class T = float>
struct Affine {
  using Map = Linear<In, Out, T>;
  using Offset = Bias<Out, T>;
  BOOST_HANA_DEFINE_STRUCT(Affine, (Map, map), (Offset, bias));

  template <TensorLike X>
  auto operator()(const X& x) const {
    return map(x) + bias;
  }

  void initialise(const Random& random) {
    const double in = static_cast<double>(map.weight.extents()[0]);
    initialise_uniform(bias, 1 / std::sqrt(in), random.child("bias"));
  }
};

}  // namespace hindsight
