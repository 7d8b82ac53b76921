"""Small language models with a cache of keys and values among their inputs;
transformers 5, configurations alone."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                "../../parity"))
import torch

import zoo

# transformers looks for torchvision, and stops where its operators lack.
zoo.declare_operators()
from transformers import (  # noqa: E402
    DynamicCache, GPT2Config, GPT2LMHeadModel, LlamaConfig, LlamaForCausalLM)


def gpt2():
    return GPT2LMHeadModel(GPT2Config(vocab_size=64, n_embd=16, n_layer=2,
                                      n_head=2, n_positions=64,
                                      bos_token_id=1, eos_token_id=2))


def llama():
    return LlamaForCausalLM(LlamaConfig(
        vocab_size=64, hidden_size=16, intermediate_size=32,
        num_hidden_layers=2, num_attention_heads=2, num_key_value_heads=1))


def make_cache(length=5, heads=1):
    torch.manual_seed(length)
    cache = DynamicCache()
    for i in range(2):
        cache.update(torch.randn(1, heads, length, 8),
                     torch.randn(1, heads, length, 8), i)
    return cache
