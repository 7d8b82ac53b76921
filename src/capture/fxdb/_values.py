"""Values in files that only Python reads: of torch.save, and pictures."""
import torch

from . import _find, _weights


def _named(given, path=""):
    """(name, tensor) of all tensors in the plain containers of GIVEN: "a.b" in
    a dict in a dict, "0" in a list, "" for a tensor itself."""
    if isinstance(given, torch.Tensor):
        yield path, given.detach()
        return
    if isinstance(given, dict):
        items = given.items()
    elif isinstance(given, (list, tuple)):
        items = enumerate(given)
    else:
        return
    for name, value in items:
        if isinstance(name, (str, int)):
            yield from _named(value, "%s.%s" % (path, name) if path
                              else str(name))


def of_file(path):
    """An image of all tensors that torch.save wrote to PATH."""
    tensors = dict(_named(_weights.load(path)))
    if not tensors:
        raise _find.Refused("format", "\"%s\" has no tensors" % path)
    # A tensor alone is named after nothing.
    if "" in tensors:
        tensors = {"tensor": tensors[""]}
    return _weights.image(tensors)


def _cut(picture, size):
    """PICTURE with its shorter side made SIZE, and the middle of the longer, as
    Resize and CenterCrop of torchvision do it."""
    from PIL import Image
    short = min(picture.size)
    width, height = (side * size // short for side in picture.size)
    left, top = round((width - size) / 2), round((height - size) / 2)
    return picture.resize((width, height), Image.BILINEAR).crop(
        (left, top, left + size, top + size))


def of_picture(path, size):
    """An image of f32[1,3,H,W], 0 to 1, of the picture in PATH; with a SIZE that
    is not 0, of its middle square, so large."""
    try:
        from PIL import Image
    except ImportError:
        raise _find.Refused(
            "unsupported", "pictures are read with PIL, which this Python "
            "does not have", "pip install pillow gives it to that Python")
    try:
        with Image.open(path) as file:
            picture = file.convert("RGB")
            if size:
                picture = _cut(picture, size)
    except FileNotFoundError as error:
        raise _find.Refused("io", "\"%s\": %s" % (path, error.strerror))
    except Image.UnidentifiedImageError:
        raise _find.Refused("format", "\"%s\" is no picture that PIL knows"
                            % path)
    except Exception as error:  # cut short, or absurdly large
        raise _find.Refused("format", "\"%s\": %s" % (path, error))
    width, height = picture.size
    bytes_ = torch.frombuffer(bytearray(picture.tobytes()), dtype=torch.uint8)
    planes = bytes_.reshape(height, width, 3).permute(2, 0, 1)
    return _weights.image(
        {"picture": (planes.float() / 255)[None].contiguous()})


def read(path, kind):
    """What a request for a file wants: KIND is "state", "values", or
    "picture SIZE"."""
    if kind == "state":
        return _weights.of_file(path)
    if kind == "values":
        return of_file(path)
    return of_picture(path, int(kind.split()[1]))
