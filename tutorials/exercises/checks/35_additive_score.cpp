// EXPECTED: additive_score<Inner>(score, s, h) returns e_i = v . tanh(W s + U h_i + b), Source x Batch.
// HINT: keys + query adds W s + b to every U h_i. Where in the equation does tanh stand?
// SHIPPED: whatever is asked
#include EXERCISE
#include "tutorials/exercises/checks/check.hpp"

using namespace hindsight;
namespace {
struct Source : Axis<4> {};
struct Batch : Axis<2> {};
struct Query : Axis<3> {};
struct Content : Axis<5> {};
struct Inner : Axis<6> {};
}  // namespace

std::string exercise::check() {
  for (std::uint64_t seed : {1, 2}) {
    AdditiveScore<Query, Content, Inner, double> score;
    initialise(score, seed);
    Tape tape;
    const auto s = constant<Batch, Query>(noise(6, seed, 2));
    const auto h = constant<Source, Batch, Content>(noise(40, seed + 1, 2));
    const auto right = score(s, score.keys(h)), found = additive_score<Inner>(score, s, h);
    Var query = score.from_query(s);
    Var keys = score.from_memory(h);
    Var deaf = contract<Inner>(tanh(keys), score.v), linear = contract<Inner>(keys + query, score.v);
    compare("the scores of two sentences", {"e", right.values(), 2}, found.values(),
            {{"e", deaf.values(), "The query is not in it: whatever is asked, the same positions are read."},
             {"e", linear.values(), "tanh is missing. Without it the query adds the same "
                                    "to all e_i, and a softmax does not see that."}});
  }
  return "W s + b is made once a step and U h_i once a sentence; their sum and its tanh once for every pair.";
}
