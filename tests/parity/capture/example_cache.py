"""Recorded runs of language models with a filled cache among their inputs, and
eager's results with caches of other lengths: one recording, with another of
other sizes, is right for all.
"""
import os
import sys
import warnings

warnings.simplefilter("ignore")
sys.path.insert(0, os.path.join(os.environ["FXDB_BUILDDIR"], "src/capture"))
sys.path.insert(0, os.path.join(os.environ["FXDB_SRCDIR"], "tests/data/trace"))

import cached
import torch

import fxdb
from fxdb import _check, _example, _inputs, _vary, _weights


def inputs(length, past, heads):
    torch.manual_seed(length)
    return {"input_ids": torch.randint(0, 60, (1, length)),
            "past_key_values": _inputs.Object(
                "past_key_values", cached.make_cache(past, heads)),
            "use_cache": True}


def compare(model, heads):
    tracer = fxdb.Tracer()
    varied = _vary.record(tracer, model, inputs(3, 5, heads),
                          inputs(4, 9, heads), _weights.tensors_of(model))
    assert not varied.problem, varied.problem
    names = [node.name for node in varied.graph.nodes
             if node.op == "placeholder"]
    assert names[:1] + names[-5:-1] == ["input_ids"] + [
        "past_key_values_%d" % i for i in (1, 2, 3, 4)], names
    for length, past in (3, 5), (2, 7), (6, 3), (5, 5):
        given = inputs(length, past, heads)
        with torch.no_grad():
            got = _check.leaves(_check.interpret(
                tracer.root, varied.graph, _inputs.flat(_check.copy(given))))
            cache = cached.make_cache(past, heads)
            want = model(given["input_ids"], past_key_values=cache,
                         use_cache=True)
        want = [want.logits] + [each for layer in cache.layers
                                for each in (layer.keys, layer.values)]
        assert len(got) == len(want) == 5, (len(got), len(want))
        for mine, theirs in zip(got, want):
            assert torch.equal(mine, theirs), (length, past)


def main():
    torch.manual_seed(0)
    compare(cached.llama().eval(), 1)
    compare(cached.gpt2().eval(), 2)


main()
