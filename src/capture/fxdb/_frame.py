"""Where the model is while it is recorded: its own frame, and the operator that
its line applies there.
"""
import dis
import operator
import sys

# What instructions of the model's own line say, as functions.
SYMBOLS = {"+": "add", "-": "sub", "*": "mul", "@": "matmul",
           "/": "truediv", "//": "floordiv", "%": "mod", "**": "pow",
           "<<": "lshift", ">>": "rshift", "&": "and_", "|": "or_",
           "^": "xor"}
_BINARY = {"ADD": "+", "SUBTRACT": "-", "MULTIPLY": "*",
           "MATRIX_MULTIPLY": "@", "TRUE_DIVIDE": "/", "FLOOR_DIVIDE": "//",
           "MODULO": "%", "POWER": "**", "LSHIFT": "<<", "RSHIFT": ">>",
           "AND": "&", "OR": "|", "XOR": "^"}
_UNARY = {"UNARY_NEGATIVE": operator.neg, "UNARY_POSITIVE": operator.pos,
          "UNARY_INVERT": operator.invert}
_COMPARED = {"eq", "ne", "lt", "le", "gt", "ge"}


def model_frame():
    """The frame of the model's that is being run: none of torch's, nor ours.
    """
    frame = sys._getframe(1)
    while frame.f_back and ("/torch/" in frame.f_code.co_filename or
                            frame.f_globals.get("__package__") == "fxdb"):
        frame = frame.f_back
    return frame


def is_model_asking(depth):
    """Whether the function DEPTH above who asks this is the model's, what hands
    calls on aside."""
    frame = sys._getframe(depth + 1)
    while frame.f_code.co_filename.endswith("/torch/overrides.py") or \
            frame.f_code.co_name == "__torch_function__":
        frame = frame.f_back
    return "/torch/" not in frame.f_code.co_filename and \
        frame.f_globals.get("__package__") != "fxdb"


def operator_at(frame, called):
    """The operator that FRAME's instruction applies where it has torch call
    CALLED, or None: torch tells x * 2 and x.mul(2) not apart.
    """
    code, at = frame.f_code.co_code, frame.f_lasti
    name, argument = dis.opname[code[at]], code[at + 1]
    if name == "COMPARE_OP":
        return getattr(operator, called) if called in _COMPARED else None
    if name in _UNARY:
        return _UNARY[name]
    first, _, rest = name.partition("_")
    symbol = dis._nb_ops[argument][1] if name == "BINARY_OP" else \
        _BINARY.get(rest, "") + ("=" if first == "INPLACE" else "")
    word = SYMBOLS.get(symbol.rstrip("=")) \
        if first in ("BINARY", "INPLACE") else None
    if not word:
        return None
    return getattr(operator, "i" + word.rstrip("_") if symbol[-1] == "="
                   else word)


def is_assert(frame):
    """Whether FRAME asks for a truth in order to assert it."""
    code = [step for step in dis.get_instructions(frame.f_code)
            if step.opname != "EXTENDED_ARG"]
    at = next(i for i, step in enumerate(code)
              if step.offset >= frame.f_lasti)
    while code[at].opname in ("TO_BOOL", "NOT_TAKEN"):
        at += 1
    return code[at].opname.startswith("POP_JUMP") and \
        code[at].opname.endswith("IF_TRUE") and \
        any("ASSERTION_ERROR" in step.opname or step.argval is AssertionError
            for step in code[at + 1:at + 3])
