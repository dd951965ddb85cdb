// Checks that contenders give the same, and times them in turn.
#pragma once

#include <functional>

#include "bench/compare/contender.hpp"

namespace hindsight::bench {

/// How long a workload is measured.
struct Effort {
  std::size_t rounds = 5;  ///< at least
  double seconds = 5;      ///< at least, after `rounds`
};

/// What was measured: seconds a step of each contender, ours first, one number a round.
struct Measured {
  std::string workload;
  double flops = 0;
  std::vector<double> product;  ///< seconds of our 256 x 256 x 256 product, one number a round
  struct Times {
    std::string name;
    std::vector<double> seconds;
  };
  std::vector<Times> contenders;
};

double median(std::vector<double> values);

/// Half the distance of the quartiles, as a part of the median.
double spread(std::vector<double> values);

/// How many times as long as ours the c-th contender took: the median of the rounds.
double ratio(const Measured& measured, std::size_t c);

/// Our time's share that the matrix products alone would take at the speed of the product of the same rounds.
double share(const Measured& measured);

/// What in `theirs` is not what it is in `ours`, a line each; nothing if all is equal up to rounding. An array is
/// measured by its norm.
std::vector<std::string> differences(const Arrays& ours, const Arrays& theirs);

/// Makes all contenders, compares their results, and times those that agree. A line of what disagrees goes to `wrong`;
/// `now` is told what happens. With no rounds nothing is timed.
Measured measure(const Workload& workload, const Effort& effort, std::vector<std::string>& wrong,
                 const std::function<void(const std::string&)>& now);

}  // namespace hindsight::bench
