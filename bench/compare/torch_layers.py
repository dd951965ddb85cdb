"""Recurrent layers in PyTorch: its own, and the same equations written with its tensors.

A step of a layer: loss = mean of the squares of all hidden states, gradients of weights, biases and inputs.
"""
from typing import List, Tuple

import torch
from torch import Tensor


# The equations, a step of each cell, and the loop over time. torch.jit.script compiles the same functions.

def rnn_step(x: Tensor, h: Tensor, w: Tensor, u: Tensor, b: Tensor) -> Tensor:
    return torch.tanh(x @ w + h @ u + b)


def lstm_step(x: Tensor, h: Tensor, c: Tensor, w: Tensor, u: Tensor, b: Tensor) -> Tuple[Tensor, Tensor]:
    f, i, g, o = (x @ w + h @ u + b).chunk(4, 1)
    c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
    return torch.sigmoid(o) * torch.tanh(c), c


def peephole_step(x: Tensor, h: Tensor, c: Tensor, w: Tensor, u: Tensor, b: Tensor,
                  pf: Tensor, pi: Tensor, po: Tensor) -> Tuple[Tensor, Tensor]:
    f, i, g, o = (x @ w + h @ u + b).chunk(4, 1)
    c = torch.sigmoid(f + pf * c) * c + torch.sigmoid(i + pi * c) * torch.tanh(g)
    return torch.sigmoid(o + po * c) * torch.tanh(c), c


def gru_step(x: Tensor, h: Tensor, w: Tensor, u: Tensor, b: Tensor, wn: Tensor, un: Tensor, bn: Tensor) -> Tensor:
    r, z = torch.sigmoid(x @ w + h @ u + b).chunk(2, 1)
    n = torch.tanh(x @ wn + (r * h) @ un + bn)
    return n + z * (h - n)


def gru_reset_after_step(x: Tensor, h: Tensor, w: Tensor, u: Tensor, b: Tensor, cn: Tensor) -> Tensor:
    xr, xz, xn = (x @ w + b).chunk(3, 1)
    hr, hz, hn = (h @ u).chunk(3, 1)
    r, z = torch.sigmoid(xr + hr), torch.sigmoid(xz + hz)
    n = torch.tanh(xn + r * (hn + cn))
    return n + z * (h - n)


def rnn(x: Tensor, w: Tensor, u: Tensor, b: Tensor) -> Tensor:
    h = torch.zeros(x.size(1), u.size(0))
    shown: List[Tensor] = []
    for t in range(x.size(0)):
        h = rnn_step(x[t], h, w, u, b)
        shown.append(h)
    return torch.stack(shown)


def lstm(x: Tensor, w: Tensor, u: Tensor, b: Tensor) -> Tensor:
    h = c = torch.zeros(x.size(1), u.size(0))
    shown: List[Tensor] = []
    for t in range(x.size(0)):
        h, c = lstm_step(x[t], h, c, w, u, b)
        shown.append(h)
    return torch.stack(shown)


def peephole(x: Tensor, w: Tensor, u: Tensor, b: Tensor, pf: Tensor, pi: Tensor, po: Tensor) -> Tensor:
    h = c = torch.zeros(x.size(1), u.size(0))
    shown: List[Tensor] = []
    for t in range(x.size(0)):
        h, c = peephole_step(x[t], h, c, w, u, b, pf, pi, po)
        shown.append(h)
    return torch.stack(shown)


def gru(x: Tensor, w: Tensor, u: Tensor, b: Tensor, wn: Tensor, un: Tensor, bn: Tensor) -> Tensor:
    h = torch.zeros(x.size(1), u.size(0))
    shown: List[Tensor] = []
    for t in range(x.size(0)):
        h = gru_step(x[t], h, w, u, b, wn, un, bn)
        shown.append(h)
    return torch.stack(shown)


def gru_reset_after(x: Tensor, w: Tensor, u: Tensor, b: Tensor, cn: Tensor) -> Tensor:
    h = torch.zeros(x.size(1), u.size(0))
    shown: List[Tensor] = []
    for t in range(x.size(0)):
        h = gru_reset_after_step(x[t], h, w, u, b, cn)
        shown.append(h)
    return torch.stack(shown)


def biases_of_gru(b, cn):
    """Our bias and hidden_bias as the two of PyTorch's GRU."""
    return b, torch.cat([torch.zeros(2 * cn.numel()), cn])


class OwnLayer:
    """nn.RNN, nn.LSTM or nn.GRU with our weights: theirs are transposed, and the LSTM's gates begin with i, f."""

    def __init__(self, kind, given):
        self.kind, self.given = kind, given
        made = {"rnn": torch.nn.RNN, "lstm": torch.nn.LSTM, "gru_reset_after": torch.nn.GRU}[kind]
        w, u, b = (given[name] for name in ("from_input.weight", "from_hidden.weight", "bias"))
        self.layer = made(w.shape[0], u.shape[0])
        with torch.no_grad():
            self.layer.weight_ih_l0.copy_(self.in_order(w).t())
            self.layer.weight_hh_l0.copy_(self.in_order(u).t())
            b, c = biases_of_gru(b, given["hidden_bias"]) if kind == "gru_reset_after" else (self.in_order(b), 0 * b)
            self.layer.bias_ih_l0.copy_(b)
            self.layer.bias_hh_l0.copy_(c)
        self.leaves = [*self.layer.parameters()]

    def in_order(self, w):  # f, i, g, o to i, f, g, o; the same way back
        if self.kind != "lstm":
            return w
        f, i, g, o = w.chunk(4, -1)
        return torch.cat([i, f, g, o], -1)

    def __call__(self, x):
        return self.layer(x)[0]

    def named(self, gradients):
        w, u, b, c = gradients
        named = {"from_input.weight": self.in_order(w.t()), "from_hidden.weight": self.in_order(u.t()),
                 "bias": self.in_order(b)}
        if self.kind == "gru_reset_after":
            named["hidden_bias"] = c.chunk(3)[2]
        return named


class Equations:
    """The loop over time, as it is or compiled."""

    def __init__(self, kind, given, scripted):
        run = globals()[kind]
        self.run = torch.jit.script(run) if scripted else run
        self.names = [name for name in given if name != "x"]
        self.leaves = [given[name].requires_grad_() for name in self.names]

    def __call__(self, x):
        return self.run(x, *self.leaves)

    def named(self, gradients):
        return dict(zip(self.names, gradients))


class LayerStep:
    def __init__(self, how, kind, given):
        self.x = given["x"].requires_grad_()
        self.layer = OwnLayer(kind, given) if how == "PyTorch" else Equations(kind, given, how == "scripted")
        for _ in range(2 if how == "scripted" else 0):  # in which the compiler sees what it works on
            self.step()

    def step(self):
        self.loss = self.layer(self.x).square().mean()
        self.gradients = torch.autograd.grad(self.loss, [self.x, *self.layer.leaves])

    def results(self):
        self.step()
        return {"loss": self.loss, "x": self.gradients[0], **self.layer.named(self.gradients[1:])}


class InferenceStep:
    def __init__(self, how, kind, given):
        names = ("x", "from_input.weight", "from_hidden.weight", "bias")
        x, *weights = (given[name] for name in names)
        self.x, self.weights = x[0], weights
        self.h = self.c = torch.zeros(1, weights[1].shape[0])
        if how == "PyTorch":
            own = OwnLayer("lstm", given).leaves
            self.cell = lambda x, h, c, *_: torch.lstm_cell(x, (h, c), *own)
        else:
            self.cell = torch.jit.script(lstm_step) if how == "scripted" else lstm_step

    def step(self):
        with torch.no_grad():
            self.h, self.c = self.cell(self.x, self.h, self.c, *self.weights)

    def results(self):
        for _ in range(3):
            self.step()
        return {"h": self.h, "c": self.c}


class ProductStep:
    def __init__(self, how, kind, given):
        self.a, self.b = given["a"], given["b"]
        self.c = torch.empty_like(self.a)

    def step(self):
        torch.mm(self.a, self.b, out=self.c)

    def results(self):
        self.step()
        return {"c": self.c}
