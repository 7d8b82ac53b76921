"""Models whose weights are the same in every process."""
import torch


def model(name):
    """A model of torchvision with statistics that matter."""
    import torchvision.models
    torch.manual_seed(7)
    options = {"init_weights": False} \
        if name in ("googlenet", "inception_v3") else {}
    module = getattr(torchvision.models, name)(**options).eval()
    for path, buffer in module.named_buffers():
        if path.endswith("running_mean"):
            buffer.normal_(0, 0.1)
        elif path.endswith("running_var"):
            buffer.uniform_(0.5, 1.5)
    return module
