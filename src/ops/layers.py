"""What the layers of torch.nn mean, as Python.

A class here says three things of the torch.nn class of the same name: how its
arguments become configuration and parameters (__init__), which operators it
calls (forward), and where it lives (the __name__ set above it).  fxdb
evaluates these functions partially (ir/decompose): everything that depends on
configuration, on constants and on the rank and dtype of tensors is computed,
calls of operators become nodes.  So a function here is assignments, `if`, loops
over constant sequences, asserts and returns.  `Parameter(2, 3)` and `Buffer(3)`
register a tensor of that shape, `Parameter(None)` registers none.

The file is ordinary Python; a test runs it beside torch and compares.
Long because each layer is a row.
"""


# Helpers.

def repeat(value, count):
    if isinstance(value, (tuple, list)):
        return tuple(value)
    return (value,) * count


def twice_reversed(padding):
    """Padding of each dimension as pad() wants it: last dimension first."""
    result = ()
    for amount in reversed(padding):
        result = result + (amount, amount)
    return result


# Linear layers.

__name__ = "torch.nn.modules.linear"


class Identity:
    def __init__(self, *args, **kwargs):
        pass

    def forward(self, input):
        return input


class Linear:
    def __init__(self, in_features, out_features, bias=True, device=None,
                 dtype=None):
        self.in_features = in_features
        self.out_features = out_features
        self.weight = Parameter(out_features, in_features, dtype=dtype)
        self.bias = Parameter(out_features if bias else None, dtype=dtype)

    def forward(self, input):
        return F.linear(input, self.weight, self.bias)


class NonDynamicallyQuantizableLinear(Linear):
    pass


class Bilinear:
    def __init__(self, in1_features, in2_features, out_features, bias=True,
                 device=None, dtype=None):
        self.in1_features = in1_features
        self.in2_features = in2_features
        self.out_features = out_features
        self.weight = Parameter(out_features, in1_features, in2_features,
                                dtype=dtype)
        self.bias = Parameter(out_features if bias else None, dtype=dtype)

    def forward(self, input1, input2):
        return F.bilinear(input1, input2, self.weight, self.bias)


# Convolutions.

def padding_around(self):
    """The padding of a convolution as pad() wants it."""
    if not isinstance(self.padding, str):
        return twice_reversed(self.padding)
    around = []
    for i in reversed(range(len(self.kernel_size))):
        total = 0
        if self.padding == "same":
            total = self.dilation[i] * (self.kernel_size[i] - 1)
        around = around + [total // 2, total - total // 2]
    return around


def init_conv(self, in_channels, out_channels, kernel_size, stride, padding,
              dilation, groups, bias, padding_mode, dtype, transposed,
              output_padding):
    assert in_channels % groups == 0, "in_channels must divide into groups"
    assert out_channels % groups == 0, "out_channels must divide into groups"
    assert padding_mode in ("zeros", "reflect", "replicate", "circular"), \
        "there is no such padding_mode"
    self.in_channels = in_channels
    self.out_channels = out_channels
    self.kernel_size = kernel_size
    self.stride = stride
    self.padding = padding
    self.dilation = dilation
    self.transposed = transposed
    self.output_padding = output_padding
    self.groups = groups
    self.padding_mode = padding_mode
    if isinstance(padding, str):
        assert padding in ("same", "valid"), "there is no such padding"
        assert padding == "valid" or stride == (1,) * len(stride), \
            "padding 'same' needs a stride of 1"
    self._reversed_padding_repeated_twice = padding_around(self)
    if transposed:
        self.weight = Parameter(in_channels, out_channels // groups,
                                *kernel_size, dtype=dtype)
    else:
        self.weight = Parameter(out_channels, in_channels // groups,
                                *kernel_size, dtype=dtype)
    self.bias = Parameter(out_channels if bias else None, dtype=dtype)


def conv_padding(padding, count):
    return padding if isinstance(padding, str) else repeat(padding, count)


def conv_forward(self, function, input):
    if self.padding_mode != "zeros":
        padded = F.pad(input, padding_around(self), mode=self.padding_mode)
        return function(padded, self.weight, self.bias, self.stride,
                        (0,) * len(self.stride), self.dilation, self.groups)
    return function(input, self.weight, self.bias, self.stride, self.padding,
                    self.dilation, self.groups)


def conv_output_padding(self, input, output_size):
    """What must be added at the end so that OUTPUT_SIZE comes out."""
    if output_size is None:
        return self.output_padding
    count = len(self.kernel_size)
    wanted = tuple(output_size)[-count:]
    result = ()
    for i in range(count):
        least = ((input.shape[input.dim() - count + i] - 1) * self.stride[i]
                 - 2 * self.padding[i]
                 + self.dilation[i] * (self.kernel_size[i] - 1) + 1)
        result = result + (wanted[i] - least,)
    return result


__name__ = "torch.nn.modules.conv"


class Conv1d:
    def spatial(self):
        return 1

    def __init__(self, in_channels, out_channels, kernel_size, stride=1,
                 padding=0, dilation=1, groups=1, bias=True,
                 padding_mode="zeros", device=None, dtype=None):
        n = self.spatial()
        init_conv(self, in_channels, out_channels, repeat(kernel_size, n),
                  repeat(stride, n), conv_padding(padding, n),
                  repeat(dilation, n), groups, bias, padding_mode, dtype,
                  False, (0,) * n)

    def forward(self, input):
        return conv_forward(self, F.conv1d, input)


class Conv2d(Conv1d):
    def spatial(self):
        return 2

    def forward(self, input):
        return conv_forward(self, F.conv2d, input)


class Conv3d(Conv1d):
    def spatial(self):
        return 3

    def forward(self, input):
        return conv_forward(self, F.conv3d, input)


def conv_transpose_forward(self, function, input, output_size):
    return function(
        input, self.weight, self.bias, self.stride, self.padding,
        conv_output_padding(self, input, output_size), self.groups,
        self.dilation)


class ConvTranspose1d:
    def spatial(self):
        return 1

    def __init__(self, in_channels, out_channels, kernel_size, stride=1,
                 padding=0, output_padding=0, groups=1, bias=True, dilation=1,
                 padding_mode="zeros", device=None, dtype=None):
        assert padding_mode == "zeros", "only padding_mode 'zeros'"
        n = self.spatial()
        init_conv(self, in_channels, out_channels, repeat(kernel_size, n),
                  repeat(stride, n), repeat(padding, n), repeat(dilation, n),
                  groups, bias, padding_mode, dtype, True,
                  repeat(output_padding, n))

    def forward(self, input, output_size=None):
        return conv_transpose_forward(self, F.conv_transpose1d, input,
                                      output_size)


class ConvTranspose2d(ConvTranspose1d):
    def spatial(self):
        return 2

    def forward(self, input, output_size=None):
        return conv_transpose_forward(self, F.conv_transpose2d, input,
                                      output_size)


class ConvTranspose3d(ConvTranspose1d):
    def spatial(self):
        return 3

    def forward(self, input, output_size=None):
        return conv_transpose_forward(self, F.conv_transpose3d, input,
                                      output_size)


# Normalisation.

def init_norm(self, num_features, eps, momentum, affine, track_running_stats,
              dtype, with_bias):
    self.num_features = num_features
    self.eps = eps
    self.momentum = momentum
    self.affine = affine
    self.track_running_stats = track_running_stats
    size = num_features if affine else None
    kept = num_features if track_running_stats else None
    self.weight = Parameter(size, dtype=dtype)
    self.bias = Parameter(size if with_bias else None, dtype=dtype)
    self.running_mean = Buffer(kept, dtype=dtype)
    self.running_var = Buffer(kept, dtype=dtype)
    if track_running_stats:
        self.num_batches_tracked = Buffer(dtype=torch.int64)
    else:
        self.num_batches_tracked = Buffer(None)


def batch_norm_forward(self, input):
    uses_batch = self.training or (self.running_mean is None
                                   and self.running_var is None)
    momentum = 0.0 if self.momentum is None else self.momentum
    if self.training and not self.track_running_stats:
        return F.batch_norm(input, None, None, self.weight, self.bias,
                            uses_batch, momentum, self.eps)
    if self.training and self.num_batches_tracked is not None:
        self.num_batches_tracked.add_(1)
        if self.momentum is None:
            momentum = 1.0 / self.num_batches_tracked.item()
    return F.batch_norm(input, self.running_mean, self.running_var,
                        self.weight, self.bias, uses_batch, momentum, self.eps)


__name__ = "torch.nn.modules.batchnorm"


class BatchNorm1d:
    def __init__(self, num_features, eps=1e-05, momentum=0.1, affine=True,
                 track_running_stats=True, device=None, dtype=None,
                 bias=True):
        init_norm(self, num_features, eps, momentum, affine,
                  track_running_stats, dtype, bias)

    def forward(self, input):
        assert input.dim() == 2 or input.dim() == 3, "2 or 3 dimensions"
        return batch_norm_forward(self, input)


class BatchNorm2d(BatchNorm1d):
    def forward(self, input):
        assert input.dim() == 4, "4 dimensions are needed"
        return batch_norm_forward(self, input)


class BatchNorm3d(BatchNorm1d):
    def forward(self, input):
        assert input.dim() == 5, "5 dimensions are needed"
        return batch_norm_forward(self, input)


def instance_norm_forward(self, input, spatial):
    uses_input = self.training or not self.track_running_stats
    momentum = 0.0 if self.momentum is None else self.momentum
    if input.dim() == spatial + 1:
        return F.instance_norm(
            input.unsqueeze(0), self.running_mean, self.running_var,
            self.weight, self.bias, uses_input, momentum, self.eps).squeeze(0)
    assert input.dim() == spatial + 2, "a batch of channels is needed"
    return F.instance_norm(input, self.running_mean, self.running_var,
                           self.weight, self.bias, uses_input, momentum,
                           self.eps)


__name__ = "torch.nn.modules.instancenorm"


class InstanceNorm1d:
    def __init__(self, num_features, eps=1e-05, momentum=0.1, affine=False,
                 track_running_stats=False, device=None, dtype=None):
        init_norm(self, num_features, eps, momentum, affine,
                  track_running_stats, dtype, True)

    def forward(self, input):
        return instance_norm_forward(self, input, 1)


class InstanceNorm2d(InstanceNorm1d):
    def forward(self, input):
        return instance_norm_forward(self, input, 2)


class InstanceNorm3d(InstanceNorm1d):
    def forward(self, input):
        return instance_norm_forward(self, input, 3)


__name__ = "torch.nn.modules.normalization"


class LayerNorm:
    def __init__(self, normalized_shape, eps=1e-05, elementwise_affine=True,
                 device=None, dtype=None, bias=True):
        self.normalized_shape = repeat(normalized_shape, 1)
        self.eps = eps
        self.elementwise_affine = elementwise_affine
        if elementwise_affine:
            self.weight = Parameter(*self.normalized_shape, dtype=dtype)
        else:
            self.weight = Parameter(None)
        if elementwise_affine and bias:
            self.bias = Parameter(*self.normalized_shape, dtype=dtype)
        else:
            self.bias = Parameter(None)

    def forward(self, input):
        return F.layer_norm(input, self.normalized_shape, self.weight,
                            self.bias, self.eps)


class RMSNorm:
    def __init__(self, normalized_shape, eps=None, elementwise_affine=True,
                 device=None, dtype=None):
        self.normalized_shape = repeat(normalized_shape, 1)
        self.eps = eps
        self.elementwise_affine = elementwise_affine
        if elementwise_affine:
            self.weight = Parameter(*self.normalized_shape, dtype=dtype)
        else:
            self.weight = Parameter(None)

    def forward(self, x):
        return F.rms_norm(x, self.normalized_shape, self.weight, self.eps)


class GroupNorm:
    def __init__(self, num_groups, num_channels, eps=1e-05, affine=True,
                 device=None, dtype=None):
        assert num_channels % num_groups == 0, \
            "num_channels must divide into num_groups"
        self.num_groups = num_groups
        self.num_channels = num_channels
        self.eps = eps
        self.affine = affine
        size = num_channels if affine else None
        self.weight = Parameter(size, dtype=dtype)
        self.bias = Parameter(size, dtype=dtype)

    def forward(self, input):
        return F.group_norm(input, self.num_groups, self.weight, self.bias,
                            self.eps)


class LocalResponseNorm:
    def __init__(self, size, alpha=0.0001, beta=0.75, k=1.0):
        self.size = size
        self.alpha = alpha
        self.beta = beta
        self.k = k

    def forward(self, input):
        return F.local_response_norm(input, self.size, self.alpha, self.beta,
                                     self.k)


# Embeddings.

__name__ = "torch.nn.modules.sparse"


class Embedding:
    def __init__(self, num_embeddings, embedding_dim, padding_idx=None,
                 max_norm=None, norm_type=2.0, scale_grad_by_freq=False,
                 sparse=False, _weight=None, device=None, dtype=None):
        if padding_idx is not None:
            assert -num_embeddings <= padding_idx < num_embeddings, \
                "padding_idx must be one of the embeddings"
            if padding_idx < 0:
                padding_idx = num_embeddings + padding_idx
        self.num_embeddings = num_embeddings
        self.embedding_dim = embedding_dim
        self.padding_idx = padding_idx
        self.max_norm = max_norm
        self.norm_type = norm_type
        self.scale_grad_by_freq = scale_grad_by_freq
        self.weight = Parameter(num_embeddings, embedding_dim, dtype=dtype)
        self.sparse = sparse

    def forward(self, input):
        return F.embedding(input, self.weight, self.padding_idx,
                           self.max_norm, self.norm_type,
                           self.scale_grad_by_freq, self.sparse)


class EmbeddingBag:
    def __init__(self, num_embeddings, embedding_dim, max_norm=None,
                 norm_type=2.0, scale_grad_by_freq=False, mode="mean",
                 sparse=False, _weight=None, include_last_offset=False,
                 padding_idx=None, device=None, dtype=None):
        self.num_embeddings = num_embeddings
        self.embedding_dim = embedding_dim
        self.max_norm = max_norm
        self.norm_type = norm_type
        self.scale_grad_by_freq = scale_grad_by_freq
        if padding_idx is not None and padding_idx < 0:
            padding_idx = num_embeddings + padding_idx
        self.padding_idx = padding_idx
        self.weight = Parameter(num_embeddings, embedding_dim, dtype=dtype)
        self.mode = mode
        self.sparse = sparse
        self.include_last_offset = include_last_offset

    def forward(self, input, offsets=None, per_sample_weights=None):
        return F.embedding_bag(input, self.weight, offsets, self.max_norm,
                               self.norm_type, self.scale_grad_by_freq,
                               self.mode, self.sparse, per_sample_weights,
                               self.include_last_offset, self.padding_idx)


# Activations.

__name__ = "torch.nn.modules.activation"


class ReLU:
    def __init__(self, inplace=False):
        self.inplace = inplace

    def forward(self, input):
        return F.relu(input, inplace=self.inplace)


class Hardtanh:
    def __init__(self, min_val=-1.0, max_val=1.0, inplace=False):
        assert max_val > min_val, "max_val must be above min_val"
        self.min_val = min_val
        self.max_val = max_val
        self.inplace = inplace

    def forward(self, input):
        return F.hardtanh(input, self.min_val, self.max_val, self.inplace)


class ReLU6(Hardtanh):
    def __init__(self, inplace=False):
        self.min_val = 0.0
        self.max_val = 6.0
        self.inplace = inplace


class GELU:
    def __init__(self, approximate="none"):
        self.approximate = approximate

    def forward(self, input):
        return F.gelu(input, approximate=self.approximate)


class SiLU(ReLU):
    def forward(self, input):
        return F.silu(input, inplace=self.inplace)


class Mish(ReLU):
    def forward(self, input):
        return F.mish(input, inplace=self.inplace)


class Hardswish(ReLU):
    def forward(self, input):
        return F.hardswish(input, self.inplace)


class Hardsigmoid(ReLU):
    def forward(self, input):
        return F.hardsigmoid(input, self.inplace)


class SELU(ReLU):
    def forward(self, input):
        return F.selu(input, self.inplace)


class ELU:
    def __init__(self, alpha=1.0, inplace=False):
        self.alpha = alpha
        self.inplace = inplace

    def forward(self, input):
        return F.elu(input, self.alpha, self.inplace)


class CELU(ELU):
    def forward(self, input):
        return F.celu(input, self.alpha, self.inplace)


class LeakyReLU:
    def __init__(self, negative_slope=0.01, inplace=False):
        self.negative_slope = negative_slope
        self.inplace = inplace

    def forward(self, input):
        return F.leaky_relu(input, self.negative_slope, self.inplace)


class RReLU:
    def __init__(self, lower=0.125, upper=0.3333333333333333, inplace=False):
        self.lower = lower
        self.upper = upper
        self.inplace = inplace

    def forward(self, input):
        return F.rrelu(input, self.lower, self.upper, self.training,
                       self.inplace)


class PReLU:
    def __init__(self, num_parameters=1, init=0.25, device=None, dtype=None):
        self.num_parameters = num_parameters
        self.weight = Parameter(num_parameters, dtype=dtype)

    def forward(self, input):
        return F.prelu(input, self.weight)


class Softplus:
    def __init__(self, beta=1, threshold=20):
        self.beta = beta
        self.threshold = threshold

    def forward(self, input):
        return F.softplus(input, self.beta, self.threshold)


class Softshrink:
    def __init__(self, lambd=0.5):
        self.lambd = lambd

    def forward(self, input):
        return F.softshrink(input, self.lambd)


class Hardshrink(Softshrink):
    def forward(self, input):
        return F.hardshrink(input, self.lambd)


class Softsign:
    def __init__(self):
        pass

    def forward(self, input):
        return F.softsign(input)


class Tanhshrink(Softsign):
    def forward(self, input):
        return F.tanhshrink(input)


class LogSigmoid(Softsign):
    def forward(self, input):
        return F.logsigmoid(input)


class Threshold:
    def __init__(self, threshold, value, inplace=False):
        self.threshold = threshold
        self.value = value
        self.inplace = inplace

    def forward(self, input):
        return F.threshold(input, self.threshold, self.value, self.inplace)


class GLU:
    def __init__(self, dim=-1):
        self.dim = dim

    def forward(self, input):
        return F.glu(input, self.dim)


class Sigmoid(Softsign):
    def forward(self, input):
        return torch.sigmoid(input)


class Tanh(Softsign):
    def forward(self, input):
        return torch.tanh(input)


def default_dim(input):
    """The dimension of softmax when none is given."""
    return 0 if input.dim() in (0, 1, 3) else 1


class Softmax:
    def __init__(self, dim=None):
        self.dim = dim

    def forward(self, input):
        dim = default_dim(input) if self.dim is None else self.dim
        return F.softmax(input, dim)


class Softmin(Softmax):
    def forward(self, input):
        dim = default_dim(input) if self.dim is None else self.dim
        return F.softmin(input, dim)


class LogSoftmax(Softmax):
    def forward(self, input):
        dim = default_dim(input) if self.dim is None else self.dim
        return F.log_softmax(input, dim)


class Softmax2d(Softsign):
    def forward(self, input):
        assert input.dim() == 3 or input.dim() == 4, "3 or 4 dimensions"
        return F.softmax(input, -3)


def masked_heads(self, query, key, value, key_padding_mask, need_weights,
                 attn_mask, average_attn_weights):
    is_turned = self.batch_first and query.dim() == 3
    if is_turned:
        query = query.transpose(0, 1)
        key = key.transpose(0, 1)
        value = value.transpose(0, 1)
    both = F.multi_head_attention_forward(
        query, key, value, self.embed_dim, self.num_heads,
        self.in_proj_weight, self.in_proj_bias, self.bias_k, self.bias_v,
        self.add_zero_attn, self.dropout, self.out_proj.weight,
        self.out_proj.bias, training=self.training,
        key_padding_mask=key_padding_mask, need_weights=need_weights,
        attn_mask=attn_mask,
        use_separate_proj_weight=self.in_proj_weight is None,
        q_proj_weight=self.q_proj_weight, k_proj_weight=self.k_proj_weight,
        v_proj_weight=self.v_proj_weight,
        average_attn_weights=average_attn_weights)
    if is_turned:
        return both[0].transpose(0, 1), both[1]
    return both[0], both[1]


class MultiheadAttention:
    def __init__(self, embed_dim, num_heads, dropout=0.0, bias=True,
                 add_bias_kv=False, add_zero_attn=False, kdim=None, vdim=None,
                 batch_first=False, device=None, dtype=None):
        assert embed_dim % num_heads == 0, \
            "embed_dim must divide into num_heads"
        self.embed_dim = embed_dim
        self.kdim = embed_dim if kdim is None else kdim
        self.vdim = embed_dim if vdim is None else vdim
        self._qkv_same_embed_dim = (self.kdim == embed_dim
                                    and self.vdim == embed_dim)
        self.num_heads = num_heads
        self.dropout = dropout
        self.batch_first = batch_first
        self.head_dim = embed_dim // num_heads
        if self._qkv_same_embed_dim:
            self.in_proj_weight = Parameter(3 * embed_dim, embed_dim,
                                            dtype=dtype)
            self.q_proj_weight = Parameter(None)
            self.k_proj_weight = Parameter(None)
            self.v_proj_weight = Parameter(None)
        else:
            self.q_proj_weight = Parameter(embed_dim, embed_dim, dtype=dtype)
            self.k_proj_weight = Parameter(embed_dim, self.kdim, dtype=dtype)
            self.v_proj_weight = Parameter(embed_dim, self.vdim, dtype=dtype)
            self.in_proj_weight = Parameter(None)
        self.in_proj_bias = Parameter(3 * embed_dim if bias else None,
                                      dtype=dtype)
        self.out_proj = NonDynamicallyQuantizableLinear(
            embed_dim, embed_dim, bias, dtype=dtype)
        if add_bias_kv:
            self.bias_k = Parameter(1, 1, embed_dim, dtype=dtype)
            self.bias_v = Parameter(1, 1, embed_dim, dtype=dtype)
        else:
            self.bias_k = None
            self.bias_v = None
        self.add_zero_attn = add_zero_attn

    def forward(self, query, key, value, key_padding_mask=None,
                need_weights=True, attn_mask=None, average_attn_weights=True,
                is_causal=False):
        if self.bias_k is not None or self.add_zero_attn or \
                key_padding_mask is not None:
            return masked_heads(self, query, key, value, key_padding_mask,
                                need_weights, attn_mask,
                                average_attn_weights)
        batched = query.dim() == 3
        if not batched:
            query = query.unsqueeze(0)
            key = key.unsqueeze(0)
            value = value.unsqueeze(0)
        elif not self.batch_first:
            query = query.transpose(0, 1)
            key = key.transpose(0, 1)
            value = value.transpose(0, 1)
        batch = query.shape[0]
        bias = self.in_proj_bias
        e = self.embed_dim
        if self.in_proj_weight is not None:
            w_q = self.in_proj_weight[:e]
            w_k = self.in_proj_weight[e:2 * e]
            w_v = self.in_proj_weight[2 * e:]
        else:
            w_q = self.q_proj_weight
            w_k = self.k_proj_weight
            w_v = self.v_proj_weight
        q = F.linear(query, w_q, None if bias is None else bias[:e])
        k = F.linear(key, w_k, None if bias is None else bias[e:2 * e])
        v = F.linear(value, w_v, None if bias is None else bias[2 * e:])
        split = (self.num_heads, self.head_dim)
        q = q.reshape(batch, -1, *split).transpose(1, 2)
        k = k.reshape(batch, -1, *split).transpose(1, 2)
        v = v.reshape(batch, -1, *split).transpose(1, 2)
        scores = q @ k.transpose(-2, -1) / math.sqrt(self.head_dim)
        if attn_mask is not None:
            if attn_mask.dim() == 3:
                attn_mask = attn_mask.view(batch, self.num_heads,
                                           query.shape[1], key.shape[1])
            if attn_mask.dtype == torch.bool:
                scores = scores.masked_fill(attn_mask, float("-inf"))
            else:
                scores = scores + attn_mask
        weights = F.softmax(scores, -1)
        if self.training and self.dropout > 0.0:
            weights = F.dropout(weights, self.dropout, True)
        mixed = (weights @ v).transpose(1, 2).reshape(batch, -1, e)
        result = F.linear(mixed, self.out_proj.weight, self.out_proj.bias)
        if average_attn_weights:
            weights = weights.mean(1)
        if not batched:
            result = result.squeeze(0)
            weights = weights.squeeze(0)
        elif not self.batch_first:
            result = result.transpose(0, 1)
        return result, (weights if need_weights else None)


# Recurrent layers.

def init_recurrent(self, mode, gates, input_size, hidden_size, num_layers,
                   bias, batch_first, dropout, bidirectional, proj_size,
                   dtype):
    """Parameters of all layers and directions, and their names in the order
    that torch.lstm and its family take them.
    """
    self.mode = mode
    self.input_size = input_size
    self.hidden_size = hidden_size
    self.num_layers = num_layers
    self.bias = bias
    self.batch_first = batch_first
    self.dropout = float(dropout)
    self.bidirectional = bidirectional
    self.proj_size = proj_size
    real_size = proj_size if proj_size > 0 else hidden_size
    directions = 2 if bidirectional else 1
    names = ()
    every = ()
    for layer in range(num_layers):
        width = input_size if layer == 0 else real_size * directions
        for suffix in ("", "_reverse") if bidirectional else ("",):
            end = "_l" + str(layer) + suffix
            own = ("weight_ih" + end, "weight_hh" + end)
            setattr(self, own[0], Parameter(gates * hidden_size, width,
                                            dtype=dtype))
            setattr(self, own[1], Parameter(gates * hidden_size, real_size,
                                            dtype=dtype))
            if bias:
                own = own + ("bias_ih" + end, "bias_hh" + end)
                setattr(self, own[2], Parameter(gates * hidden_size,
                                                dtype=dtype))
                setattr(self, own[3], Parameter(gates * hidden_size,
                                                dtype=dtype))
            if proj_size > 0:
                own = own + ("weight_hr" + end,)
                setattr(self, own[-1], Parameter(proj_size, hidden_size,
                                                 dtype=dtype))
            names = names + own
            every = every + (list(own),)
    self._flat_weights_names = list(names)
    self._all_weights = list(every)


def initial_state(self, input, size):
    """Zeros, a state for each layer and direction."""
    count = self.num_layers * (2 if self.bidirectional else 1)
    batch = input.shape[0 if self.batch_first else 1]
    return torch.zeros(count, batch, size, dtype=input.dtype,
                       device=input.device)


def recurrent_options(self):
    return (self.bias, self.num_layers, self.dropout, self.training,
            self.bidirectional, self.batch_first)


def recurrent_forward(self, function, input, state):
    """Of the layers that have one state."""
    weights = [getattr(self, name) for name in self._flat_weights_names]
    batched = input.dim() == 3
    if not batched:
        input = input.unsqueeze(0 if self.batch_first else 1)
        if state is not None:
            state = state.unsqueeze(1)
    if state is None:
        state = initial_state(self, input, self.hidden_size)
    result = function(input, state, weights, *recurrent_options(self))
    output = result[0]
    last = result[1]
    if not batched:
        output = output.squeeze(0 if self.batch_first else 1)
        last = last.squeeze(1)
    return output, last


__name__ = "torch.nn.modules.rnn"


class LSTM:
    def __init__(self, input_size, hidden_size, num_layers=1, bias=True,
                 batch_first=False, dropout=0.0, bidirectional=False,
                 proj_size=0, device=None, dtype=None):
        assert proj_size < hidden_size, \
            "proj_size has to be smaller than hidden_size"
        init_recurrent(self, "LSTM", 4, input_size, hidden_size, num_layers,
                       bias, batch_first, dropout, bidirectional, proj_size,
                       dtype)

    def forward(self, input, hx=None):
        weights = [getattr(self, name) for name in self._flat_weights_names]
        batched = input.dim() == 3
        if not batched:
            input = input.unsqueeze(0 if self.batch_first else 1)
        if hx is None:
            size = self.proj_size if self.proj_size > 0 else self.hidden_size
            state = [initial_state(self, input, size),
                     initial_state(self, input, self.hidden_size)]
        elif batched:
            state = [hx[0], hx[1]]
        else:
            state = [hx[0].unsqueeze(1), hx[1].unsqueeze(1)]
        result = torch.lstm(input, state, weights, *recurrent_options(self))
        output = result[0]
        h = result[1]
        c = result[2]
        if not batched:
            output = output.squeeze(0 if self.batch_first else 1)
            h = h.squeeze(1)
            c = c.squeeze(1)
        return output, (h, c)


class GRU:
    def __init__(self, input_size, hidden_size, num_layers=1, bias=True,
                 batch_first=False, dropout=0.0, bidirectional=False,
                 device=None, dtype=None):
        init_recurrent(self, "GRU", 3, input_size, hidden_size, num_layers,
                       bias, batch_first, dropout, bidirectional, 0, dtype)

    def forward(self, input, hx=None):
        return recurrent_forward(self, torch.gru, input, hx)


class RNN:
    def __init__(self, input_size, hidden_size, num_layers=1,
                 nonlinearity="tanh", bias=True, batch_first=False,
                 dropout=0.0, bidirectional=False, device=None, dtype=None):
        assert nonlinearity in ("tanh", "relu"), \
            "the nonlinearity is tanh or relu"
        self.nonlinearity = nonlinearity
        init_recurrent(self, "RNN_TANH" if nonlinearity == "tanh"
                       else "RNN_RELU", 1, input_size, hidden_size,
                       num_layers, bias, batch_first, dropout, bidirectional,
                       0, dtype)

    def forward(self, input, hx=None):
        if self.mode == "RNN_TANH":
            return recurrent_forward(self, torch.rnn_tanh, input, hx)
        return recurrent_forward(self, torch.rnn_relu, input, hx)


def init_cell(self, gates, input_size, hidden_size, bias, dtype):
    self.input_size = input_size
    self.hidden_size = hidden_size
    self.bias = bias
    self.weight_ih = Parameter(gates * hidden_size, input_size, dtype=dtype)
    self.weight_hh = Parameter(gates * hidden_size, hidden_size, dtype=dtype)
    self.bias_ih = Parameter(gates * hidden_size if bias else None,
                             dtype=dtype)
    self.bias_hh = Parameter(gates * hidden_size if bias else None,
                             dtype=dtype)


class RNNCell:
    def __init__(self, input_size, hidden_size, bias=True, nonlinearity="tanh",
                 device=None, dtype=None):
        assert nonlinearity in ("tanh", "relu"), "nonlinearity is tanh or relu"
        init_cell(self, 1, input_size, hidden_size, bias, dtype)
        self.nonlinearity = nonlinearity

    def forward(self, input, hx=None):
        sum = F.linear(input, self.weight_ih, self.bias_ih)
        if hx is not None:
            sum = sum + F.linear(hx, self.weight_hh, self.bias_hh)
        elif self.bias:
            sum = sum + self.bias_hh
        if self.nonlinearity == "relu":
            return F.relu(sum)
        return torch.tanh(sum)


class LSTMCell:
    """The cell's formula: input, forget, cell and output gate in one product.
    """
    def __init__(self, input_size, hidden_size, bias=True, device=None,
                 dtype=None):
        init_cell(self, 4, input_size, hidden_size, bias, dtype)

    def forward(self, input, hx=None):
        n = self.hidden_size
        sum = F.linear(input, self.weight_ih, self.bias_ih)
        if hx is not None:
            sum = sum + F.linear(hx[0], self.weight_hh, self.bias_hh)
        elif self.bias:
            sum = sum + self.bias_hh
        i = torch.sigmoid(sum[..., :n])
        f = torch.sigmoid(sum[..., n:2 * n])
        g = torch.tanh(sum[..., 2 * n:3 * n])
        o = torch.sigmoid(sum[..., 3 * n:])
        c = i * g
        if hx is not None:
            c = f * hx[1] + c
        return o * torch.tanh(c), c


class GRUCell:
    """Both gates are one sum, and each a part of it: kernels round rows that lie
    apart otherwise than rows that lie together, and torch's are apart.
    """
    def __init__(self, input_size, hidden_size, bias=True, device=None,
                 dtype=None):
        init_cell(self, 3, input_size, hidden_size, bias, dtype)

    def forward(self, input, hx=None):
        n = self.hidden_size
        a = F.linear(input, self.weight_ih, self.bias_ih)
        b = self.bias_hh
        if hx is not None:
            b = F.linear(hx, self.weight_hh, self.bias_hh)
        sum = a
        new = a[..., 2 * n:]
        if hx is not None or self.bias:
            sum = a[..., :2 * n] + b[..., :2 * n]
            new = new + torch.sigmoid(sum[..., :n]) * b[..., 2 * n:]
        z = torch.sigmoid(sum[..., n:2 * n])
        new = torch.tanh(new)
        if hx is None:
            return new - new * z
        return (hx - new) * z + new


# Transformers.

def activate(self, input):
    """What a layer's activation is, its configuration tells by a number."""
    assert self.activation_relu_or_gelu in (1, 2), \
        "the activation is known when it is relu or gelu"
    if self.activation_relu_or_gelu == 1:
        return F.relu(input)
    return F.gelu(input)


__name__ = "torch.nn.modules.transformer"


class TransformerEncoderLayer:
    def __init__(self, d_model, nhead, dim_feedforward=2048, dropout=0.1,
                 activation="relu", layer_norm_eps=1e-5, batch_first=False,
                 norm_first=False, device=None, dtype=None):
        assert activation in ("relu", "gelu"), "activation is relu or gelu"
        self.self_attn = MultiheadAttention(
            d_model, nhead, dropout=dropout, batch_first=batch_first,
            dtype=dtype)
        self.linear1 = Linear(d_model, dim_feedforward, dtype=dtype)
        self.dropout = Dropout(dropout)
        self.linear2 = Linear(dim_feedforward, d_model, dtype=dtype)
        self.norm_first = norm_first
        self.norm1 = LayerNorm(d_model, eps=layer_norm_eps, dtype=dtype)
        self.norm2 = LayerNorm(d_model, eps=layer_norm_eps, dtype=dtype)
        self.dropout1 = Dropout(dropout)
        self.dropout2 = Dropout(dropout)
        self.activation_relu_or_gelu = 1 if activation == "relu" else 2

    def attend(self, x, mask, padding):
        return self.dropout1(self.self_attn(
            x, x, x, attn_mask=mask, key_padding_mask=padding,
            need_weights=False)[0])

    def feed(self, x):
        return self.dropout2(self.linear2(self.dropout(
            activate(self, self.linear1(x)))))

    def forward(self, src, src_mask=None, src_key_padding_mask=None,
                is_causal=False):
        if self.norm_first:
            x = src + self.attend(self.norm1(src), src_mask,
                                  src_key_padding_mask)
            return x + self.feed(self.norm2(x))
        x = self.norm1(src + self.attend(src, src_mask, src_key_padding_mask))
        return self.norm2(x + self.feed(x))


class TransformerDecoderLayer(TransformerEncoderLayer):
    def __init__(self, d_model, nhead, dim_feedforward=2048, dropout=0.1,
                 activation="relu", layer_norm_eps=1e-5, batch_first=False,
                 norm_first=False, device=None, dtype=None):
        # torch 1.13 keeps the function alone, which says nothing here.
        assert activation == "relu", "activation is relu"
        self.self_attn = MultiheadAttention(
            d_model, nhead, dropout=dropout, batch_first=batch_first,
            dtype=dtype)
        self.multihead_attn = MultiheadAttention(
            d_model, nhead, dropout=dropout, batch_first=batch_first,
            dtype=dtype)
        self.linear1 = Linear(d_model, dim_feedforward, dtype=dtype)
        self.dropout = Dropout(dropout)
        self.linear2 = Linear(dim_feedforward, d_model, dtype=dtype)
        self.norm_first = norm_first
        self.norm1 = LayerNorm(d_model, eps=layer_norm_eps, dtype=dtype)
        self.norm2 = LayerNorm(d_model, eps=layer_norm_eps, dtype=dtype)
        self.norm3 = LayerNorm(d_model, eps=layer_norm_eps, dtype=dtype)
        self.dropout1 = Dropout(dropout)
        self.dropout2 = Dropout(dropout)
        self.dropout3 = Dropout(dropout)

    def attend_to(self, x, memory, mask, padding):
        return self.dropout2(self.multihead_attn(
            x, memory, memory, attn_mask=mask, key_padding_mask=padding,
            need_weights=False)[0])

    def feed(self, x):
        return self.dropout3(self.linear2(self.dropout(
            F.relu(self.linear1(x)))))

    def forward(self, tgt, memory, tgt_mask=None, memory_mask=None,
                tgt_key_padding_mask=None, memory_key_padding_mask=None,
                tgt_is_causal=False, memory_is_causal=False):
        x = tgt
        if self.norm_first:
            x = x + self.attend(self.norm1(x), tgt_mask, tgt_key_padding_mask)
            x = x + self.attend_to(self.norm2(x), memory, memory_mask,
                                   memory_key_padding_mask)
            return x + self.feed(self.norm3(x))
        x = self.norm1(x + self.attend(x, tgt_mask, tgt_key_padding_mask))
        x = self.norm2(x + self.attend_to(x, memory, memory_mask,
                                          memory_key_padding_mask))
        return self.norm3(x + self.feed(x))


class TransformerEncoder:
    def __init__(self, *args, **kwargs):
        assert False, "a stack of copies is not made here"

    def forward(self, src, mask=None, src_key_padding_mask=None,
                is_causal=None):
        for layer in self.layers.children():
            src = layer(src, mask, src_key_padding_mask)
        if self.norm is not None:
            src = self.norm(src)
        return src


class TransformerDecoder(TransformerEncoder):
    def forward(self, tgt, memory, tgt_mask=None, memory_mask=None,
                tgt_key_padding_mask=None, memory_key_padding_mask=None,
                tgt_is_causal=None, memory_is_causal=False):
        for layer in self.layers.children():
            tgt = layer(tgt, memory, tgt_mask, memory_mask,
                        tgt_key_padding_mask, memory_key_padding_mask)
        if self.norm is not None:
            tgt = self.norm(tgt)
        return tgt


class Transformer(TransformerEncoder):
    def forward(self, src, tgt, src_mask=None, tgt_mask=None,
                memory_mask=None, src_key_padding_mask=None,
                tgt_key_padding_mask=None, memory_key_padding_mask=None,
                src_is_causal=None, tgt_is_causal=None,
                memory_is_causal=False):
        memory = self.encoder(src, src_mask, src_key_padding_mask)
        return self.decoder(tgt, memory, tgt_mask, memory_mask,
                            tgt_key_padding_mask, memory_key_padding_mask)


# Dropout.

__name__ = "torch.nn.modules.dropout"


class Dropout:
    def __init__(self, p=0.5, inplace=False):
        assert 0 <= p <= 1, "a probability lies between 0 and 1"
        self.p = p
        self.inplace = inplace

    def forward(self, input):
        return F.dropout(input, self.p, self.training, self.inplace)


class Dropout1d(Dropout):
    def forward(self, input):
        return F.dropout1d(input, self.p, self.training, self.inplace)


class Dropout2d(Dropout):
    def forward(self, input):
        return F.dropout2d(input, self.p, self.training, self.inplace)


class Dropout3d(Dropout):
    def forward(self, input):
        return F.dropout3d(input, self.p, self.training, self.inplace)


class AlphaDropout(Dropout):
    def forward(self, input):
        return F.alpha_dropout(input, self.p, self.training)


class FeatureAlphaDropout(Dropout):
    def forward(self, input):
        return F.feature_alpha_dropout(input, self.p, self.training)


# Pooling.

def max_pool(self, function, input):
    return function(input, self.kernel_size, self.stride, self.padding,
                    self.dilation, ceil_mode=self.ceil_mode,
                    return_indices=self.return_indices)


__name__ = "torch.nn.modules.pooling"


class MaxPool1d:
    def __init__(self, kernel_size, stride=None, padding=0, dilation=1,
                 return_indices=False, ceil_mode=False):
        self.kernel_size = kernel_size
        self.stride = kernel_size if stride is None else stride
        self.padding = padding
        self.dilation = dilation
        self.return_indices = return_indices
        self.ceil_mode = ceil_mode

    def forward(self, input):
        return max_pool(self, F.max_pool1d, input)


class MaxPool2d(MaxPool1d):
    def forward(self, input):
        return max_pool(self, F.max_pool2d, input)


class MaxPool3d(MaxPool1d):
    def forward(self, input):
        return max_pool(self, F.max_pool3d, input)


class AvgPool1d:
    def __init__(self, kernel_size, stride=None, padding=0, ceil_mode=False,
                 count_include_pad=True):
        self.kernel_size = repeat(kernel_size, 1)
        self.stride = repeat(kernel_size if stride is None else stride, 1)
        self.padding = repeat(padding, 1)
        self.ceil_mode = ceil_mode
        self.count_include_pad = count_include_pad

    def forward(self, input):
        return F.avg_pool1d(input, self.kernel_size, self.stride,
                            self.padding, self.ceil_mode,
                            self.count_include_pad)


def avg_pool(self, function, input):
    return function(input, self.kernel_size, self.stride, self.padding,
                    self.ceil_mode, self.count_include_pad,
                    self.divisor_override)


def init_unpool(self, kernel_size, stride, padding, count):
    self.kernel_size = repeat(kernel_size, count)
    self.stride = repeat(kernel_size if stride is None else stride, count)
    self.padding = repeat(padding, count)


class MaxUnpool1d:
    def __init__(self, kernel_size, stride=None, padding=0):
        init_unpool(self, kernel_size, stride, padding, 1)

    def forward(self, input, indices, output_size=None):
        return F.max_unpool1d(input, indices, self.kernel_size, self.stride,
                              self.padding, output_size)


class MaxUnpool2d:
    def __init__(self, kernel_size, stride=None, padding=0):
        init_unpool(self, kernel_size, stride, padding, 2)

    def forward(self, input, indices, output_size=None):
        return F.max_unpool2d(input, indices, self.kernel_size, self.stride,
                              self.padding, output_size)


class MaxUnpool3d:
    def __init__(self, kernel_size, stride=None, padding=0):
        init_unpool(self, kernel_size, stride, padding, 3)

    def forward(self, input, indices, output_size=None):
        return F.max_unpool3d(input, indices, self.kernel_size, self.stride,
                              self.padding, output_size)


class AvgPool2d:
    def __init__(self, kernel_size, stride=None, padding=0, ceil_mode=False,
                 count_include_pad=True, divisor_override=None):
        self.kernel_size = kernel_size
        self.stride = kernel_size if stride is None else stride
        self.padding = padding
        self.ceil_mode = ceil_mode
        self.count_include_pad = count_include_pad
        self.divisor_override = divisor_override

    def forward(self, input):
        return avg_pool(self, F.avg_pool2d, input)


class AvgPool3d(AvgPool2d):
    def forward(self, input):
        return avg_pool(self, F.avg_pool3d, input)


class AdaptiveAvgPool1d:
    def __init__(self, output_size):
        self.output_size = output_size

    def forward(self, input):
        return F.adaptive_avg_pool1d(input, self.output_size)


class AdaptiveAvgPool2d(AdaptiveAvgPool1d):
    def forward(self, input):
        return F.adaptive_avg_pool2d(input, self.output_size)


class AdaptiveAvgPool3d(AdaptiveAvgPool1d):
    def forward(self, input):
        return F.adaptive_avg_pool3d(input, self.output_size)


class AdaptiveMaxPool1d:
    def __init__(self, output_size, return_indices=False):
        self.output_size = output_size
        self.return_indices = return_indices

    def forward(self, input):
        return F.adaptive_max_pool1d(input, self.output_size,
                                     self.return_indices)


class AdaptiveMaxPool2d(AdaptiveMaxPool1d):
    def forward(self, input):
        return F.adaptive_max_pool2d(input, self.output_size,
                                     self.return_indices)


class AdaptiveMaxPool3d(AdaptiveMaxPool1d):
    def forward(self, input):
        return F.adaptive_max_pool3d(input, self.output_size,
                                     self.return_indices)


class LPPool2d:
    def __init__(self, norm_type, kernel_size, stride=None, ceil_mode=False):
        self.norm_type = norm_type
        self.kernel_size = kernel_size
        self.stride = stride
        self.ceil_mode = ceil_mode

    def forward(self, input):
        return F.lp_pool2d(input, float(self.norm_type), self.kernel_size,
                           self.stride, self.ceil_mode)


class LPPool1d(LPPool2d):
    def forward(self, input):
        return F.lp_pool1d(input, float(self.norm_type), self.kernel_size,
                           self.stride, self.ceil_mode)


# Shape.

__name__ = "torch.nn.modules.flatten"


class Flatten:
    def __init__(self, start_dim=1, end_dim=-1):
        self.start_dim = start_dim
        self.end_dim = end_dim

    def forward(self, input):
        return input.flatten(self.start_dim, self.end_dim)


class Unflatten:
    def __init__(self, dim, unflattened_size):
        self.dim = dim
        self.unflattened_size = unflattened_size

    def forward(self, input):
        return input.unflatten(self.dim, self.unflattened_size)


__name__ = "torch.nn.modules.pixelshuffle"


class PixelShuffle:
    def __init__(self, upscale_factor):
        self.upscale_factor = upscale_factor

    def forward(self, input):
        return F.pixel_shuffle(input, self.upscale_factor)


class PixelUnshuffle:
    def __init__(self, downscale_factor):
        self.downscale_factor = downscale_factor

    def forward(self, input):
        return F.pixel_unshuffle(input, self.downscale_factor)


__name__ = "torch.nn.modules.channelshuffle"


class ChannelShuffle:
    def __init__(self, groups):
        self.groups = groups

    def forward(self, input):
        return F.channel_shuffle(input, self.groups)


__name__ = "torch.nn.modules.upsampling"


class Upsample:
    def __init__(self, size=None, scale_factor=None, mode="nearest",
                 align_corners=None, recompute_scale_factor=None):
        self.name = "Upsample"
        self.size = size
        if isinstance(scale_factor, tuple):
            self.scale_factor = tuple([float(one) for one in scale_factor])
        else:
            self.scale_factor = float(scale_factor) if scale_factor else None
        self.mode = mode
        self.align_corners = align_corners
        self.recompute_scale_factor = recompute_scale_factor

    def forward(self, input):
        return F.interpolate(
            input, self.size, self.scale_factor, self.mode,
            self.align_corners,
            recompute_scale_factor=self.recompute_scale_factor)


__name__ = "torch.nn.modules.padding"


class ConstantPad1d:
    def sides(self):
        return 2

    def __init__(self, padding, value):
        self.value = value
        self.padding = repeat(padding, self.sides())

    def forward(self, input):
        return F.pad(input, self.padding, "constant", self.value)


class ConstantPad2d(ConstantPad1d):
    def sides(self):
        return 4


class ConstantPad3d(ConstantPad1d):
    def sides(self):
        return 6


class ZeroPad2d(ConstantPad2d):
    def __init__(self, padding):
        self.value = 0.0
        self.padding = repeat(padding, 4)


class ReflectionPad1d:
    def sides(self):
        return 2

    def __init__(self, padding):
        self.padding = repeat(padding, self.sides())

    def forward(self, input):
        return F.pad(input, self.padding, "reflect")


class ReflectionPad2d(ReflectionPad1d):
    def sides(self):
        return 4


class ReflectionPad3d(ReflectionPad1d):
    def sides(self):
        return 6


class ReplicationPad1d(ReflectionPad1d):
    def forward(self, input):
        return F.pad(input, self.padding, "replicate")


class ReplicationPad2d(ReflectionPad2d):
    def forward(self, input):
        return F.pad(input, self.padding, "replicate")


class ReplicationPad3d(ReflectionPad3d):
    def forward(self, input):
        return F.pad(input, self.padding, "replicate")


# Containers and comparisons.

__name__ = "torch.nn.modules.container"


class Sequential:
    def __init__(self, *layers):
        for i, layer in enumerate(layers):
            setattr(self, str(i), layer)

    def forward(self, input):
        for layer in self.children():
            input = layer(input)
        return input


class ModuleList:
    def __init__(self, modules=()):
        for i, module in enumerate(modules):
            setattr(self, str(i), module)

    def forward(self):
        assert False, "a list of modules is not called"


__name__ = "torch.nn.modules.distance"


class CosineSimilarity:
    def __init__(self, dim=1, eps=1e-08):
        self.dim = dim
        self.eps = eps

    def forward(self, x1, x2):
        return F.cosine_similarity(x1, x2, self.dim, self.eps)


class PairwiseDistance:
    def __init__(self, p=2.0, eps=1e-06, keepdim=False):
        self.norm = p
        self.eps = eps
        self.keepdim = keepdim

    def forward(self, x1, x2):
        return torch.pairwise_distance(x1, x2, self.norm, self.eps,
                                       self.keepdim)


__name__ = "torch.nn.modules.loss"


class MSELoss:
    def __init__(self, size_average=None, reduce=None, reduction="mean"):
        self.reduction = reduction

    def forward(self, input, target):
        return F.mse_loss(input, target, reduction=self.reduction)


class L1Loss(MSELoss):
    def forward(self, input, target):
        return F.l1_loss(input, target, reduction=self.reduction)


class NLLLoss:
    def __init__(self, weight=None, size_average=None, ignore_index=-100,
                 reduce=None, reduction="mean"):
        assert weight is None, "weights of classes are not known here"
        self.weight = Buffer(None)
        self.ignore_index = ignore_index
        self.reduction = reduction

    def forward(self, input, target):
        return F.nll_loss(input, target, self.weight,
                          ignore_index=self.ignore_index,
                          reduction=self.reduction)


class CrossEntropyLoss:
    def __init__(self, weight=None, size_average=None, ignore_index=-100,
                 reduce=None, reduction="mean", label_smoothing=0.0):
        assert weight is None, "weights of classes are not known here"
        self.weight = Buffer(None)
        self.reduction = reduction
        self.ignore_index = ignore_index
        self.label_smoothing = label_smoothing

    def forward(self, input, target):
        return F.cross_entropy(input, target, self.weight,
                               ignore_index=self.ignore_index,
                               reduction=self.reduction,
                               label_smoothing=self.label_smoothing)


class BCELoss:
    def __init__(self, weight=None, size_average=None, reduce=None,
                 reduction="mean"):
        assert weight is None, "weights of classes are not known here"
        self.weight = Buffer(None)
        self.reduction = reduction

    def forward(self, input, target):
        return F.binary_cross_entropy(input, target, self.weight,
                                      reduction=self.reduction)


class BCEWithLogitsLoss:
    def __init__(self, weight=None, size_average=None, reduce=None,
                 reduction="mean", pos_weight=None):
        assert weight is None and pos_weight is None, \
            "weights of classes are not known here"
        self.weight = Buffer(None)
        self.pos_weight = Buffer(None)
        self.reduction = reduction

    def forward(self, input, target):
        return F.binary_cross_entropy_with_logits(
            input, target, self.weight, pos_weight=self.pos_weight,
            reduction=self.reduction)


class KLDivLoss:
    def __init__(self, size_average=None, reduce=None, reduction="mean",
                 log_target=False):
        self.reduction = reduction
        self.log_target = log_target

    def forward(self, input, target):
        return F.kl_div(input, target, reduction=self.reduction,
                        log_target=self.log_target)


class SmoothL1Loss:
    def __init__(self, size_average=None, reduce=None, reduction="mean",
                 beta=1.0):
        self.reduction = reduction
        self.beta = beta

    def forward(self, input, target):
        return F.smooth_l1_loss(input, target, reduction=self.reduction,
                                beta=self.beta)


class HuberLoss:
    def __init__(self, reduction="mean", delta=1.0):
        self.reduction = reduction
        self.delta = delta

    def forward(self, input, target):
        return F.huber_loss(input, target, reduction=self.reduction,
                            delta=self.delta)


class SoftMarginLoss(MSELoss):
    def forward(self, input, target):
        return F.soft_margin_loss(input, target, reduction=self.reduction)


class MultiLabelMarginLoss(MSELoss):
    def forward(self, input, target):
        return F.multilabel_margin_loss(input, target,
                                        reduction=self.reduction)


class MultiLabelSoftMarginLoss(BCELoss):
    def forward(self, input, target):
        return F.multilabel_soft_margin_loss(input, target, self.weight,
                                             reduction=self.reduction)


class HingeEmbeddingLoss:
    def __init__(self, margin=1.0, size_average=None, reduce=None,
                 reduction="mean"):
        self.margin = margin
        self.reduction = reduction

    def forward(self, input, target):
        return F.hinge_embedding_loss(input, target, self.margin,
                                      reduction=self.reduction)


class MarginRankingLoss:
    def __init__(self, margin=0.0, size_average=None, reduce=None,
                 reduction="mean"):
        self.margin = margin
        self.reduction = reduction

    def forward(self, input1, input2, target):
        return F.margin_ranking_loss(input1, input2, target, self.margin,
                                     reduction=self.reduction)


class CosineEmbeddingLoss(MarginRankingLoss):
    def forward(self, input1, input2, target):
        return F.cosine_embedding_loss(input1, input2, target,
                                       self.margin,
                                       reduction=self.reduction)


class MultiMarginLoss:
    def __init__(self, p=1, margin=1.0, weight=None, size_average=None,
                 reduce=None, reduction="mean"):
        assert weight is None, "weights of classes are not known here"
        self.p = p
        self.margin = margin
        self.weight = Buffer(None)
        self.reduction = reduction

    def forward(self, input, target):
        return F.multi_margin_loss(input, target, self.p, self.margin,
                                   self.weight, reduction=self.reduction)


class TripletMarginLoss:
    def __init__(self, margin=1.0, p=2.0, eps=1e-06, swap=False,
                 size_average=None, reduce=None, reduction="mean"):
        self.margin = margin
        self.p = p
        self.eps = eps
        self.swap = swap
        self.reduction = reduction

    def forward(self, anchor, positive, negative):
        return F.triplet_margin_loss(anchor, positive, negative,
                                     self.margin, self.p, self.eps,
                                     self.swap, reduction=self.reduction)


class PoissonNLLLoss:
    def __init__(self, log_input=True, full=False, size_average=None,
                 eps=1e-08, reduce=None, reduction="mean"):
        self.log_input = log_input
        self.full = full
        self.eps = eps
        self.reduction = reduction

    def forward(self, log_input, target):
        return F.poisson_nll_loss(log_input, target, self.log_input,
                                  self.full, eps=self.eps,
                                  reduction=self.reduction)


class GaussianNLLLoss:
    def __init__(self, full=False, eps=1e-06, reduction="mean"):
        self.full = full
        self.eps = eps
        self.reduction = reduction

    def forward(self, input, target, var):
        return F.gaussian_nll_loss(input, target, var, self.full, self.eps,
                                   self.reduction)


class CTCLoss:
    def __init__(self, blank=0, reduction="mean", zero_infinity=False):
        self.blank = blank
        self.reduction = reduction
        self.zero_infinity = zero_infinity

    def forward(self, log_probs, targets, input_lengths, target_lengths):
        return F.ctc_loss(log_probs, targets, input_lengths, target_lengths,
                          self.blank, self.reduction, self.zero_infinity)


__name__ = "torch.nn.modules.fold"


class Unfold:
    def __init__(self, kernel_size, dilation=1, padding=0, stride=1):
        self.kernel_size = kernel_size
        self.dilation = dilation
        self.padding = padding
        self.stride = stride

    def forward(self, input):
        return F.unfold(input, self.kernel_size, self.dilation, self.padding,
                        self.stride)


class Fold:
    def __init__(self, output_size, kernel_size, dilation=1, padding=0,
                 stride=1):
        self.output_size = output_size
        self.kernel_size = kernel_size
        self.dilation = dilation
        self.padding = padding
        self.stride = stride

    def forward(self, input):
        return F.fold(input, self.output_size, self.kernel_size,
                      self.dilation, self.padding, self.stride)
