"""fxdb-gdb.py - fxdb's own structures in gdb, by scripts/gdb or `source`.

Values, nodes and data (struct fx_value, fx_node, fx_datum) are printed as a
person writes them.  A graph is listed by the command `fx_dump GRAPH` or the
function `$fx_dump(GRAPH)`.  All is read from memory and nothing is called, so
that it works on a core dump too.
"""
import gdb

DEPTH = 6
ITEMS = 32


def enum_word(enum, number, prefix):
    """The member NUMBER of ENUM without PREFIX, in small letters."""
    for field in gdb.lookup_type("enum " + enum).fields():
        if field.enumval == int(number):
            return field.name[len(prefix):].lower()
    return "kind %d" % int(number)


def text_at(pointer, size=None):
    """The C string at POINTER, of SIZE bytes if it may hold NULs."""
    if not int(pointer):
        return ""
    return pointer.string(errors="replace", **({} if size is None else {"length": size}))


def joined(items, brackets):
    return brackets[0] + ", ".join(items) + brackets[1]


BRACKETS = {"tuple": "()", "list": "[]", "dict": "{}"}


def sequence(word, items):
    """ITEMS, texts, as Python writes a WORD of them."""
    if word == "dict":
        items = ["%s: %s" % pair for pair in zip(items[::2], items[1::2])]
    if word in BRACKETS:
        if word == "tuple" and len(items) == 1:
            items = [items[0] + ","]
        return joined(items, BRACKETS[word])
    return word + joined(items, "()")


def count_of(word, count):
    """How many items a container of COUNT has."""
    return {"dict": 2 * count, "slice": 3, "range": 3, "namedtuple": count + 1}.get(word, count)


def tensor_text(meta, depth):
    dtype = enum_word("fx_dtype", meta["dtype"], "FX_DTYPE_")
    if not meta["has_shape"]:
        return dtype + "[...]"
    return dtype + joined([value_text(meta["sizes"][i], depth + 1)
                           for i in range(int(meta["rank"]))], "[]")


def value_text(value, depth=0):
    """A struct fx_value."""
    word = enum_word("fx_value_kind", value["kind"], "FX_VALUE_")
    count = int(value["count"])
    if depth > DEPTH:
        return "..."
    if word == "none":
        return "None"
    if word == "bool":
        return str(bool(value["truth"]))
    if word == "int":
        return str(int(value["integer"]))
    if word == "dtype":
        return "torch." + enum_word("fx_dtype", value["integer"], "FX_DTYPE_")
    if word == "float":
        return repr(float(value["real"]))
    if word == "complex":
        return repr(complex(float(value["pair"][0]), float(value["pair"][1])))
    if word in ("string", "bytes"):
        return repr(text_at(value["text"], count))
    if word == "node":
        return "%" + text_at(value["node"]["name"])
    if word == "tensor":
        return tensor_text(value["tensor"].dereference(), depth)
    if word in ("slice", "tuple", "list", "dict", "range", "size", "namedtuple"):
        shown = min(count_of(word, count), ITEMS)
        return sequence(word, [value_text(value["items"][i], depth + 1) for i in range(shown)])
    if word in ("symbol", "ellipsis"):
        return word
    return "%s(%s)" % (word, text_at(value["text"]))


def node_text(node):
    """A struct fx_node as a line of a listing."""
    opcode = enum_word("fx_opcode", node["opcode"], "FX_OPCODE_")
    if opcode == "count":
        return "the root of a list of nodes"
    keywords = node["kwargs"]
    text = "%%%s = %s[%s]%s" % (text_at(node["name"]), opcode, text_at(node["target"]),
                                value_text(node["args"]))
    if int(keywords["count"]):
        text += " " + value_text(keywords)
    if int(node["meta"]):
        text += " -> " + value_text(node["meta"].dereference())
    return text


def datum_text(datum, depth=0):
    """A struct fx_datum."""
    word = enum_word("fx_datum_kind", datum["kind"], "FX_DATUM_")
    count = int(datum["count"]) if "count" in datum.type.keys() else 0
    if depth > DEPTH:
        return "..."
    if word in ("tuple", "list", "size", "dict", "slice", "namedtuple"):
        shown = min(count_of(word, count), ITEMS)
        return sequence(word, [datum_text(datum["items"][i].dereference(), depth + 1)
                               for i in range(shown)])
    if word in ("plain", "value"):
        return value_text(datum["value"], depth)
    if word == "none":
        return "None"
    if word == "bool":
        return str(bool(datum["truth"]))
    if word == "int":
        return str(int(datum["integer"]))
    if word == "float":
        return repr(float(datum["real"]))
    if word == "string":
        return repr(text_at(datum["text"], count))
    if word in ("tensor", "handle"):
        return "%s at %s" % (word, datum["payload"])
    return word


PRINTERS = {"fx_value": value_text, "fx_node": node_text, "fx_datum": datum_text}


class Printer:
    """Shows VALUE as what TEXT_OF makes of it."""

    def __init__(self, value, text_of):
        self.value, self.text_of = value, text_of

    def to_string(self):
        try:
            return self.text_of(self.value)
        except gdb.MemoryError as error:
            return "<%s>" % error


def find_printer(value):
    """The printer of VALUE, a structure of ours or a pointer to one."""
    type_ = value.type.strip_typedefs()
    is_pointer = type_.code == gdb.TYPE_CODE_PTR
    if is_pointer:
        type_ = type_.target().strip_typedefs()
    text_of = PRINTERS.get(type_.unqualified().tag)
    if not text_of or (is_pointer and not int(value)):
        return None
    return Printer(value.dereference() if is_pointer else value, text_of)


def dump(graph):
    """Print the nodes of GRAPH, a struct fx_graph or a pointer to one."""
    if graph.type.strip_typedefs().code == gdb.TYPE_CODE_PTR:
        graph = graph.dereference()
    node = graph["root"]["next"]
    count = int(graph["node_count"])
    for index in range(count):
        print("%5d  %s" % (index, node_text(node.dereference())))
        node = node["next"]
    return count


class DumpCommand(gdb.Command):
    """fx_dump GRAPH: list the nodes of a struct fx_graph or a pointer to one."""

    def __init__(self):
        super().__init__("fx_dump", gdb.COMMAND_DATA, gdb.COMPLETE_EXPRESSION)

    def invoke(self, argument, from_tty):
        dump(gdb.parse_and_eval(argument))


class DumpFunction(gdb.Function):
    """$fx_dump(GRAPH): list its nodes; how many they are."""

    def __init__(self):
        super().__init__("fx_dump")

    def invoke(self, graph):
        return dump(graph)


DumpCommand()
DumpFunction()
gdb.pretty_printers.append(find_printer)
