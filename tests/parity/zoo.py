"""torchvision's models, for all that compares whole ones."""
import glob
import importlib.util
import inspect
import os

import torch

# Without drawing weights anew, which takes most of the time.
OPTIONS = {"googlenet": {"init_weights": False},
           "inception_v3": {"init_weights": False}}


def _has_operators():
    """Whether torchvision is for this torch, and loads its own operators."""
    found = importlib.util.find_spec("torchvision")
    try:
        for path in glob.glob(os.path.join(os.path.dirname(found.origin),
                                           "_C*.so")):
            torch.ops.load_library(path)
            return True
    except (AttributeError, OSError):
        pass
    return False


def declare_operators():
    """torchvision's wheels for torch 2.x need its CUDA operators to be
    declared; the models' Python works without them."""
    if torch.__version__.startswith("1.") or \
            hasattr(declare_operators, "library") or _has_operators():
        return
    # Declared as long as the library lives.
    declare_operators.library = torch.library.Library("torchvision", "DEF")
    for operator in ("nms", "qnms"):
        declare_operators.library.define(
            operator + "(Tensor dets, Tensor scores, "
            "float iou_threshold) -> Tensor")


def leave_weights():
    """Values do not matter then, and drawing them takes most of the time."""
    for name in dir(torch.nn.init):
        if name.endswith("_") and not name.startswith("_"):
            setattr(torch.nn.init, name,
                    lambda tensor, *args, **kwargs: tensor)


def builders():
    """name -> function, of classification and video models."""
    import torchvision.models.video
    return {
        name: value
        for module in (torchvision.models.video, torchvision.models)
        for name, value in vars(module).items()
        if inspect.isfunction(value) and name.islower()
        and value.__module__.startswith("torchvision.models")
        and not name.startswith(("get_", "list_"))}


def build(name, **options):
    """The model NAME, not in training."""
    declare_operators()
    options = dict(OPTIONS.get(name, {}), **options)
    if name in builders():
        return builders()[name](**options).eval()
    import torchvision
    return torchvision.models.get_model(
        name, weights=None, **options, **(
            {} if name.startswith("raft") else {"weights_backbone": None})
    ).eval()


def vary(module):
    """Statistics that matter, instead of zeros and ones."""
    for path, buffer in module.named_buffers():
        if path.endswith("running_mean"):
            buffer.normal_(0, 0.1)
        elif path.endswith("running_var"):
            buffer.uniform_(0.5, 1.5)
    return module


def list_of_images():
    """What a detector is given."""
    return [torch.rand(3, 128, 160)]


DETECTORS = ("rcnn", "fcos", "retinanet", "ssd")


def is_detector(name):
    return any(word in name for word in DETECTORS)


class Heads(torch.nn.Module):
    """What a detector computes before it chooses among boxes: of random weights
    it chooses none, or needs the operators that are only declared."""

    def __init__(self, name):
        super().__init__()
        model = build(name)
        self.backbone = model.backbone
        self.head = model.head if hasattr(model, "head") else model.rpn.head

    def forward(self, x):
        return self.head(list(self.backbone(x).values()))


class Flat(torch.nn.Module):
    """One vector of all that a model gives."""

    def __init__(self, name):
        super().__init__()
        self.takes_two = name.startswith("raft")
        self.model = Heads(name) if is_detector(name) else build(name)

    def forward(self, x):
        given = self.model(x[:1], x[1:]) if self.takes_two else self.model(x)
        return torch.cat([each.flatten() for each in leaves(given)])


def leaves(value):
    """The tensors in lists, tuples and dicts."""
    if isinstance(value, dict):
        value = list(value.values())
    return [each for part in value for each in leaves(part)] \
        if isinstance(value, (list, tuple)) else [value]


def heads(name):
    torch.manual_seed(7)
    return vary(Heads(name)).eval()


def all_names():
    """Of all that torchvision has, in floats."""
    import torchvision
    return [name for name in torchvision.models.list_models()
            if not name.startswith("quantized_")]


def parameters_of(name):
    import torchvision
    return torchvision.models.get_model_weights(name).DEFAULT.meta[
        "num_params"]
