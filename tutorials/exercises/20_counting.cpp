// 20. Choose: what can an additive update express that a convex one cannot?
//
//     LSTM, additive:   c_t = f c_{t-1} + i_t g      f = sigmoid(b_f)   i_t = sigmoid(w_i x_t + b_i)   g = tanh(b_g)
//     GRU, convex:      h_t = z_t h_{t-1} + (1 - z_t) n_t        with n_t = tanh(..)
//
// x_t is 1 where something happens, and else 0. Choose weights with which the LSTM counts: after 60 steps c is the
// number of events but for 0.3. And what is the largest |h| that a GRU can come to from h_0 = 0, with any weights?

constexpr double b_f = 0, w_i = 0, b_i = 0, b_g = 0;  // HERE
constexpr double largest_gru_state = 60;              // HERE
