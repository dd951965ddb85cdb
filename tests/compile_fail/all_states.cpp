// All states side by side have no fixed size where the source has none.
// EXPECT: AllStates: all states side by side are Source x M numbers, and Source is dynamic
// EXPECT: they have no fixed size
#include "layers/reads.hpp"
#include "tests/compile_fail/axes.hpp"

using namespace hindsight;

struct Seven : Axis<7> {};
#ifdef MISTAKE
using Read = AllStates<Source, Hidden>;
#else
using Read = AllStates<Seven, Hidden>;
#endif

Read all;
