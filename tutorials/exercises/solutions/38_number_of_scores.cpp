// 38. Predict: what attention costs
//
// A source of N = 30 symbols is translated into T = 20. Say how many
//     scores e_{t,i} are computed in all, in one translation
//     products U h_i of the additive score are needed, if none is made twice
//     scores there are if source and target are both twice as long, over the first number: a factor
//     scores there are if each of the 30 symbols asks all of the 30 (self-attention)

// A score for each pair, N T; but U h_i depends on the source alone and is made once a sentence. The price of reading
// all is that it grows with the product of the lengths, where a fixed vector costs N + T.
constexpr double scores = 600, keys = 30, twice_as_long = 4, self_attention = 900;
