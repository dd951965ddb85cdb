"""Whole models in PyTorch. A step: forward, mean cross-entropy, backward, clipping to a norm of 1, Adam."""
from typing import List

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy, embedding

from torch_layers import OwnLayer, biases_of_gru


def decode(ys: Tensor, h: Tensor, states: Tensor, keys: Tensor, wq: Tensor, bq: Tensor, v: Tensor,
           w: Tensor, b: Tensor, u: Tensor, cu: Tensor) -> Tensor:
    """A decoder's steps: additive attention, asked with the state before, and a GRU cell fed [y, context]."""
    values = states.transpose(0, 1)                                         # Batch x Source x 2 H
    shown: List[Tensor] = []
    for t in range(ys.size(0)):
        e = torch.tanh(keys + (h @ wq + bq)) @ v                            # Source x Batch
        alpha = torch.softmax(e, 0)
        context = torch.bmm(alpha.t().unsqueeze(1), values).squeeze(1)
        h = torch.gru_cell(torch.cat([ys[t], context], 1), h, w, u, b, cu)
        shown.append(torch.cat([h, context], 1))
    return torch.stack(shown)


class ModelStep:
    """What the models share; `loss()` is the forward pass, `parameters` has every leaf under its name with us."""

    def train(self, parameters, rate):
        self.parameters = parameters
        self.adam = torch.optim.Adam(parameters.values(), lr=rate)

    def leaves(self, given, data):
        return {name: torch.nn.Parameter(value) for name, value in given.items() if name not in data}

    def step(self):
        self.adam.zero_grad()
        self.now = self.loss()
        self.now.backward()
        torch.nn.utils.clip_grad_norm_(self.parameters.values(), 1)
        self.adam.step()

    def results(self):
        self.loss().backward()
        found = {name: value.clone() for name, value in self.named_gradients().items()}
        self.begin()
        for i in range(3):
            self.step()
            found[f"loss of step {i + 1}"] = self.now
        return found

    def begin(self):
        pass


class CharLm(ModelStep):
    BATCH, WINDOW = 32, 64

    def __init__(self, how, kind, given):
        self.text = given["text"].long().t().contiguous()  # Position x Batch
        inner = {name[5:]: value for name, value in given.items() if name.startswith("cell.")}
        self.own = OwnLayer("lstm", inner)
        self.table = torch.nn.Parameter(given["embedding.table"])
        self.logits = torch.nn.Linear(*given["to_logits.map.weight"].shape)
        with torch.no_grad():
            self.logits.weight.copy_(given["to_logits.map.weight"].t())
            self.logits.bias.copy_(given["to_logits.bias"])
        leaves = [self.table, *self.own.leaves, *self.logits.parameters()]
        self.train(dict(enumerate(leaves)), 2e-3)
        self.begin()

    def begin(self):
        self.window, self.state = 0, None

    def loss(self):
        if self.window == (self.text.shape[0] - 1) // self.WINDOW:
            self.begin()
        at = self.window * self.WINDOW
        symbols, wanted = self.text[at:at + self.WINDOW], self.text[at + 1:at + 1 + self.WINDOW]
        shown, (h, c) = self.own.layer(embedding(symbols, self.table), self.state)
        self.state = h.detach(), c.detach()
        self.window += 1
        return cross_entropy(self.logits(shown).flatten(0, 1), wanted.flatten())

    def named_gradients(self):
        inner = self.own.named([p.grad for p in self.own.leaves])
        return {"embedding.table": self.table.grad, **{"cell." + name: g for name, g in inner.items()},
                "to_logits.map.weight": self.logits.weight.grad.t(), "to_logits.bias": self.logits.bias.grad}


class AttentionSeq2Seq(ModelStep):
    def __init__(self, how, kind, given):
        self.sources, self.inputs, self.targets = (given[name].long() for name in ("sources", "inputs", "targets"))
        self.decode = torch.jit.script(decode) if how == "scripted" else decode
        self.p = p = self.leaves(given, ("sources", "inputs", "targets"))
        self.encoder = torch.nn.GRU(p["source.table"].shape[1], p["encoder.forward.from_hidden.weight"].shape[0],
                                    bidirectional=True)
        self.cell = torch.nn.GRUCell(p["decoder.bottom.from_input.weight"].shape[0],
                                     p["decoder.bottom.from_hidden.weight"].shape[0])
        self.grus = {"encoder.forward": [getattr(self.encoder, n + "_l0") for n in self.TENSORS],
                     "encoder.backward": [getattr(self.encoder, n + "_l0_reverse") for n in self.TENSORS],
                     "decoder.bottom": [getattr(self.cell, n) for n in self.TENSORS]}
        trained = {name: value for name, value in p.items() if not name.startswith(tuple(self.grus))}
        with torch.no_grad():
            for path, (w, u, b, c) in self.grus.items():
                w.copy_(p[path + ".from_input.weight"].t())
                u.copy_(p[path + ".from_hidden.weight"].t())
                bias, hidden = biases_of_gru(p[path + ".bias"], p[path + ".hidden_bias"])
                b.copy_(bias)
                c.copy_(hidden)
        self.own = dict(trained)
        for path, tensors in self.grus.items():
            trained.update({f"{path} {i}": t for i, t in enumerate(tensors)})
        self.train(trained, 1e-3)

    TENSORS = ("weight_ih", "weight_hh", "bias_ih", "bias_hh")

    def loss(self):
        p = self.p
        states, last = self.encoder(embedding(self.sources, p["source.table"]))
        summary = torch.cat([last[0], last[1]], 1)
        h = torch.tanh(summary @ p["bridge.maps.0.map.weight"] + p["bridge.maps.0.bias"])
        score = "decoder.read.score."
        w, u, b, c = self.grus["decoder.bottom"]
        shown = self.decode(embedding(self.inputs, p["target.table"]), h, states,
                            states @ p[score + "from_memory.weight"], p[score + "from_query.map.weight"],
                            p[score + "from_query.bias"], p[score + "v"], w, b, u, c)
        logits = shown @ p["to_logits.map.weight"] + p["to_logits.bias"]
        return cross_entropy(logits.flatten(0, 1), self.targets.flatten())

    def named_gradients(self):
        found = {name: value.grad for name, value in self.own.items()}
        for path, (w, u, b, c) in self.grus.items():
            found.update({path + ".from_input.weight": w.grad.t(), path + ".from_hidden.weight": u.grad.t(),
                          path + ".bias": b.grad, path + ".hidden_bias": c.grad.chunk(3)[2]})
        return found
