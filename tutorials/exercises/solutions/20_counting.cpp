// 20. Choose: what can an additive update express that a convex one cannot?
//
//     LSTM, additive:   c_t = f c_{t-1} + i_t g      f = sigmoid(b_f)   i_t = sigmoid(w_i x_t + b_i)   g = tanh(b_g)
//     GRU, convex:      h_t = z_t h_{t-1} + (1 - z_t) n_t        with n_t = tanh(..)
//
// x_t is 1 where something happens, and else 0. Choose weights with which the LSTM counts: after 60 steps c is the
// number of events but for 0.3. And what is the largest |h| that a GRU can come to from h_0 = 0, with any weights?

// Keep all (f = 1), and write tanh(9) = 1 where x is 1 and nothing where it is 0: i must go from 0 to 1 with x.
constexpr double b_f = 12, w_i = 20, b_i = -10, b_g = 9;
// h_t lies between h_{t-1} and n_t, and |n_t| < 1: a mean of old and new cannot leave [-1, 1], and so cannot count.
constexpr double largest_gru_state = 1;
