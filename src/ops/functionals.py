"""What composite functions mean, as Python.

Functions that are calls of other operators and have no row of their own in
ops.def, written like the methods of layers.py and evaluated the same way.
NAMES at the end says under which qualified names they are called.
"""


def stochastic_depth(input, p, mode, training=True):
    """Drop whole rows, or everything, with probability p."""
    assert 0.0 <= p <= 1.0, "a probability lies between 0 and 1"
    assert mode in ("batch", "row"), "mode is batch or row"
    if not training or p == 0.0:
        return input
    kept = 1.0 - p
    rows = input.shape[0] if mode == "row" else 1
    size = (rows,) + (1,) * (input.dim() - 1)
    noise = input.new_empty(size).bernoulli_(kept)
    if kept > 0.0:
        noise = noise / kept
    return input * noise


def unsqueeze_to(x, target_dim, expand_dim):
    """Add a dimension if one is missing; tell how many there were."""
    dims = x.dim()
    if dims == target_dim - 1:
        x = x.unsqueeze(expand_dim)
    else:
        assert dims == target_dim, "a dimension too many or too few"
    return x, dims


def squeeze_from(x, target_dim, expand_dim, tensor_dim):
    """Undo unsqueeze_to."""
    if tensor_dim == target_dim - 1:
        x = x.squeeze(expand_dim)
    return x


def patch_merging(x):
    """Four interleaved quarters of [..., H, W, C], side by side in C."""
    x = F.pad(x, (0, 0, 0, x.shape[x.dim() - 2] % 2,
                  0, x.shape[x.dim() - 3] % 2))
    quarters = [x[..., 0::2, 0::2, :], x[..., 1::2, 0::2, :],
                x[..., 0::2, 1::2, :], x[..., 1::2, 1::2, :]]
    return torch.cat(quarters, -1)


def relative_position_bias(table, index, window_size):
    """[1, heads, N, N] from a table of offsets, N positions in a window."""
    count = window_size[0] * window_size[1]
    bias = table[index].view(count, count, -1)
    return bias.permute(2, 0, 1).contiguous().unsqueeze(0)


NAMES = {
    "torchvision.ops.stochastic_depth.stochastic_depth": stochastic_depth,
    "torchvision.models.video.mvit._unsqueeze": unsqueeze_to,
    "torchvision.models.video.mvit._squeeze": squeeze_from,
    "torchvision.models.swin_transformer._patch_merging_pad": patch_merging,
    "torchvision.models.swin_transformer._get_relative_position_bias":
        relative_position_bias,
}
