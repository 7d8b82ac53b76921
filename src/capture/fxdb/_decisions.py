"""What asks a value of a recorded model for a decision: the graph holds where it
comes out the same.
"""

# Asking for these makes a decision of a value.
DECIDING = {"__bool__", "__int__", "__float__", "__complex__", "__index__",
            "__contains__", "__len__", "__format__", "item", "tolist", "numpy",
            "__array__", "equal", "allclose", "is_nonzero", "nonzero_static"}
# How they are asked again, of a node's value: those that are.
_TESTS = {"__bool__": "bool(%s)", "is_nonzero": "bool(%s)",
          "__int__": "int(%s)", "__index__": "int(%s)",
          "__float__": "float(%s)", "item": "%s.item()",
          "tolist": "%s.tolist()", "__len__": "%s.shape[0]",
          "equal": "torch.equal(%s, %s)"}
_MOST = 64  # elements of a list that are compared


def note(recorder, result, name, args):
    """A call of NAME told the model RESULT of the values of ARGS."""
    texts = [entry[1].text() for entry in
             map(recorder.nodes.get, map(id, args)) if entry]
    form = _TESTS.get(name)
    is_whole = form and None not in texts and len(texts) == form.count("%s")
    if name == "tolist" and args[0].numel() > _MOST:
        is_whole = False
    recorder.note(result, tests=[(form % tuple(texts), result)]
                  if is_whole else ())
