"""Modules that are more than their class, and tensors of odd kinds."""
import torch
from torch import nn
from torch.nn.utils import prune, rnn
from torch.utils.checkpoint import checkpoint

if hasattr(torch, "func"):
    from torch.func import functional_call
else:
    from torch.nn.utils.stateless import functional_call


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)
        self.act = nn.ReLU()
        self.last = nn.Linear(4, 4)

    def forward(self, x):
        return self.last(self.act(self.fc(x)))


def hook():
    net = Net()
    net.act.register_forward_hook(lambda module, args, out: out + 1)
    return net


def pre_hook():
    net = Net()
    net.act.register_forward_pre_hook(lambda module, args: (args[0] - 1,))
    return net


def writing_hook():
    def double(module, args):
        args[0].mul_(2)

    net = Net()
    net.act.register_forward_pre_hook(double)
    return net


def own_forward():
    net = Net()
    net.fc.forward = lambda x: x * 2
    return net


def hook_below():
    class Encoder(nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = nn.TransformerEncoderLayer(4, 2, 8)

        def forward(self, x):
            return self.layer(x.unsqueeze(0))

    net = Encoder()
    net.layer.linear1.register_forward_hook(lambda module, args, out: out + 1)
    return net


def parametrized():
    class Double(nn.Module):
        def forward(self, weight):
            return weight * 2

    net = Net()
    nn.utils.parametrize.register_parametrization(net.fc, "weight", Double())
    return net


def raising_hook():
    def fails(module, args, out):
        raise ValueError("the hook of act\nsays more")

    net = Net()
    net.act.register_forward_hook(fails)
    return net


class Complex(Net):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.randn(4, dtype=torch.complex64))

    def forward(self, x):
        return super().forward(x) * self.w.real


class Sparse(Net):
    def __init__(self):
        super().__init__()
        self.register_buffer("table", torch.eye(4).to_sparse())

    def forward(self, x):
        return torch.sparse.mm(self.table, super().forward(x).t()).t()


class Unregistered(Net):
    """Tensors that are plain attributes, one of them a parameter's data."""

    def __init__(self):
        super().__init__()
        self.scale = torch.randn(4)
        self.fc.alias = self.fc.weight.data
        self.idle = torch.randn(4)

    def forward(self, x):
        out = super().forward(x) * self.scale
        return nn.functional.linear(out, self.fc.alias)


class Resized(Net):
    def forward(self, x):
        out = x[:0].clone()
        torch.sub(super().forward(x), x, out=out)
        return out + 1


class Cell(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = nn.GRUCell(4, 8)
        self.plain = nn.GRUCell(8, 4, bias=False)

    def forward(self, x):
        return self.plain(self.cell(x))


class Literals(nn.Module):
    """Numbers of the code, which are doubles until they are cast."""

    def forward(self, x):
        made = [torch.tensor([0.1, 1e200, 16777217.0], dtype=torch.float64),
                torch.tensor([[0.1, 2], [3, 4.5]], dtype=torch.float64),
                torch.tensor([16777217.0, -3.7], dtype=torch.int64),
                torch.tensor([0.1, 0.7], dtype=torch.bfloat16),
                torch.tensor([0.1, 1 / 3]), torch.tensor(1 / 3),
                torch.tensor(0.1, dtype=torch.float64),
                torch.tensor(0.1j, dtype=torch.complex128).imag,
                torch.tensor(0.1j).imag, torch.tensor([]),
                torch.as_tensor([0.1], dtype=torch.float64),
                torch.as_tensor(x.double() / 3), x.new_tensor([0.1]),
                x.double().new_tensor([0.1, 16777217.0])]
        return torch.cat([tensor.double().reshape(-1) for tensor in made])


class Block(nn.Module):
    """Of a class that is not known here, and writes its input."""

    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)
        self.act = nn.ReLU(inplace=True)

    def forward(self, x):
        return self.fc(self.act(x)) + x


class Blocks(Net):
    def __init__(self):
        super().__init__()
        self.act = Block()


class Scripted(Net):
    """Modules whose class says nothing."""

    def __init__(self):
        super().__init__()
        self.fc = torch.jit.script(nn.Sequential(nn.Linear(4, 4), nn.ReLU()))
        self.act = torch.jit.script(nn.ReLU())


class ScriptedWriting(Net):
    def __init__(self):
        super().__init__()
        self.act = torch.jit.script(
            nn.Sequential(nn.ReLU(inplace=True), nn.Linear(4, 4)))


class TiedWithoutValues(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.last = (nn.Linear(4, 4, device="meta")
                                 for _ in range(2))
        self.last.weight = self.first.weight

    def forward(self, x):
        return self.last(self.first(x))


class WithoutValues(Net):
    """One parameter, on the meta device."""

    def __init__(self):
        super().__init__()
        self.last = nn.Linear(4, 4, device="meta")


# --- what people build from torch's own parts --------------------------------


class Lazy(Net):
    def __init__(self):
        super().__init__()
        self.fc = nn.LazyLinear(4)


def pruned():
    net = Net()
    prune.l1_unstructured(net.fc, "weight", amount=0.5)
    return net


def weight_norm():
    net = Net()
    net.fc = nn.utils.weight_norm(net.fc)
    return net


def dynamic():
    """Weights that are packed, of a dtype of their own."""
    return torch.ao.quantization.quantize_dynamic(
        Net().eval(), {nn.Linear}, dtype=torch.qint8)


class Quantized(Net):
    def __init__(self):
        super().__init__()
        self.begin = torch.ao.quantization.QuantStub()
        self.end = torch.ao.quantization.DeQuantStub()

    def forward(self, x):
        return self.end(super().forward(self.begin(x)))


def static():
    """Values between layers of a quantized dtype."""
    net = Quantized().eval()
    net.qconfig = torch.ao.quantization.get_default_qconfig(
        torch.backends.quantized.engine)
    net = torch.ao.quantization.prepare(net)
    net(torch.randn(2, 4))
    return torch.ao.quantization.convert(net)


class Parallel(Net):
    def __init__(self):
        super().__init__()
        self.fc = nn.DataParallel(self.fc)


class Profiled(Net):
    def forward(self, x):
        with torch.autograd.profiler.record_function("first"):
            x = self.fc(x)
        return self.last(x)


class Checkpointed(Net):
    def forward(self, x):
        x = checkpoint(lambda y: self.act(self.fc(y)), x, use_reentrant=False)
        return self.last(x)


class Functional(Net):
    """A layer with other weights than its own."""

    def forward(self, x):
        other = {"weight": self.fc.weight * 2, "bias": self.fc.bias}
        return self.last(functional_call(self.fc, other, (x,)))


class Product(Net):
    """A sparse value on the way."""

    def forward(self, x):
        return torch.sparse.mm(torch.eye(2).to_sparse(), self.fc(x))


class Listed(Net):
    def __init__(self):
        super().__init__()
        self.scales = nn.ParameterList(
            [nn.Parameter(torch.randn(4)) for _ in range(2)])

    def forward(self, x):
        for scale in self.scales:
            x = self.fc(x) * scale
        return x


class Unrolled(Net):
    def __init__(self):
        super().__init__()
        self.cell = nn.GRUCell(4, 4)

    def forward(self, x):
        state = None
        for row in x:
            state = self.cell(row[None], state)
        return state


class Spectrum(Net):
    def forward(self, x):
        found = torch.fft.rfft(self.fc(x))
        return torch.fft.irfft(found * torch.exp(1j * found.angle()),
                               n=x.shape[-1])


class Nested(Net):
    """A value without sizes."""

    def rows(self, x):
        return torch.nested.nested_tensor([x[0], x[1, :2]])

    def forward(self, x):
        return torch.nested.to_padded_tensor(self.rows(self.fc(x)), 0.0)


class Packed(Net):
    """A layer that takes and gives an object of torch's."""

    def __init__(self):
        super().__init__()
        self.cell = nn.LSTM(1, 3, batch_first=True)

    def forward(self, x):
        rows = rnn.pack_padded_sequence(x[..., None], torch.tensor([4, 2]),
                                        batch_first=True)
        return rnn.pad_packed_sequence(self.cell(rows)[0],
                                       batch_first=True)[0]
