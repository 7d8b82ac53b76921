"""trace --partial: what cannot be traced is kept whole, the innermost module
around it, and the trace begins anew until it gets through.
"""
import torch

from . import _find, _report


def _innermost(entries, paths, kept):
    """The module that ENTRIES, of a traceback, are in innermost, of those that
    have PATHS (id -> path) and are not KEPT; None: it is the model itself."""
    for entry in reversed(entries):
        module = _report.self_of(entry)
        if isinstance(module, torch.nn.Module) and paths.get(id(module)) and \
                id(module) not in kept:
            return module
    return None


def trace(tracer, root, fixed, begins=lambda: None):
    """The Graph of ROOT as TRACER traces it, with FIXED arguments, except that
    modules that cannot be traced are leaves; and those, each as [file, line,
    path, why].  BEGINS is called before each try.  Raises what ended the trace
    where only ROOT itself is around it; the tracer's `partial` is the graph so far.
    """
    paths = {id(module): path for path, module in root.named_modules()} \
        if isinstance(root, torch.nn.Module) else {}
    kept = {}
    base = type(tracer)

    class Partial(base):
        def is_leaf_module(self, module, path):
            return id(module) in kept or super().is_leaf_module(module, path)
    Partial.__name__ = base.__name__
    tracer.__class__ = Partial
    while True:
        begins()
        try:
            graph = tracer.trace(root, fixed)
        except _find.Refused:
            raise
        except Exception as error:
            entries = _report.own_frames(error.__traceback__)
            module = _innermost(entries, paths, kept)
            if module is None:
                raise
            at = entries[-1]
            kept[id(module)] = [
                at.tb_frame.f_code.co_filename, at.tb_lineno,
                paths[id(module)], "%s: %s" % (
                    type(module).__name__,
                    str(error).strip().partition("\n")[0] or
                    type(error).__name__)]
            continue
        called = {node.target for node in graph.nodes
                  if node.op == "call_module"}
        # Not those within others that were kept later.
        return graph, [note for note in kept.values() if note[2] in called]
