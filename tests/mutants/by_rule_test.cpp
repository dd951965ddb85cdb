// Wrong backwards that are made by rule.
#include "tests/mutants/check_all.hpp"

using namespace hindsight::mutants;

TEST_CASE("mutants by rule are caught and named") { check_all("by rule", by_rule(), 100, 95); }
