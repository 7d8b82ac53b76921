"""Where a model lies, and the random generators that a run of it uses."""
import collections

import torch


def home_of(tensors):
    """The device that most of TENSORS lie on, where that is another than the
    processor: "cuda:0"; else None."""
    found = collections.Counter(
        str(tensor.device) for tensor in tensors
        if isinstance(tensor, torch.Tensor)  # and no part of a ScriptModule
        and tensor.device.type not in ("cpu", "meta"))
    return found.most_common(1)[0][0] if found else None


def home_of_model(root):
    """home_of the parameters and buffers of ROOT, a module or a function;
    "meta" where all lie there: what it gets has to, too."""
    tensors = [*root.parameters(), *root.buffers()] \
        if isinstance(root, torch.nn.Module) else []
    is_meta = tensors and all(tensor.is_meta for tensor in tensors)
    return "meta" if is_meta else home_of(tensors)


def _generators(home):
    """Those that a run draws from: (state, setter) of each."""
    found = [(torch.get_rng_state(), torch.set_rng_state)]
    kind = home and getattr(torch, home.partition(":")[0], None)
    if hasattr(kind, "get_rng_state"):  # torch.mps has no argument
        where = (home,) if kind is torch.cuda else ()
        found.append((kind.get_rng_state(*where),
                      lambda state: kind.set_rng_state(state, *where)))
    return found


def random_state(home):
    """The states of the generators of the processor and of HOME, as bytes in
    a tensor for put_random_state."""
    return torch.cat([state for state, _ in _generators(home)])


def put_random_state(state, home):
    """Let the generators be in STATE again."""
    for now, put in _generators(home):
        put(state[:now.numel()].clone())
        state = state[now.numel():]
