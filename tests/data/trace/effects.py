"""Models that change more than they give: buffers, and random numbers."""
import torch
import torch.fx


class Normed(torch.nn.Module):
    """In training, BatchNorm writes its statistics."""
    def __init__(self):
        super().__init__()
        torch.manual_seed(3)
        self.first = torch.nn.Linear(4, 4)
        self.norm = torch.nn.BatchNorm1d(4)
        self.last = torch.nn.Linear(4, 2)
        self.average = torch.nn.BatchNorm1d(2, momentum=None)

    def forward(self, x):
        x = self.norm(self.first(x))
        x = self.average(self.last(x))
        return self.average(x + 1) + self.norm.num_batches_tracked


class Counter(torch.nn.Module):
    """A leaf that counts in its buffers, in place and by new tensors, and in
    those of a part of torch's, whether it trains or not."""
    def __init__(self):
        super().__init__()
        self.register_buffer("calls", torch.zeros((), dtype=torch.int64))
        self.register_buffer("mean", torch.zeros(4))
        self.norm = torch.nn.BatchNorm1d(4)

    def forward(self, x):
        self.calls += 1
        self.mean = 0.9 * self.mean + x.mean(0)
        self.norm.running_mean.add_(x.sum(0))
        return self.norm(x) * self.calls + self.mean


class Counting(torch.nn.Module):
    """Calls of the leaf differ by what it counted."""
    def __init__(self):
        super().__init__()
        torch.manual_seed(4)
        self.first = torch.nn.Linear(4, 4)
        self.counter = Counter()

    def forward(self, x):
        x = self.counter(self.first(x))
        return self.counter(torch.relu(x))


class Rememberer(torch.nn.Module):
    """A leaf that keeps more than buffers of one shape: a number, a list, a
    tensor, a buffer that grows, one that comes later, one that turns."""
    def __init__(self):
        super().__init__()
        self.calls = 0
        self.seen = []
        self.last = None
        self.register_buffer("past", torch.zeros(1, 4))
        self.register_buffer("late", None)
        self.register_buffer("turned", torch.ones(4, 4))

    def forward(self, x):
        self.calls += 1
        self.seen.append({"sum": float(x.sum())})
        self.past = torch.cat([self.past, x[:2]])
        self.past[0] += 1
        self.late = x[0] if self.late is None else self.late + 1
        self.turned.t_()[0] += self.calls
        if self.last is not None:
            x = x + self.last
        self.last = x.mean(0)
        return x * self.calls + self.past.sum(0) + self.late + \
            len(self.seen) * self.seen[-1]["sum"] + self.turned[0]


class Remembering(torch.nn.Module):
    """Calls of the leaf differ by what it remembers."""
    def __init__(self):
        super().__init__()
        self.leaf = Rememberer()

    def forward(self, x):
        first = self.leaf(x + 1)
        second = self.leaf(torch.relu(first))
        return self.leaf(second)


def noisy(x):
    """Two draws that only Python knows."""
    return x + torch.randn(x.shape) * torch.rand(1)


torch.fx.wrap("noisy")


class Drawing(torch.nn.Module):
    """Draws here and there by turns."""
    def forward(self, x):
        x = torch.nn.functional.dropout(x, 0.5, True)
        x = noisy(x)
        x = torch.nn.functional.dropout(x, 0.5, True)
        x = noisy(x)
        return torch.rand_like(x) + x


class Sharing(torch.nn.Module):
    """Constants that are all of a buffer, a part, seen otherwise."""
    def __init__(self):
        super().__init__()
        self.register_buffer("table", torch.arange(16.).reshape(4, 4))

    def forward(self, x):
        turned = x[:4] + self.table.t() * self.table[:]
        return turned * self.table[:2].sum() + self.table.diagonal() \
            + self.table[1]


class Aliased(torch.nn.Module):
    """Writes a part of a buffer, which another sees across."""
    def __init__(self):
        super().__init__()
        self.register_buffer("table", torch.arange(16.).reshape(4, 4))
        self.register_buffer("turned", self.table.t())
        self.part = self.table[1:3]
        self.word = self.table.view(torch.int32)[3]

    def forward(self, x):
        part = self.part.mul_(x[0])
        out = x[:4] + self.table + self.turned
        self.turned.add_(part.sum())
        return out + self.part[0] + x[1] * self.word % 7


class Turning(torch.nn.Module):
    """Gives its input, and what it computed, other shapes in place."""
    def forward(self, x):
        first = x + 1
        x.unsqueeze_(0)
        part = first[:, 1:3]
        part.t_()
        summed = part.sum(1)
        part.unsqueeze_(1)
        return part * summed.sum() + x.sum()


class Growing(torch.nn.Module):
    """Storages that grow; a parameter turns, which its layer sees too."""
    def __init__(self):
        super().__init__()
        torch.manual_seed(6)
        self.layer = torch.nn.Linear(4, 4)

    def forward(self, x):
        copy = x.clone()
        grown = copy.resize_(10, 4)
        filled = grown.fill_(3.0)
        empty = x.new_empty(0)
        first = empty.resize_(2, 4)
        first = first.zero_()
        before = self.layer(x)
        self.layer.weight.t_()
        after = self.layer(x)
        self.layer.weight.unsqueeze_(0)
        return filled.sum() + first.sum() + before.sum() + after


class Helper:
    """No module, and remembers."""
    def __init__(self):
        self.calls = 0

    def call(self):
        self.calls += 1
        return self.calls


total = 0
seen = []
met = set()
idle = object()


def count():
    global total, idle
    total += 1
    seen.append(total)
    met.add(total)
    if idle is not None:
        idle = None
    return total


def counted(x):
    """Differs from call to call by a global that a function has written."""
    return x * count() + len(seen) + len(met)


torch.fx.wrap("counted")


class Helped(torch.nn.Module):
    """A leaf that remembers in an object of another class, and in globals."""
    def __init__(self):
        super().__init__()
        self.helper = Helper()

    def forward(self, x):
        return x * self.helper.call() + count()


class Elsewhere(torch.nn.Module):
    """What is remembered is in no module."""
    def __init__(self):
        super().__init__()
        self.leaf = Helped()

    def forward(self, x):
        x = counted(self.leaf(x))
        return counted(self.leaf(x))


def operators():
    """Calls that write, each with the values it gets, as exporters spell them:
    statistics are written though no schema says so.
    """
    ops = torch.ops.aten
    function = torch.nn.functional
    stats = ("mean", "var")
    return [
        ("add", ops.add_.Tensor, ("total", "x")),
        ("norm", ops.native_batch_norm.default,
         ("x", None, None, *stats, True, 0.1, 1e-5)),
        ("norm_1", ops.batch_norm.default,
         ("x", None, None, *stats, True, 0.1, 1e-5, False)),
        ("norm_2", ops.instance_norm.default,
         ("long", None, None, *stats, True, 0.1, 1e-5, False)),
        ("norm_3", function.batch_norm, ("x", *stats, None, None, True)),
        ("norm_4", function.instance_norm, ("long", *stats)),
    ]


def Operators():
    root = torch.nn.Module()
    root.register_buffer("mean", torch.zeros(4))
    root.register_buffer("var", torch.ones(4))
    graph = torch.fx.Graph()
    nodes = {"x": graph.placeholder("x")}
    nodes["total"] = graph.call_function(torch.clone, (nodes["x"],))
    nodes["long"] = graph.call_method("reshape", (nodes["x"], 2, 4, 4))
    nodes["mean"], nodes["var"] = map(graph.get_attr, ("mean", "var"))
    for name, target, args in operators():
        last = graph.create_node(
            "call_function", target, name=name,
            args=tuple(nodes.get(arg, arg) for arg in args))
    graph.output((nodes["total"], last))
    return torch.fx.GraphModule(root, graph)
