"""Dataclasses in a recording: what a call gave is the node of that call, as long
as nobody wrote it; another is a call of its class.
"""
import dataclasses

from fxdb import _capture
from fxdb._numbers import Entry, part_of
from fxdb._results import fields_of


class Objects:
    """Those of RECORDER."""

    def __init__(self, recorder):
        self.recorder = recorder
        # Id of one that a call gave, which lives as long as this -> (it, its
        # entry, its parts by name).
        self.known = {}

    def name(self, value, entry):
        """VALUE, which a call gave, with ENTRY for its node."""
        parts = fields_of(value)
        self.known[id(value)] = value, entry, parts
        for name, part in parts.items():
            self.recorder.name(part, self._part(entry, name))

    def _part(self, entry, name):
        return Entry(lambda: self.recorder.record(getattr, (entry.get(), name)),
                     tell=lambda: part_of(entry.text(), "." + name))

    def proxy(self, value):
        """VALUE as an argument of a node; as it is where no graph holds what
        is in it."""
        parts = fields_of(value)
        _, entry, known = self.known.get(id(value), (None, None, {}))
        if entry and known.keys() == parts.keys() and \
                all(part is known[name] for name, part in parts.items()):
            return entry.get()
        given = {field.name: parts[field.name]
                 for field in dataclasses.fields(value)
                 if field.init and field.name in parts}
        if not self.recorder.holds(given):
            return value
        with self.recorder.working():
            return _capture.record("call_function", type(value), (),
                                   self.recorder.proxy(given))
