#!/usr/bin/env python3
"""Makes cells.json: what PyTorch's recurrent layers compute, values and all gradients, in double.

    apt-get install python3-torch
    /usr/bin/python3 make_cells.py > cells.json

One layer over T steps; loss = sum(weighting * outputs) + sum of the last state's elements times
1, 2, 3 ...; the gradients are of that loss. Matrices are in PyTorch's layout: weight_ih is
(gates * H) x In, weight_hh is (gates * H) x H, gate blocks in PyTorch's order: LSTM i, f, g, o;
GRU r, z, n.
"""
import json

import torch

T, B, IN, H = 4, 3, 3, 2


def numbers(tensor):
    return tensor.detach().reshape(-1).tolist()


def case(name, layer, has_cell):
    torch.manual_seed(7)
    for p in layer.parameters():
        p.data.uniform_(-0.8, 0.8)
    x = torch.randn(T, B, IN, dtype=torch.float64, requires_grad=True)
    h0 = torch.randn(1, B, H, dtype=torch.float64, requires_grad=True)
    c0 = torch.randn(1, B, H, dtype=torch.float64, requires_grad=True)
    outputs, last = layer(x, (h0, c0) if has_cell else h0)
    final = last[1] if has_cell else last
    weighting = torch.randn(T, B, H, dtype=torch.float64)
    loss = (weighting * outputs).sum() + (torch.arange(1, B * H + 1, dtype=torch.float64) * final.reshape(-1)).sum()
    loss.backward()
    record = {"x": x, "h0": h0, "weighting": weighting, "outputs": outputs, "final": final,
              "dx": x.grad, "dh0": h0.grad}
    if has_cell:
        record.update({"c0": c0, "dc0": c0.grad})
    for key, p in layer.named_parameters():
        short = key.replace("_l0", "")
        record[short] = p
        record["d" + short] = p.grad
    return {key: numbers(value) for key, value in record.items()}


double = dict(dtype=torch.float64)
print(json.dumps({
    "about": "made by make_cells.py with PyTorch " + torch.__version__.split("+")[0],
    "T": T, "B": B, "In": IN, "H": H,
    "rnn_tanh": case("rnn_tanh", torch.nn.RNN(IN, H, **double), False),
    "rnn_relu": case("rnn_relu", torch.nn.RNN(IN, H, nonlinearity="relu", **double), False),
    "lstm": case("lstm", torch.nn.LSTM(IN, H, **double), True),
    "gru": case("gru", torch.nn.GRU(IN, H, **double), False),
}, indent=1))
