"""What composite functions mean, as Python.

Functions that are calls of other operators and have no row of their own in
ops.def, written like the methods of layers.py and evaluated the same way.
Functions below __name__ are called as functions of that module; NAMES at the
end says how the others are called, where they are more than helpers.
Long because each function is a row.
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


def relative_position_bias(relative_position_bias_table,
                           relative_position_index, window_size):
    """[1, heads, N, N] from a table of offsets, N positions in a window."""
    count = window_size[0] * window_size[1]
    bias = relative_position_bias_table[relative_position_index]
    bias = bias.view(count, count, -1)
    return bias.permute(2, 0, 1).contiguous().unsqueeze(0)


def number_by_tensor(number, tensor):
    """number / tensor, as tensors do it; other divisions are an operator."""
    assert not isinstance(number, torch.Tensor) and \
        isinstance(tensor, torch.Tensor), "no number is divided by a tensor"
    return tensor.reciprocal() * number


def usual_dim(input, dim):
    """The dimension that softmax takes when none is given."""
    if dim is not None:
        return dim
    return 0 if input.dim() in (0, 1, 3) else 1


def dropout_batched(input, p, training, inplace, rank):
    """Whole channels; one example alone is a batch of one."""
    if input.dim() == rank:
        return dropout2d(input, p, training, inplace)
    if inplace:
        return torch.feature_dropout_(input.unsqueeze_(0), p,
                                      training).squeeze_(0)
    return torch.feature_dropout(input.unsqueeze(0), p, training).squeeze(0)


def or_kernel(stride):
    """A missing stride is that of the kernel, which is said by nothing."""
    return () if stride is None else stride


def with_input_sizes(output_size, input):
    """Sizes of which None is that of the input."""
    if not isinstance(output_size, (tuple, list)):
        return output_size
    result = ()
    for i in range(len(output_size)):
        if output_size[i] is None:
            result = result + (input.shape[i - len(output_size)],)
        else:
            result = result + (output_size[i],)
    return result


def root_of_sum(mean, count, norm_type):
    return (torch.sign(mean) * torch.relu(torch.abs(mean))).mul(count).pow(
        1.0 / norm_type)


def fractional_sizes(input, output_size, output_ratio, count):
    """Of the last COUNT dimensions: what is asked for, or a part of them."""
    sizes = for_each(output_size, count)
    if sizes is not None:
        return sizes
    ratios = for_each(output_ratio, count)
    result = ()
    for i in range(count):
        size = input.shape[input.dim() - count + i]
        result = result + (int(size * ratios[i]),)
    return result


def fractional_samples(input, samples, count):
    if samples is not None:
        return samples
    examples = 1 if input.dim() == count + 1 else input.shape[0]
    return torch.rand(examples, input.shape[input.dim() - count - 1], count,
                      dtype=input.dtype)


def unpooled_sizes(input, kernel, stride, padding, output_size):
    """Sizes before pooling, of which many pool to the same."""
    count = len(kernel)
    if output_size is not None:
        return tuple(output_size)[len(output_size) - count:]
    result = ()
    for i in range(count):
        size = input.shape[input.dim() - count + i]
        result = result + ((size - 1) * stride[i] + kernel[i]
                           - 2 * padding[i],)
    return result


def norm(input, p="fro", dim=None, keepdim=False, out=None, dtype=None):
    if p == "fro" and dim is None:
        return torch.frobenius_norm(input, (), keepdim)
    if p == "fro":
        return torch.frobenius_norm(input, dim, keepdim)
    if p == "nuc" and dim is None:
        return torch.nuclear_norm(input, keepdim)
    if p == "nuc":
        return torch.nuclear_norm(input, dim, keepdim)
    if dim is None:
        return torch._VF.norm(input, p, tuple(range(input.dim())), keepdim)
    return torch._VF.norm(input, p, dim, keepdim)


def for_each(value, count):
    if value is None or isinstance(value, (tuple, list)):
        return value
    return (value,) * count


def scaled_sizes(input, factors):
    result = ()
    for i in range(len(factors)):
        size = input.shape[i + 2]
        result = result + (int(math.floor(float(size) * factors[i])),)
    return result


def floats(factors):
    if factors is None:
        return None
    result = []
    for factor in factors:
        result = result + [float(factor)]
    return result


def reduction_of(size_average, reduce, reduction):
    """The number that operators know a reduction by."""
    if size_average is None and reduce is None:
        return {"none": 0, "mean": 1, "sum": 2}[reduction]
    if reduce is not None and not reduce:
        return 0
    if size_average is not None and not size_average:
        return 2
    return 1


def reduced(loss, reduction):
    if reduction == "mean":
        return loss.mean()
    if reduction == "sum":
        return loss.sum()
    assert reduction == "none", "there is no such reduction"
    return loss


def heads_of(x, count, size):
    """[length, batch, count * size] as [batch * count, length, size]."""
    return x.contiguous().view(x.shape[0], x.shape[1] * count,
                               size).transpose(0, 1)


def wider_mask(mask):
    """A mask with a column for one more key, which nobody may not see."""
    return None if mask is None else F.pad(mask, (0, 1))


def added_mask(mask, like):
    """What a mask adds to scores: of bools, True is minus infinity."""
    if mask is None or mask.dtype != torch.bool:
        return mask
    return torch.zeros_like(mask, dtype=like.dtype).masked_fill_(
        mask, float("-inf"))


def merged_masks(attn_mask, key_padding_mask, q, batch, num_heads):
    """Both masks as one that is added to [batch * num_heads, target, source]
    scores, or None.
    """
    if attn_mask is not None and attn_mask.dim() == 2:
        attn_mask = attn_mask.unsqueeze(0)
    attn_mask = added_mask(attn_mask, q)
    if key_padding_mask is None:
        return attn_mask
    hidden = added_mask(key_padding_mask, q)
    hidden = hidden.view(batch, 1, 1, -1).expand(
        -1, num_heads, -1, -1).reshape(batch * num_heads, 1, -1)
    return hidden if attn_mask is None else attn_mask + hidden


# Tensors' own methods.

def where_method(self, condition, other):
    return torch.where(condition, self, other)


def polygamma_method(self, n):
    return torch.polygamma(n, self)


def reflected_true_divide(self, other):
    return self.reciprocal() * other


def reflected_floor_divide(self, other):
    return torch.floor_divide(other, self)


def reflected_power(self, other):
    return torch.pow(other, self)


def reflected_remainder(self, other):
    return torch.remainder(other, self)


def reflected_matmul(self, other):
    return torch.matmul(other, self)


def reflected_left_shift(self, other):
    return torch.bitwise_left_shift(other, self)


def reflected_right_shift(self, other):
    return torch.bitwise_right_shift(other, self)


def reflected_and(self, other):
    return torch.bitwise_and(self, other)


def reflected_or(self, other):
    return torch.bitwise_or(self, other)


def reflected_xor(self, other):
    return torch.bitwise_xor(self, other)


def contains(self, element):
    return (self == element).any().item()


def new_tensor(self, data, dtype=None, device=None, requires_grad=False):
    if isinstance(data, torch.Tensor):
        return data.clone().to(self.dtype if dtype is None else dtype)
    return torch.tensor(data, dtype=self.dtype if dtype is None else dtype)


def type_method(self, dtype=None, non_blocking=False):
    """A cast, whose dtype may be a name of old; without one, that name."""
    names = (("torch.FloatTensor", torch.float32),
             ("torch.DoubleTensor", torch.float64),
             ("torch.HalfTensor", torch.float16),
             ("torch.BFloat16Tensor", torch.bfloat16),
             ("torch.ByteTensor", torch.uint8),
             ("torch.CharTensor", torch.int8),
             ("torch.ShortTensor", torch.int16),
             ("torch.IntTensor", torch.int32),
             ("torch.LongTensor", torch.int64),
             ("torch.BoolTensor", torch.bool),
             ("torch.ComplexFloatTensor", torch.complex64),
             ("torch.ComplexDoubleTensor", torch.complex128))
    for pair in names:
        if dtype is None and self.dtype == pair[1]:
            return pair[0]
        if dtype == pair[0]:
            return self.to(pair[1])
    return self.to(dtype)


def has_names(self):
    return False


def nonzero(input, as_tuple=False):
    if as_tuple:
        return tuple(torch.nonzero_numpy(input))
    return torch._VF.nonzero(input)


def picked(output, inverse, counts, return_inverse, return_counts):
    """What of the three was asked for; one alone is no tuple."""
    if return_inverse and return_counts:
        return output, inverse, counts
    if return_inverse:
        return output, inverse
    if return_counts:
        return output, counts
    return output


def unique(input, sorted=True, return_inverse=False, return_counts=False,
           dim=None):
    if dim is None:
        three = torch._unique2(input, sorted, return_inverse, return_counts)
    else:
        three = torch._VF.unique_dim(input, dim, sorted, return_inverse,
                                     return_counts)
    return picked(three[0], three[1], three[2], return_inverse,
                  return_counts)


def unique_consecutive(input, return_inverse=False, return_counts=False,
                       dim=None):
    three = torch._VF.unique_consecutive(input, return_inverse, return_counts,
                                         dim)
    return picked(three[0], three[1], three[2], return_inverse,
                  return_counts)


def stft(input, n_fft, hop_length=None, win_length=None, window=None,
         center=True, pad_mode="reflect", normalized=False, onesided=None,
         return_complex=None, align_to_window=None):
    assert align_to_window is None, "windows in place are not known here"
    if center:
        rank = input.dim()
        input = input.view((1,) * (3 - rank) + tuple(input.shape))
        input = F.pad(input, (n_fft // 2, n_fft // 2), pad_mode)
        input = input.view(tuple(input.shape)[3 - rank:])
    return torch._VF.stft(input, n_fft, hop_length, win_length, window,
                          normalized, onesided, return_complex)


def lu(A, pivot=True, get_infos=False, out=None):
    three = torch._lu_with_info(A, pivot, not get_infos)
    if get_infos:
        return three[0], three[1], three[2]
    return three[0], three[1]


# What takes any number of tensors.

def einsum(equation, *operands):
    if len(operands) == 1 and isinstance(operands[0], (tuple, list)):
        return torch._VF.einsum(equation, operands[0])
    return torch._VF.einsum(equation, operands)


def all_of(tensors):
    if len(tensors) == 1 and isinstance(tensors[0], (tuple, list)):
        return tensors[0]
    return tensors


def broadcast_tensors(*tensors):
    return torch._VF.broadcast_tensors(all_of(tensors))


def block_diag(*tensors):
    return torch._VF.block_diag(all_of(tensors))


def cartesian_prod(*tensors):
    return torch._VF.cartesian_prod(all_of(tensors))


def cdist(x1, x2, p=2.0,
          compute_mode="use_mm_for_euclid_dist_if_necessary"):
    if compute_mode == "use_mm_for_euclid_dist":
        return torch._VF.cdist(x1, x2, p, 1)
    if compute_mode == "donot_use_mm_for_euclid_dist":
        return torch._VF.cdist(x1, x2, p, 2)
    return torch._VF.cdist(x1, x2, p, None)


def tensordot(a, b, dims=2, out=None):
    if isinstance(dims, (tuple, list)):
        first = for_each(dims[0], 1)
        second = for_each(dims[1], 1)
    else:
        first = tuple(range(-dims, 0))
        second = tuple(range(dims))
    return torch._VF.tensordot(a, b, first, second)


def meshgrid(*tensors, indexing="ij"):
    return torch._VF.meshgrid(all_of(tensors), indexing=indexing)


# torchvision's window attention.  Sizes are not known here, so nothing may
# depend on them but numbers.

def window_regions(size, window, shift):
    """Which of the parts that a shift brings together each row lies in."""
    rows = torch.arange(size)
    return (rows >= size - window).long() + (rows >= size - shift).long()


def windows_of(x, height, width, window_size):
    """[B, height, width, C] as [B * windows, positions in a window, C]."""
    rows, columns = window_size[0], window_size[1]
    x = x.view(x.shape[0], height // rows, rows, width // columns, columns,
               x.shape[3])
    return x.permute(0, 1, 3, 2, 4, 5).reshape(-1, rows * columns, x.shape[5])


def without_key_bias(bias):
    third = bias.shape[0] // 3
    return torch.cat((bias[:third], torch.zeros_like(bias[:third]),
                      bias[2 * third:]))


def shifted_window_attention(input, qkv_weight, proj_weight,
                             relative_position_bias, window_size, num_heads,
                             shift_size, attention_dropout=0.0, dropout=0.0,
                             qkv_bias=None, proj_bias=None, logit_scale=None,
                             training=True):
    B, H, W, C = (input.shape[0], input.shape[1], input.shape[2],
                  input.shape[3])
    rows, columns = window_size[0], window_size[1]
    x = F.pad(input, (0, 0, 0, (columns - W % columns) % columns,
                      0, (rows - H % rows) % rows))
    height, width = x.shape[1], x.shape[2]
    is_shifted = shift_size[0] + shift_size[1] > 0
    count = (height // rows) * (width // columns)
    length = rows * columns
    if is_shifted:
        down = shift_size[0] * (height > rows)
        right = shift_size[1] * (width > columns)
        x = torch.roll(x, (-down, -right), (1, 2))
    x = windows_of(x, height, width, window_size)
    if logit_scale is not None and qkv_bias is not None:
        qkv_bias = without_key_bias(qkv_bias)
    qkv = F.linear(x, qkv_weight, qkv_bias)
    qkv = qkv.reshape(B * count, length, 3, num_heads,
                      C // num_heads).permute(2, 0, 3, 1, 4)
    q, k, v = qkv[0], qkv[1], qkv[2]
    if logit_scale is not None:
        scores = F.normalize(q, dim=-1) @ F.normalize(
            k, dim=-1).transpose(-2, -1)
        scale = torch.clamp(logit_scale, max=math.log(100.0)).exp()
        scores = scores * scale
    else:
        q = q * (C // num_heads) ** -0.5
        scores = q.matmul(k.transpose(-2, -1))
    scores = scores + relative_position_bias
    if is_shifted:
        regions = window_regions(height, rows, down).unsqueeze(1) * 3 + \
            window_regions(width, columns, right).unsqueeze(0)
        regions = regions.view(height // rows, rows, width // columns,
                               columns)
        regions = regions.permute(0, 2, 1, 3).reshape(count, length)
        apart = regions.unsqueeze(1) != regions.unsqueeze(2)
        mask = x.new_zeros((count, length, length)).masked_fill(apart, -100.0)
        scores = scores.view(B, count, num_heads, length, length)
        scores = scores + mask.unsqueeze(1).unsqueeze(0)
        scores = scores.view(-1, num_heads, length, length)
    scores = F.softmax(scores, dim=-1)
    scores = F.dropout(scores, attention_dropout, training)
    x = scores.matmul(v).transpose(1, 2).reshape(B * count, length, C)
    x = F.linear(x, proj_weight, proj_bias)
    x = F.dropout(x, dropout, training)
    x = x.view(B, height // rows, width // columns, rows, columns, C)
    x = x.permute(0, 1, 3, 2, 4, 5).reshape(B, height, width, C)
    if is_shifted:
        x = torch.roll(x, (down, right), (1, 2))
    return x[:, :H, :W, :].contiguous()


def add_shortcut(x, shortcut, residual_with_cls_embed):
    if residual_with_cls_embed:
        return x.add_(shortcut)
    inner = x[:, :, 1:, :]
    inner.add_(shortcut[:, :, 1:, :])
    return x


def distances(count, other):
    """Of COUNT positions from OTHER ones, whose steps may be longer."""
    mine = torch.arange(count).unsqueeze(1) * max(other / count, 1.0)
    theirs = torch.arange(other).unsqueeze(0) + (1.0 - other)
    return (mine - theirs * max(count / other, 1.0)).long()


def positions(table, count, other):
    """[count, other, C] from a table of distances, made as long as needed."""
    length = int(2 * max(count, other) - 1)
    # One that is long enough already stays as it is.
    table = F.interpolate(table.permute(1, 0).unsqueeze(0), size=length,
                          mode="linear").squeeze(0).permute(1, 0)
    return table[distances(count, other)]


def add_rel_pos(attn, q, q_thw, k_thw, rel_pos_h, rel_pos_w, rel_pos_t):
    """Scores, with what distances in height, width and time add to them."""
    q_t, q_h, q_w = q_thw[0], q_thw[1], q_thw[2]
    k_t, k_h, k_w = k_thw[0], k_thw[1], k_thw[2]
    by_h = positions(rel_pos_h, q_h, k_h)
    by_w = positions(rel_pos_w, q_w, k_w)
    by_t = positions(rel_pos_t, q_t, k_t)
    B, heads, dim = q.shape[0], q.shape[1], q.shape[3]
    r_q = q[:, :, 1:].reshape(B, heads, q_t, q_h, q_w, dim)
    rel_h = torch._VF.einsum("bythwc,hkc->bythwk", (r_q, by_h))
    rel_w = torch._VF.einsum("bythwc,wkc->bythwk", (r_q, by_w))
    r_q = r_q.permute(2, 0, 1, 3, 4, 5).reshape(
        q_t, B * heads * q_h * q_w, dim)
    rel_t = torch.matmul(r_q, by_t.transpose(1, 2)).transpose(0, 1)
    rel_t = rel_t.view(B, heads, q_h, q_w, q_t, k_t).permute(0, 1, 4, 2, 3, 5)
    rel_pos = (rel_h.unsqueeze(5).unsqueeze(7)
               + rel_w.unsqueeze(5).unsqueeze(6)
               + rel_t.unsqueeze(6).unsqueeze(7)).reshape(
        B, heads, q_t * q_h * q_w, k_t * k_h * k_w)
    inner = attn[:, :, 1:, 1:]
    inner.add_(rel_pos)
    return attn


__name__ = "torch.nn.functional"


# Activations: the last argument may ask for the change in place.

def relu(input, inplace=False):
    return (torch.relu_ if inplace else torch.relu)(input)


def relu6(input, inplace=False):
    return (torch._C._nn.relu6_ if inplace else torch._C._nn.relu6)(input)


def selu(input, inplace=False):
    return (torch.selu_ if inplace else torch.selu)(input)


def celu(input, alpha=1.0, inplace=False):
    return (torch.celu_ if inplace else torch.celu)(input, alpha)


def elu(input, alpha=1.0, inplace=False):
    return (torch._C._nn.elu_ if inplace else torch._C._nn.elu)(input, alpha)


def silu(input, inplace=False):
    return (torch._C._nn.silu_ if inplace else torch._C._nn.silu)(input)


def mish(input, inplace=False):
    return (torch._C._nn.mish_ if inplace else torch._C._nn.mish)(input)


def hardswish(input, inplace=False):
    return (torch._C._nn.hardswish_ if inplace else torch._C._nn.hardswish)(input)


def hardsigmoid(input, inplace=False):
    return (torch._C._nn.hardsigmoid_ if inplace else torch._C._nn.hardsigmoid)(input)


def hardtanh(input, min_val=-1.0, max_val=1.0, inplace=False):
    return (torch._C._nn.hardtanh_ if inplace else torch._C._nn.hardtanh)(input, min_val, max_val)


def leaky_relu(input, negative_slope=0.01, inplace=False):
    return (torch._C._nn.leaky_relu_ if inplace else torch._C._nn.leaky_relu)(input, negative_slope)


def threshold(input, threshold, value, inplace=False):
    return (torch.threshold_ if inplace else torch.threshold)(input, threshold, value)


def rrelu(input, lower=0.125, upper=0.3333333333333333, training=False,
          inplace=False):
    return (torch.rrelu_ if inplace else torch.rrelu)(input, lower, upper, training)


def softsign(input):
    return input / (input.abs() + 1)


def tanhshrink(input):
    return input - input.tanh()


def softmax(input, dim=None, _stacklevel=3, dtype=None):
    if dtype is None:
        return torch.softmax(input, usual_dim(input, dim))
    return torch.softmax(input, usual_dim(input, dim), dtype=dtype)


def log_softmax(input, dim=None, _stacklevel=3, dtype=None):
    if dtype is None:
        return torch.log_softmax(input, usual_dim(input, dim))
    return torch.log_softmax(input, usual_dim(input, dim), dtype=dtype)


def softmin(input, dim=None, _stacklevel=3, dtype=None):
    if dtype is None:
        return torch.softmax(-input, usual_dim(input, dim))
    return torch.softmax(-input, usual_dim(input, dim), dtype=dtype)


# Dropout.

def dropout(input, p=0.5, training=True, inplace=False):
    assert 0.0 <= p <= 1.0, "a probability lies between 0 and 1"
    return (torch.dropout_ if inplace else torch.dropout)(input, p, training)


def dropout2d(input, p=0.5, training=True, inplace=False):
    return (torch.feature_dropout_ if inplace else torch.feature_dropout)(input, p, training)


def dropout1d(input, p=0.5, training=True, inplace=False):
    return dropout_batched(input, p, training, inplace, 3)


def dropout3d(input, p=0.5, training=True, inplace=False):
    return dropout_batched(input, p, training, inplace, 5)


def alpha_dropout(input, p=0.5, training=False, inplace=False):
    return (torch.alpha_dropout_ if inplace else torch.alpha_dropout)(input, p, training)


def feature_alpha_dropout(input, p=0.5, training=False, inplace=False):
    return (torch.feature_alpha_dropout_ if inplace else torch.feature_alpha_dropout)(input, p, training)


# Pooling.

def max_pool1d(input, kernel_size, stride=None, padding=0, dilation=1,
               ceil_mode=False, return_indices=False):
    if return_indices:
        return torch.max_pool1d_with_indices(
            input, kernel_size, or_kernel(stride), padding, dilation,
            ceil_mode)
    return torch.max_pool1d(input, kernel_size, or_kernel(stride), padding,
                            dilation, ceil_mode)


def max_pool2d(input, kernel_size, stride=None, padding=0, dilation=1,
               ceil_mode=False, return_indices=False):
    if return_indices:
        return torch._C._nn.max_pool2d_with_indices(
            input, kernel_size, or_kernel(stride), padding, dilation,
            ceil_mode)
    return torch.max_pool2d(input, kernel_size, or_kernel(stride), padding,
                            dilation, ceil_mode)


def max_pool3d(input, kernel_size, stride=None, padding=0, dilation=1,
               ceil_mode=False, return_indices=False):
    if return_indices:
        return torch._C._nn.max_pool3d_with_indices(
            input, kernel_size, or_kernel(stride), padding, dilation,
            ceil_mode)
    return torch.max_pool3d(input, kernel_size, or_kernel(stride), padding,
                            dilation, ceil_mode)


def max_pool1d_with_indices(input, kernel_size, stride=None, padding=0,
                            dilation=1, ceil_mode=False,
                            return_indices=False):
    return max_pool1d(input, kernel_size, stride, padding, dilation,
                      ceil_mode, True)


def max_pool2d_with_indices(input, kernel_size, stride=None, padding=0,
                            dilation=1, ceil_mode=False,
                            return_indices=False):
    return max_pool2d(input, kernel_size, stride, padding, dilation,
                      ceil_mode, True)


def max_pool3d_with_indices(input, kernel_size, stride=None, padding=0,
                            dilation=1, ceil_mode=False,
                            return_indices=False):
    return max_pool3d(input, kernel_size, stride, padding, dilation,
                      ceil_mode, True)


def adaptive_avg_pool2d(input, output_size):
    return torch._C._nn.adaptive_avg_pool2d(
        input, with_input_sizes(output_size, input))


def adaptive_avg_pool3d(input, output_size):
    return torch._C._nn.adaptive_avg_pool3d(
        input, with_input_sizes(output_size, input))


def adaptive_max_pool1d_with_indices(input, output_size,
                                     return_indices=False):
    return torch.adaptive_max_pool1d(input, output_size)


def adaptive_max_pool2d_with_indices(input, output_size,
                                     return_indices=False):
    return torch._C._nn.adaptive_max_pool2d(
        input, with_input_sizes(output_size, input))


def adaptive_max_pool3d_with_indices(input, output_size,
                                     return_indices=False):
    return torch._C._nn.adaptive_max_pool3d(
        input, with_input_sizes(output_size, input))


def adaptive_max_pool1d(input, output_size, return_indices=False):
    both = adaptive_max_pool1d_with_indices(input, output_size)
    return both if return_indices else both[0]


def adaptive_max_pool2d(input, output_size, return_indices=False):
    both = adaptive_max_pool2d_with_indices(input, output_size)
    return both if return_indices else both[0]


def adaptive_max_pool3d(input, output_size, return_indices=False):
    both = adaptive_max_pool3d_with_indices(input, output_size)
    return both if return_indices else both[0]


def lp_pool1d(input, norm_type, kernel_size, stride=None, ceil_mode=False):
    mean = torch.avg_pool1d(input.pow(norm_type), kernel_size,
                            or_kernel(stride), 0, ceil_mode)
    return root_of_sum(mean, kernel_size, norm_type)


def lp_pool2d(input, norm_type, kernel_size, stride=None, ceil_mode=False):
    mean = torch._C._nn.avg_pool2d(input.pow(norm_type), kernel_size,
                                   or_kernel(stride), 0, ceil_mode)
    if isinstance(kernel_size, (tuple, list)):
        return root_of_sum(mean, kernel_size[0] * kernel_size[1], norm_type)
    return root_of_sum(mean, kernel_size * kernel_size, norm_type)


def fractional_max_pool2d_with_indices(input, kernel_size, output_size=None,
                                       output_ratio=None,
                                       return_indices=False,
                                       _random_samples=None):
    return torch._C._nn.fractional_max_pool2d(
        input, for_each(kernel_size, 2),
        fractional_sizes(input, output_size, output_ratio, 2),
        fractional_samples(input, _random_samples, 2))


def fractional_max_pool3d_with_indices(input, kernel_size, output_size=None,
                                       output_ratio=None,
                                       return_indices=False,
                                       _random_samples=None):
    return torch._C._nn.fractional_max_pool3d(
        input, for_each(kernel_size, 3),
        fractional_sizes(input, output_size, output_ratio, 3),
        fractional_samples(input, _random_samples, 3))


def fractional_max_pool2d(input, kernel_size, output_size=None,
                          output_ratio=None, return_indices=False,
                          _random_samples=None):
    both = fractional_max_pool2d_with_indices(
        input, kernel_size, output_size, output_ratio, True, _random_samples)
    return both if return_indices else both[0]


def fractional_max_pool3d(input, kernel_size, output_size=None,
                          output_ratio=None, return_indices=False,
                          _random_samples=None):
    both = fractional_max_pool3d_with_indices(
        input, kernel_size, output_size, output_ratio, True, _random_samples)
    return both if return_indices else both[0]


def max_unpool1d(input, indices, kernel_size, stride=None, padding=0,
                 output_size=None):
    kernel = for_each(kernel_size, 1)
    sizes = unpooled_sizes(
        input, kernel, kernel if stride is None else for_each(stride, 1),
        for_each(padding, 1), output_size)
    return torch._C._nn.max_unpool2d(input.unsqueeze(-1),
                                     indices.unsqueeze(-1),
                                     sizes + (1,)).squeeze(-1)


def max_unpool2d(input, indices, kernel_size, stride=None, padding=0,
                 output_size=None):
    kernel = for_each(kernel_size, 2)
    return torch._C._nn.max_unpool2d(input, indices, unpooled_sizes(
        input, kernel, kernel if stride is None else for_each(stride, 2),
        for_each(padding, 2), output_size))


def max_unpool3d(input, indices, kernel_size, stride=None, padding=0,
                 output_size=None):
    kernel = for_each(kernel_size, 3)
    stride = kernel if stride is None else for_each(stride, 3)
    padding = for_each(padding, 3)
    return torch._C._nn.max_unpool3d(
        input, indices,
        unpooled_sizes(input, kernel, stride, padding, output_size),
        stride, padding)


def unfold(input, kernel_size, dilation=1, padding=0, stride=1):
    return torch._C._nn.im2col(input, for_each(kernel_size, 2),
                               for_each(dilation, 2), for_each(padding, 2),
                               for_each(stride, 2))


def fold(input, output_size, kernel_size, dilation=1, padding=0, stride=1):
    return torch._C._nn.col2im(input, for_each(output_size, 2),
                               for_each(kernel_size, 2),
                               for_each(dilation, 2), for_each(padding, 2),
                               for_each(stride, 2))


# Normalization.

def batch_norm(input, running_mean, running_var, weight=None, bias=None,
               training=False, momentum=0.1, eps=1e-05):
    # Only the first of the two is known to write the statistics.
    if training and running_mean is not None:
        return torch.batch_norm(input, weight, bias, running_mean,
                                running_var, True, momentum, eps, True)
    return torch.ops.aten.batch_norm(input, weight, bias, running_mean,
                                     running_var, training, momentum, eps,
                                     True)


def instance_norm(input, running_mean=None, running_var=None, weight=None,
                  bias=None, use_input_stats=True, momentum=0.1, eps=1e-05):
    if use_input_stats and running_mean is not None:
        return torch.instance_norm(input, weight, bias, running_mean,
                                   running_var, True, momentum, eps, True)
    return torch.ops.aten.instance_norm(input, weight, bias, running_mean,
                                        running_var, use_input_stats,
                                        momentum, eps, True)


def local_response_norm(input, size, alpha=0.0001, beta=0.75, k=1.0):
    around = (size // 2, (size - 1) // 2)
    squares = input.mul(input).unsqueeze(1)
    if input.dim() == 3:
        squares = F.pad(squares, (0, 0) + around)
        mean = torch._C._nn.avg_pool2d(squares, (size, 1), 1).squeeze(1)
    else:
        shape = input.shape
        squares = squares.view(shape[0], 1, shape[1], shape[2], -1)
        squares = F.pad(squares, (0, 0, 0, 0) + around)
        mean = torch._C._nn.avg_pool3d(squares, (size, 1, 1), 1).squeeze(1)
        mean = mean.view(shape)
    return input / mean.mul(alpha).add(k).pow(beta)


def normalize(input, p=2.0, dim=1, eps=1e-12, out=None):
    length = torch._VF.norm(input, p, dim, True).clamp_min(eps).expand_as(input)
    return input / length


# Tables.

def embedding(input, weight, padding_idx=None, max_norm=None, norm_type=2.0,
              scale_grad_by_freq=False, sparse=False):
    index = -1 if padding_idx is None else padding_idx
    if index < -1 or (padding_idx is not None and index < 0):
        index = weight.shape[0] + index
    if max_norm is not None:
        torch.embedding_renorm_(weight, input, max_norm, norm_type)
    return torch.embedding(weight, input, index, scale_grad_by_freq, sparse)


def embedding_bag(input, weight, offsets=None, max_norm=None, norm_type=2,
                  scale_grad_by_freq=False, mode="mean", sparse=False,
                  per_sample_weights=None, include_last_offset=False,
                  padding_idx=None):
    # The other order was the only one once, and is understood still.
    if input.is_floating_point() and not weight.is_floating_point():
        table = input
        input = weight
        weight = table
    if input.dim() == 2:
        offsets = torch.arange(0, input.shape[0] * input.shape[1],
                               input.shape[1], dtype=torch.int64)
        input = input.reshape(-1)
        if per_sample_weights is not None:
            per_sample_weights = per_sample_weights.reshape(-1)
    if max_norm is not None:
        torch.embedding_renorm_(weight, input, max_norm, norm_type)
    kind = {"sum": 0, "mean": 1, "max": 2}[mode]
    return torch.embedding_bag(weight, input, offsets, scale_grad_by_freq,
                               kind, sparse, per_sample_weights,
                               include_last_offset, padding_idx)[0]


# Resizing.

def interpolate(input, size=None, scale_factor=None, mode="nearest",
                align_corners=None, recompute_scale_factor=None,
                antialias=False):
    rank = input.dim()
    sizes = for_each(size, rank - 2)
    factors = for_each(scale_factor, rank - 2)
    if recompute_scale_factor or (mode == "area" and sizes is None):
        sizes = scaled_sizes(input, factors)
        factors = None
    factors = floats(factors)
    corners = bool(align_corners)
    if mode == "area":
        if rank == 3:
            return torch.adaptive_avg_pool1d(input, sizes)
        if rank == 4:
            return torch._C._nn.adaptive_avg_pool2d(input, sizes)
        return torch._C._nn.adaptive_avg_pool3d(input, sizes)
    if mode == "nearest":
        if rank == 3:
            return torch._C._nn.upsample_nearest1d(input, sizes, factors)
        if rank == 4:
            return torch._C._nn.upsample_nearest2d(input, sizes, factors)
        return torch._C._nn.upsample_nearest3d(input, sizes, factors)
    if mode == "nearest-exact":
        if rank == 3:
            return torch._C._nn._upsample_nearest_exact1d(input, sizes,
                                                          factors)
        if rank == 4:
            return torch._C._nn._upsample_nearest_exact2d(input, sizes,
                                                          factors)
        return torch._C._nn._upsample_nearest_exact3d(input, sizes, factors)
    if mode == "linear":
        return torch._C._nn.upsample_linear1d(input, sizes, corners, factors)
    if mode == "trilinear":
        return torch._C._nn.upsample_trilinear3d(input, sizes, corners,
                                                 factors)
    if mode == "bilinear" and antialias:
        return torch._C._nn._upsample_bilinear2d_aa(input, sizes, corners,
                                                    factors)
    if mode == "bilinear":
        return torch._C._nn.upsample_bilinear2d(input, sizes, corners,
                                                factors)
    assert mode == "bicubic", "there is no such mode"
    if antialias:
        return torch._C._nn._upsample_bicubic2d_aa(input, sizes, corners,
                                                   factors)
    return torch._C._nn.upsample_bicubic2d(input, sizes, corners, factors)


def upsample(input, size=None, scale_factor=None, mode="nearest",
             align_corners=None):
    return interpolate(input, size, scale_factor, mode, align_corners)


def upsample_nearest(input, size=None, scale_factor=None):
    return interpolate(input, size, scale_factor)


def upsample_bilinear(input, size=None, scale_factor=None):
    return interpolate(input, size, scale_factor, "bilinear", True)


def grid_sample(input, grid, mode="bilinear", padding_mode="zeros",
                align_corners=None):
    how = {"bilinear": 0, "nearest": 1, "bicubic": 2}[mode]
    outside = {"zeros": 0, "border": 1, "reflection": 2}[padding_mode]
    return torch.grid_sampler(input, grid, how, outside, bool(align_corners))


def affine_grid(theta, size, align_corners=None):
    return torch.affine_grid_generator(theta, size, bool(align_corners))


# Losses.

def cross_entropy(input, target, weight=None, size_average=None,
                  ignore_index=-100, reduce=None, reduction="mean",
                  label_smoothing=0.0):
    return torch._C._nn.cross_entropy_loss(
        input, target, weight, reduction_of(size_average, reduce, reduction),
        ignore_index, label_smoothing)


def linear_cross_entropy(input, linear_weight, target, linear_bias=None,
                         weight=None, reduction="mean", ignore_index=None,
                         label_smoothing=0.0, options=None):
    assert options is None, "chunks of this loss are not known"
    assert linear_weight.dim() == 2, "losses of more dimensions are not known"
    ignored = -100 if ignore_index is None else ignore_index
    return torch._C._nn.cross_entropy_loss(
        torch.nn.functional.linear(input, linear_weight, linear_bias), target,
        weight, reduction_of(None, None, reduction), ignored, label_smoothing)


def nll_loss(input, target, weight=None, size_average=None,
             ignore_index=-100, reduce=None, reduction="mean"):
    return torch._C._nn.nll_loss_nd(
        input, target, weight, reduction_of(size_average, reduce, reduction),
        ignore_index)


def mse_loss(input, target, size_average=None, reduce=None,
             reduction="mean", weight=None):
    assert weight is None, "weights of this loss are not known"
    return torch._C._nn.mse_loss(
        input, target, reduction_of(size_average, reduce, reduction))


def l1_loss(input, target, size_average=None, reduce=None, reduction="mean",
            weight=None):
    assert weight is None, "weights of this loss are not known"
    return torch._C._nn.l1_loss(
        input, target, reduction_of(size_average, reduce, reduction))


def smooth_l1_loss(input, target, size_average=None, reduce=None,
                   reduction="mean", beta=1.0):
    return torch._C._nn.smooth_l1_loss(
        input, target, reduction_of(size_average, reduce, reduction), beta)


def huber_loss(input, target, reduction="mean", delta=1.0, weight=None):
    assert weight is None, "weights of this loss are not known"
    return torch._C._nn.huber_loss(
        input, target, reduction_of(None, None, reduction), delta)


def kl_div(input, target, size_average=None, reduce=None, reduction="mean",
           log_target=False):
    if reduction == "batchmean":
        total = torch.kl_div(input, target, 2, log_target=log_target)
        return total / input.shape[0]
    return torch.kl_div(input, target,
                        reduction_of(size_average, reduce, reduction),
                        log_target=log_target)


def binary_cross_entropy(input, target, weight=None, size_average=None,
                         reduce=None, reduction="mean"):
    return torch._C._nn.binary_cross_entropy(
        input, target, weight, reduction_of(size_average, reduce, reduction))


def binary_cross_entropy_with_logits(input, target, weight=None,
                                     size_average=None, reduce=None,
                                     reduction="mean", pos_weight=None):
    return torch.binary_cross_entropy_with_logits(
        input, target, weight, pos_weight,
        reduction_of(size_average, reduce, reduction))


def soft_margin_loss(input, target, size_average=None, reduce=None,
                     reduction="mean"):
    return torch._C._nn.soft_margin_loss(
        input, target, reduction_of(size_average, reduce, reduction))


def multilabel_margin_loss(input, target, size_average=None, reduce=None,
                           reduction="mean"):
    return torch._C._nn.multilabel_margin_loss(
        input, target, reduction_of(size_average, reduce, reduction))


def multi_margin_loss(input, target, p=1, margin=1.0, weight=None,
                      size_average=None, reduce=None, reduction="mean"):
    return torch._C._nn.multi_margin_loss(
        input, target, p, margin, weight,
        reduction_of(size_average, reduce, reduction))


def margin_ranking_loss(input1, input2, target, margin=0, size_average=None,
                        reduce=None, reduction="mean"):
    return torch.margin_ranking_loss(
        input1, input2, target, margin,
        reduction_of(size_average, reduce, reduction))


def hinge_embedding_loss(input, target, margin=1.0, size_average=None,
                         reduce=None, reduction="mean"):
    return torch.hinge_embedding_loss(
        input, target, margin, reduction_of(size_average, reduce, reduction))


def cosine_embedding_loss(input1, input2, target, margin=0,
                          size_average=None, reduce=None, reduction="mean"):
    return torch.cosine_embedding_loss(
        input1, input2, target, margin,
        reduction_of(size_average, reduce, reduction))


def triplet_margin_loss(anchor, positive, negative, margin=1.0, p=2,
                        eps=1e-6, swap=False, size_average=None, reduce=None,
                        reduction="mean"):
    return torch.triplet_margin_loss(
        anchor, positive, negative, margin, p, eps, swap,
        reduction_of(size_average, reduce, reduction))


def triplet_margin_with_distance_loss(anchor, positive, negative,
                                      distance_function=None, margin=1.0,
                                      swap=False, reduction="mean"):
    assert distance_function is None, "other distances are not known here"
    near = torch.pairwise_distance(anchor, positive)
    far = torch.pairwise_distance(anchor, negative)
    if swap:
        far = torch.min(far, torch.pairwise_distance(positive, negative))
    return reduced(torch.clamp(near - far + margin, min=0.0), reduction)


def multilabel_soft_margin_loss(input, target, weight=None,
                                size_average=None, reduce=None,
                                reduction="mean"):
    loss = -(target * torch._C._nn.log_sigmoid(input)
             + (1 - target) * torch._C._nn.log_sigmoid(-input))
    if weight is not None:
        loss = loss * weight
    loss = loss.sum(dim=input.dim() - 1) / input.shape[input.dim() - 1]
    kind = reduction_of(size_average, reduce, reduction)
    return reduced(loss, ("none", "mean", "sum")[kind])


def poisson_nll_loss(input, target, log_input=True, full=False,
                     size_average=None, eps=1e-8, reduce=None,
                     reduction="mean"):
    return torch.poisson_nll_loss(
        input, target, log_input, full, eps,
        reduction_of(size_average, reduce, reduction))


def gaussian_nll_loss(input, target, var, full=False, eps=1e-6,
                      reduction="mean"):
    if var.dim() == input.dim() - 1:
        var = var.unsqueeze(-1)
    var = var.clamp(min=eps)
    loss = 0.5 * (torch.log(var) + (input - target) ** 2 / var)
    if full:
        loss = loss + 0.5 * math.log(2 * math.pi)
    return reduced(loss, reduction)


def ctc_loss(log_probs, targets, input_lengths, target_lengths, blank=0,
             reduction="mean", zero_infinity=False):
    return torch.ctc_loss(log_probs, targets, input_lengths, target_lengths,
                          blank, reduction_of(None, None, reduction),
                          zero_infinity)


# Attention.

def gumbel_softmax(logits, tau=1, hard=False, eps=1e-10, dim=-1):
    noise = -torch.empty_like(logits).exponential_().log()
    soft = ((logits + noise) / tau).softmax(dim)
    if not hard:
        return soft
    best = soft.max(dim, keepdim=True)[1]
    one = torch.zeros_like(logits).scatter_(dim, best, 1.0)
    return one - soft + soft


def multi_head_attention_forward(
        query, key, value, embed_dim_to_check, num_heads, in_proj_weight,
        in_proj_bias, bias_k, bias_v, add_zero_attn, dropout_p,
        out_proj_weight, out_proj_bias, training=True, key_padding_mask=None,
        need_weights=True, attn_mask=None, use_separate_proj_weight=False,
        q_proj_weight=None, k_proj_weight=None, v_proj_weight=None,
        static_k=None, static_v=None, average_attn_weights=True,
        is_causal=False):
    assert static_k is None and static_v is None, \
        "keys and values from elsewhere are not known here"
    batched = query.dim() == 3
    if not batched:
        query, key, value = (query.unsqueeze(1), key.unsqueeze(1),
                             value.unsqueeze(1))
        if key_padding_mask is not None:
            key_padding_mask = key_padding_mask.unsqueeze(0)
    length, batch, e = query.shape[0], query.shape[1], embed_dim_to_check
    size = e // num_heads
    b_q = None if in_proj_bias is None else in_proj_bias[:e]
    b_k = None if in_proj_bias is None else in_proj_bias[e:2 * e]
    b_v = None if in_proj_bias is None else in_proj_bias[2 * e:]
    if not use_separate_proj_weight:
        q_proj_weight = in_proj_weight[:e]
        k_proj_weight = in_proj_weight[e:2 * e]
        v_proj_weight = in_proj_weight[2 * e:]
    q = F.linear(query, q_proj_weight, b_q)
    k = F.linear(key, k_proj_weight, b_k)
    v = F.linear(value, v_proj_weight, b_v)
    if bias_k is not None:
        k = torch.cat([k, bias_k.repeat(1, batch, 1)])
        v = torch.cat([v, bias_v.repeat(1, batch, 1)])
        attn_mask = wider_mask(attn_mask)
        key_padding_mask = wider_mask(key_padding_mask)
    q = heads_of(q, num_heads, size)
    k = heads_of(k, num_heads, size)
    v = heads_of(v, num_heads, size)
    if add_zero_attn:
        k = F.pad(k, (0, 0, 0, 1))
        v = F.pad(v, (0, 0, 0, 1))
        attn_mask = wider_mask(attn_mask)
        key_padding_mask = wider_mask(key_padding_mask)
    mask = merged_masks(attn_mask, key_padding_mask, q, batch, num_heads)
    scores = torch.bmm(q / math.sqrt(size), k.transpose(-2, -1))
    if mask is not None:
        scores = scores + mask
    weights = F.softmax(scores, dim=-1)
    weights = F.dropout(weights, dropout_p if training else 0.0, training)
    result = torch.bmm(weights, v).transpose(0, 1).contiguous().view(
        length * batch, e)
    result = F.linear(result, out_proj_weight, out_proj_bias)
    result = result.view(length, batch, -1)
    if not batched:
        result = result.squeeze(1)
    if not need_weights:
        return result, None
    weights = weights.view(batch, num_heads, length, -1)
    if average_attn_weights:
        weights = weights.sum(dim=1) / num_heads
    if not batched:
        weights = weights.squeeze(0)
    return result, weights


def scaled_dot_product_attention(query, key, value, attn_mask=None,
                                 dropout_p=0.0, is_causal=False, scale=None,
                                 enable_gqa=False):
    """What torch 2 has as an operator; a row that sees nothing gives 0."""
    assert attn_mask is None or not is_causal, \
        "attn_mask may not be set when is_causal is True"
    if enable_gqa:
        heads = query.shape[-3]
        key = key.repeat_interleave(heads // key.shape[-3], -3)
        value = value.repeat_interleave(heads // value.shape[-3], -3)
    if scale is None:
        scale = 1.0 / math.sqrt(query.shape[-1])
    if is_causal:
        attn_mask = torch.ones(query.shape[-2], key.shape[-2],
                               dtype=torch.bool).tril()
    if attn_mask is not None and attn_mask.dtype == torch.bool:
        attn_mask = added_mask(attn_mask.logical_not(), query)
    scores = torch.matmul(query * scale, key.transpose(-2, -1))
    if attn_mask is not None:
        scores = scores + attn_mask
    weights = torch.softmax(scores, -1)
    if attn_mask is not None:
        blind = (scores == -math.inf).all(-1, True)
        weights = weights.masked_fill(blind, 0.0)
    if dropout_p > 0.0:
        weights = torch.dropout(weights, dropout_p, True)
    return torch.matmul(weights, value)


NAMES = {
    "torch._C._nn.scaled_dot_product_attention": scaled_dot_product_attention,
    "torch.ops.aten.scaled_dot_product_attention.default":
        scaled_dot_product_attention,
    "torchvision.models.video.mvit._add_rel_pos": add_rel_pos,
    "operator.truediv": number_by_tensor,
    "torchvision.models.swin_transformer.shifted_window_attention":
        shifted_window_attention,
    "torchvision.models.video.mvit._add_shortcut": add_shortcut,
    "Tensor.where": where_method,
    "Tensor.polygamma": polygamma_method,
    "Tensor.__rdiv__": reflected_true_divide,
    "Tensor.__rtruediv__": reflected_true_divide,
    "Tensor.__rfloordiv__": reflected_floor_divide,
    "Tensor.__rpow__": reflected_power,
    "Tensor.__rmod__": reflected_remainder,
    "Tensor.__rmatmul__": reflected_matmul,
    "Tensor.__rlshift__": reflected_left_shift,
    "Tensor.__rrshift__": reflected_right_shift,
    "Tensor.__rand__": reflected_and,
    "Tensor.__ror__": reflected_or,
    "Tensor.__rxor__": reflected_xor,
    "Tensor.__contains__": contains,
    "Tensor.new_tensor": new_tensor,
    "Tensor.type": type_method,
    "Tensor.has_names": has_names,
    "Tensor.nonzero": nonzero,
    "torch.nonzero": nonzero,
    "Tensor.unique": unique,
    "torch.unique": unique,
    "torch.functional.unique": unique,
    "Tensor.unique_consecutive": unique_consecutive,
    "torch.unique_consecutive": unique_consecutive,
    "torch.functional.unique_consecutive": unique_consecutive,
    "Tensor.stft": stft,
    "torch.stft": stft,
    "torch.functional.stft": stft,
    "Tensor.lu": lu,
    "torch.nn.functional._threshold": threshold,
    "torch.functional.einsum": einsum,
    "torch.einsum": einsum,
    "torch.functional.broadcast_tensors": broadcast_tensors,
    "torch.broadcast_tensors": broadcast_tensors,
    "torch.functional.block_diag": block_diag,
    "torch.block_diag": block_diag,
    "torch.functional.cartesian_prod": cartesian_prod,
    "torch.cartesian_prod": cartesian_prod,
    "torch.functional.cdist": cdist,
    "torch.cdist": cdist,
    "torch.functional.tensordot": tensordot,
    "torch.tensordot": tensordot,
    "torch.functional.lu": lu,
    "torch.lu": lu,
    "torch.functional.meshgrid": meshgrid,
    "torch.meshgrid": meshgrid,
    "torch.functional.norm": norm,
    "Tensor.norm": norm,
    "torch.norm": norm,
    "torchvision.ops.stochastic_depth.stochastic_depth": stochastic_depth,
    "torchvision.models.video.mvit._unsqueeze": unsqueeze_to,
    "torchvision.models.video.mvit._squeeze": squeeze_from,
    "torchvision.models.swin_transformer._patch_merging_pad": patch_merging,
    "torchvision.models.swin_transformer._get_relative_position_bias":
        relative_position_bias,
}
