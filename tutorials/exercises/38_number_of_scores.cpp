// 38. Predict: what attention costs
//
// A source of N = 30 symbols is translated into T = 20. Say how many
//     scores e_{t,i} are computed in all, in one translation
//     products U h_i of the additive score are needed, if none is made twice
//     scores there are if source and target are both twice as long, over the first number: a factor
//     scores there are if each of the 30 symbols asks all of the 30 (self-attention)

constexpr double scores = 0, keys = 0, twice_as_long = 0, self_attention = 0;  // HERE
