"""How a model that raises while it is recorded, or does what no recording can
hold, ends its graph: with the call that raised, or, where Python itself did between calls, with a call that raises
the same.  Either has the line of the model's for its source.
"""
import contextlib
import linecache

from fxdb import _capture, _report, _torch


class Raised:
    """What raises ERROR, the model's own, as a target."""

    __module__ = "raises"

    def __init__(self, error):
        self.error = error
        self.__name__ = self.__qualname__ = type(error).__name__

    def __call__(self, *text):
        raise self.error.with_traceback(None)


class Failed:
    """The last call of RECORDER's model that raised."""

    def __init__(self, recorder):
        self.recorder = recorder
        self.last = None

    def note(self, error, *call):
        """ERROR ended CALL: its op, target, args and kwargs."""
        self.last = error, call, list(self.recorder.scopes)

    def add(self, error):
        """The call that raised ERROR, or what ERROR came of, as the last node
        of a graph that has no result."""
        cause = error
        while cause and self.last and cause is not self.last[0]:
            cause = cause.__cause__ or cause.__context__
        entries = _report.own_frames(error.__traceback__)
        if cause and self.last:
            _, call, scopes = self.last
            entries = _report.own_frames(cause.__traceback__)
        elif isinstance(error, Exception) and entries and \
                not _report.is_torch(_file(entries[-1])):
            call = "call_function", Raised(error), (
                _report.text_of(error),), {}
            scopes = self._scopes(error.__traceback__)
        else:
            return
        self._add(*call, [(
            _file(entry), entry.tb_lineno, entry.tb_frame.f_code.co_name,
            linecache.getline(_file(entry), entry.tb_lineno).strip())
            for entry in entries[::-1]], scopes)

    def _scopes(self, trace):
        """The modules whose calls TRACE goes through."""
        scopes = []
        while trace:
            path = self.recorder.wholes.module_of(trace.tb_frame)
            if path:
                scopes.append((path, _torch.class_text(type(
                    _report.self_of(trace)))))
            trace = trace.tb_next
        return scopes

    def _add(self, op, target, args, kwargs, frames, scopes):
        name = target if isinstance(target, str) else \
            "raised" if isinstance(target, Raised) else target.__name__
        proxy = self.recorder.proxy
        with contextlib.suppress(Exception):
            _capture.add(op, target, proxy(tuple(args)), proxy(dict(kwargs)),
                         name.strip("_").replace(".", "_"), None, False,
                         (frames, scopes, None))


def _file(entry):
    return entry.tb_frame.f_code.co_filename
