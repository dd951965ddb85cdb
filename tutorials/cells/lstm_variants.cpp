// The eight ablations of the LSTM in Greff et al. 2017, from one cell.
//
// K. Greff, R. Srivastava, J. Koutnik, B. Steunebrink and J. Schmidhuber, "LSTM: A Search Space Odyssey": each is one
// change to the vanilla LSTM. Their y is h here, their z is g; p c is elementwise.
//
//     i_t = sigmoid(W_i x_t + R_i h_{t-1} + p_i c_{t-1} + b_i)      NIG  no input gate:  i_t = 1
//     f_t = sigmoid(W_f x_t + R_f h_{t-1} + p_f c_{t-1} + b_f)      NFG  no forget gate: f_t = 1
//     g_t = tanh   (W_g x_t + R_g h_{t-1} + b_g)                    NIAF no input activation: g_t without tanh
//     c_t = f_t c_{t-1} + i_t g_t                                   CIFG coupled: f_t = 1 - i_t
//     o_t = sigmoid(W_o x_t + R_o h_{t-1} + p_o c_t + b_o)          NOG  no output gate: o_t = 1
//     h_t = o_t tanh(c_t)                                           NOAF no output activation: h_t = o_t c_t
//
// NP has no peepholes p. FGR, full gate recurrence, shows all three gates to all three at the next step: the sum of
// each gate has R_i* i_{t-1} + R_f* f_{t-1} + R_o* o_{t-1} besides. So its state has the gates too.
#include "layers/gates.hpp"
#include "tutorials/cell_program.hpp"

using namespace hindsight;

/// What FGR keeps. All are Batch x H.
template <class T, IsAxis B, IsAxis H>
struct GatedState {
  Var<T, B, H> h, c, i, f, o;
};
template <class T, IsAxis B, IsAxis H>
GatedState(Var<T, B, H>, Var<T, B, H>, Var<T, B, H>, Var<T, B, H>, Var<T, B, H>) -> GatedState<T, B, H>;
template <class F, class T, IsAxis B, IsAxis H, class... More>
GatedState<T, B, H> zip(F f, const GatedState<T, B, H>& s, const More&... more) {
  return {f(s.h, more.h...), f(s.c, more.c...), f(s.i, more.i...), f(s.f, more.f...), f(s.o, more.o...)};
}
template <class T, IsAxis B, IsAxis H>
Var<T, B, H> output(const GatedState<T, B, H>& s) {
  return s.h;
}

enum class Ablation { none, nig, nfg, nog, niaf, noaf, cifg, np, fgr };

struct Nothing {};  // in the place of what an ablation is without

template <Ablation A, IsAxis In_, IsAxis H, class T = float>
struct LstmVariant {
  using In = In_;
  using Hidden = H;
  using Scalar = T;
  static constexpr const char* name = std::array{"vanilla", "NIG", "NFG", "NOG", "NIAF", "NOAF", "CIFG", "NP", "FGR"}[std::size_t(A)];
  static constexpr bool input_gate = A != Ablation::nig, forget_gate = A != Ablation::nfg && A != Ablation::cifg,
                        output_gate = A != Ablation::nog, recurrent = A == Ablation::fgr;

  // The candidate and the gates there are.
  using Z = std::conditional_t<!input_gate, Gates<H, Candidate, Forget, Output>,
            std::conditional_t<!forget_gate, Gates<H, Candidate, Input, Output>,
            std::conditional_t<!output_gate, Gates<H, Candidate, Input, Forget>,
                               Gates<H, Candidate, Input, Forget, Output>>>>;
  template <bool there>
  using Peephole = std::conditional_t<there && A != Ablation::np, Parameter<T, H>, Nothing>;
  using FromInput = Affine<In, Z, T>;
  using FromHidden = Linear<H, Z, T>;
  using ToInput = Peephole<input_gate>;
  using ToForget = Peephole<forget_gate>;
  using ToOutput = Peephole<output_gate>;
  using FromGate = std::conditional_t<recurrent, Linear<H, Gates<H, Input, Forget, Output>, T>, Nothing>;
  BOOST_HANA_DEFINE_STRUCT(LstmVariant, (FromInput, from_input), (FromHidden, from_hidden), (ToInput, to_input),
                           (ToForget, to_forget), (ToOutput, to_output), (FromGate, from_i), (FromGate, from_f),
                           (FromGate, from_o));
  template <IsAxis B>
  using Kept = std::conditional_t<recurrent, GatedState<T, B, H>, State<T, B, H>>;

  template <IsAxis B>
  auto operator()(const Var<T, B, In>& x, const Kept<B>& s) const {
    Var z = from_input(x) + from_hidden(s.h);
    const auto r = from_gates(s);
    const auto i = opened<Input, input_gate>(z, r, to_input, s.c);
    const auto f = forget(i, opened<Forget, forget_gate>(z, r, to_forget, s.c));
    Var c = f * s.c + i * squashed<A != Ablation::niaf>(gate<Candidate>(z));
    const auto o = opened<Output, output_gate>(z, r, to_output, c);
    Var h = o * squashed<A != Ablation::noaf>(c);
    if constexpr (recurrent)
      return GatedState{h, c, i, f, o};
    else
      return State{h, c};
  }

  template <IsAxis B>
  Kept<B> initial(Extent<B> batch = {}) const {
    const auto zero = filled<T, B, H>(T{0}, batch);
    if constexpr (recurrent)
      return {zero, zero, zero, zero, zero};
    else
      return {zero, zero};
  }

  /// Peepholes begin small and random.
  void initialise(const Random& random) {
    const auto begin = [&](auto& p, const char* part) {
      if constexpr (is_parameter<std::remove_cvref_t<decltype(p)>>) initialise_uniform(p, 0.1, random.child(part));
    };
    begin(to_input, "to_input");
    begin(to_forget, "to_forget");
    begin(to_output, "to_output");
  }

 private:
  /// A gate that sees the memory c through its peepholes and, with FGR, the last gates; 1 where there is no such gate.
  template <class Gate, bool there>
  static auto opened(const auto& z, [[maybe_unused]] const auto& r, [[maybe_unused]] const auto& p,
                     [[maybe_unused]] const auto& c) {
    if constexpr (!there)
      return T{1};
    else if constexpr (recurrent)
      return Var(sigmoid(gate<Gate>(z) + gate<Gate>(r) + p * c));
    else if constexpr (A == Ablation::np)
      return Var(sigmoid(gate<Gate>(z)));
    else
      return Var(sigmoid(gate<Gate>(z) + p * c));
  }
  static auto forget([[maybe_unused]] const auto& i, [[maybe_unused]] const auto& f) {
    if constexpr (A == Ablation::cifg)
      return 1 - i;
    else
      return f;
  }
  template <bool with_tanh>
  static auto squashed(const auto& v) {
    if constexpr (with_tanh)
      return tanh(v);
    else
      return v;
  }
  auto from_gates([[maybe_unused]] const auto& s) const {
    if constexpr (recurrent)
      return Var(from_i(s.i) + from_f(s.f) + from_o(s.o));
    else
      return Nothing{};
  }
};

template <IsAxis In, IsAxis H, class T = float>
using Vanilla = LstmVariant<Ablation::none, In, H, T>;
template <IsAxis In, IsAxis H, class T = float>
using Nig = LstmVariant<Ablation::nig, In, H, T>;
template <IsAxis In, IsAxis H, class T = float>
using Nfg = LstmVariant<Ablation::nfg, In, H, T>;
template <IsAxis In, IsAxis H, class T = float>
using Nog = LstmVariant<Ablation::nog, In, H, T>;
template <IsAxis In, IsAxis H, class T = float>
using Niaf = LstmVariant<Ablation::niaf, In, H, T>;
template <IsAxis In, IsAxis H, class T = float>
using Noaf = LstmVariant<Ablation::noaf, In, H, T>;
template <IsAxis In, IsAxis H, class T = float>
using Cifg = LstmVariant<Ablation::cifg, In, H, T>;
template <IsAxis In, IsAxis H, class T = float>
using Np = LstmVariant<Ablation::np, In, H, T>;
template <IsAxis In, IsAxis H, class T = float>
using Fgr = LstmVariant<Ablation::fgr, In, H, T>;

int main(int argc, char** argv) {
  return tutorial::check_cells<Vanilla, Nig, Nfg, Nog, Niaf, Noaf, Cifg, Np, Fgr>(argc, argv);
}
