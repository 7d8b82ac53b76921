/* ext_proxy.c - Proxy: a value that exists only as a node.
 *
 * The rules are torch.fx's (semantics 3): operators record functions of the
 * operator module, attributes are lazy, calls of attributes are methods,
 * anything that needs the value itself is refused with a sentence that says
 * what was asked.
 */
#include <config.h>

#include "capture/capture.h"
#include "capture/copy.h"

#include <string.h>

#include "base/intern.h"

/* What a traced value cannot answer: a word for the report, and the sentence
 * around the node's name.
 */
struct refusal {
	const char *asked;
	const char *before;
	const char *after;
};

/* Functions of the operator module, and their places in fxpy.operators. */
/* clang-format off */
#define OPERATORS(X) \
	X(ADD, add) X(SUB, sub) X(MUL, mul) X(MATMUL, matmul) \
	X(TRUEDIV, truediv) X(FLOORDIV, floordiv) X(MOD, mod) X(POW, pow) \
	X(LSHIFT, lshift) X(RSHIFT, rshift) X(AND, and_) X(OR, or_) \
	X(XOR, xor) X(NEG, neg) X(POS, pos) X(INVERT, invert) X(ABS, abs) \
	X(GETITEM, getitem) X(LT, lt) X(LE, le) X(EQ, eq) X(NE, ne) \
	X(GT, gt) X(GE, ge)
/* clang-format on */

enum {
#define PLACE(id, name) OP_##id,
	OPERATORS(PLACE)
#undef PLACE
};

PyObject *
fxpy_proxy_new(struct fx_node *node)
{
	struct fxpy_proxy *proxy =
		PyObject_New(struct fxpy_proxy, fxpy.proxy_type);

	if (!proxy)
		return NULL;
	/* torch.finfo reads a dtype here, whatever it is given: none. */
	proxy->no_dtype = 0x7f;
	proxy->generation = fxpy.generation;
	proxy->node = node;
	proxy->name = node ? node->name : NULL;
	proxy->owner = NULL;
	proxy->attr = NULL;
	proxy->dict = NULL;
	return (PyObject *)proxy;
}

static PyObject *
attribute_new(PyObject *owner, PyObject *name)
{
	struct fxpy_proxy *proxy = (struct fxpy_proxy *)fxpy_proxy_new(NULL);

	if (!proxy)
		return NULL;
	proxy->generation = ((struct fxpy_proxy *)owner)->generation;
	Py_INCREF(owner);
	proxy->owner = owner;
	Py_INCREF(name);
	proxy->attr = name;
	return (PyObject *)proxy;
}

static void
proxy_dealloc(PyObject *self)
{
	struct fxpy_proxy *proxy = (struct fxpy_proxy *)self;
	PyTypeObject *type = Py_TYPE(self);

	Py_XDECREF(proxy->owner);
	Py_XDECREF(proxy->attr);
	Py_XDECREF(proxy->dict);
	PyObject_Free(self);
	Py_DECREF(type);
}

struct fx_node *
fxpy_proxy_node(PyObject *self)
{
	struct fxpy_proxy *proxy = (struct fxpy_proxy *)self;
	PyObject *args, *made;

	if (!fxpy.trace || proxy->generation != fxpy.generation) {
		PyErr_SetString(PyExc_RuntimeError,
			"a value of an earlier trace is used: the model kept "
			"it on itself; trace a freshly built model");
		return NULL;
	}
	if (proxy->node)
		return proxy->node;
	args = PyTuple_Pack(2, proxy->owner, proxy->attr);
	if (!args)
		return NULL;
	made = fxpy_record_function(fxpy.getattr_function, args, NULL, false);
	Py_DECREF(args);
	if (!made)
		return NULL;
	proxy->node = ((struct fxpy_proxy *)made)->node;
	proxy->name = proxy->node->name;
	Py_DECREF(made);
	return proxy->node;
}

/* Refuse with CLASS: BEFORE, the node, AFTER make the sentence.  What was
 * asked of which node, and where, is remembered for the report.
 */
static PyObject *
refuse(PyObject *self, PyObject *class, const struct refusal *refusal)
{
	struct fx_node *node = fxpy_proxy_node(self);
	const struct fx_source *source;

	if (!node)
		return NULL;
	source = fxpy_source(fxpy.trace);
	fxpy.asked = refusal->asked;
	fxpy.asked_node = node->name;
	fxpy.asked_sentence = fx_intern_format("%s%%%s%s", refusal->before,
		node->name, refusal->after);
	fxpy.asked_file = source ? source->frames[0].file : "";
	fxpy.asked_line = source ? source->frames[0].line : 0;
	PyErr_SetString(class, fxpy.asked_sentence);
	return NULL;
}

static PyObject *
binary(int index, PyObject *left, PyObject *right)
{
	PyObject *args = PyTuple_Pack(2, left, right);
	PyObject *result;

	if (!args)
		return NULL;
	result = fxpy_record_function(fxpy.operators[index], args, NULL, false);
	Py_DECREF(args);
	return result;
}

static PyObject *
unary(int index, PyObject *operand)
{
	PyObject *args = PyTuple_Pack(1, operand);
	PyObject *result;

	if (!args)
		return NULL;
	result = fxpy_record_function(fxpy.operators[index], args, NULL, false);
	Py_DECREF(args);
	return result;
}

#define BINARY(name, index) \
	static PyObject *name(PyObject *a, PyObject *b) \
	{ \
		return binary(index, a, b); \
	}
#define UNARY(name, index) \
	static PyObject *name(PyObject *a) \
	{ \
		return unary(index, a); \
	}

BINARY(proxy_add, OP_ADD)
BINARY(proxy_sub, OP_SUB)
BINARY(proxy_mul, OP_MUL)
BINARY(proxy_matmul, OP_MATMUL)
BINARY(proxy_truediv, OP_TRUEDIV)
BINARY(proxy_floordiv, OP_FLOORDIV)
BINARY(proxy_mod, OP_MOD)
BINARY(proxy_lshift, OP_LSHIFT)
BINARY(proxy_rshift, OP_RSHIFT)
BINARY(proxy_and, OP_AND)
BINARY(proxy_or, OP_OR)
BINARY(proxy_xor, OP_XOR)
BINARY(proxy_getitem, OP_GETITEM)
UNARY(proxy_neg, OP_NEG)
UNARY(proxy_pos, OP_POS)
UNARY(proxy_invert, OP_INVERT)
UNARY(proxy_abs, OP_ABS)

static PyObject *
proxy_pow(PyObject *base, PyObject *exponent, PyObject *modulo)
{
	if (modulo != Py_None) {
		PyErr_SetString(PyExc_TypeError,
			"pow() of a traced value takes no modulus");
		return NULL;
	}
	return binary(OP_POW, base, exponent);
}

static PyObject *
proxy_compare(PyObject *self, PyObject *other, int op)
{
	static const int index[] = {
		[Py_LT] = OP_LT,
		[Py_LE] = OP_LE,
		[Py_EQ] = OP_EQ,
		[Py_NE] = OP_NE,
		[Py_GT] = OP_GT,
		[Py_GE] = OP_GE,
	};

	return binary(index[op], self, other);
}

static Py_hash_t
proxy_hash(PyObject *self)
{
	return (Py_hash_t)((uintptr_t)self >> 4);
}

#define UNKNOWN " is asked for, which is not known while tracing"

/* What the tracer's own HOOK says of SELF. */
static PyObject *
ask_tracer(const char *hook, PyObject *self)
{
	return PyObject_CallMethod(fxpy.trace->tracer, hook, "O", self);
}

static int
ask_truth(PyObject *self)
{
	PyObject *answer = ask_tracer("_truth", self);
	int truth = answer ? PyObject_IsTrue(answer) : -1;

	Py_XDECREF(answer);
	return truth;
}

static int
proxy_bool(PyObject *self)
{
	static const struct refusal truth = { "the truth",
		"control flow (if, while, and, or, not, assert, in, max, min) "
		"asks for the truth of ",
		", which is not known while tracing" };

	if (fxpy.trace && fxpy.trace->hooks_bool)
		return ask_truth(self);
	refuse(self, fxpy.trace_error, &truth);
	return -1;
}

static Py_ssize_t
proxy_length(PyObject *self)
{
	static const struct refusal length = { "len()", "len() of ", UNKNOWN };

	refuse(self, PyExc_RuntimeError, &length);
	return -1;
}

static PyObject *
proxy_int(PyObject *self)
{
	static const struct refusal number = { "int()", "int() of ", UNKNOWN };

	return refuse(self, PyExc_TypeError, &number);
}

static PyObject *
proxy_float(PyObject *self)
{
	static const struct refusal number = { "float()", "float() of ",
		UNKNOWN };

	return refuse(self, PyExc_TypeError, &number);
}

static PyObject *
proxy_index(PyObject *self)
{
	static const struct refusal number = { "an integer", "",
		" is used as an integer (a size, an index, in range()), which "
		"is not known while tracing" };

	return refuse(self, PyExc_TypeError, &number);
}

static PyObject *
proxy_round(PyObject *self, PyObject *args)
{
	static const struct refusal number = { "round()", "round() of ",
		UNKNOWN };

	(void)args;
	return refuse(self, PyExc_TypeError, &number);
}

static PyObject *
proxy_format(PyObject *self, PyObject *specification)
{
	static const struct refusal text = { "a formatted number",
		"a number to format in ", UNKNOWN };

	if (PyUnicode_Check(specification) &&
		PyUnicode_GetLength(specification) == 0)
		return PyObject_Str(self);
	return refuse(self, PyExc_TypeError, &text);
}

static int
proxy_assign(PyObject *self, PyObject *key, PyObject *value)
{
	static const struct refusal set = { "item assignment", "an item of ",
		" is assigned, and a graph cannot change a value in place" };
	static const struct refusal del = { "item deletion", "an item of ",
		" is deleted, and a graph cannot change a value in place" };

	(void)key;
	refuse(self, PyExc_TypeError, value ? &set : &del);
	return -1;
}

static PyObject *
proxy_repr(PyObject *self)
{
	/* Making the node here is torch.fx's behaviour: f"{x.shape}" leaves a
	 * getattr node.
	 */
	struct fx_node *node = fxpy_proxy_node(self);

	return node ? PyUnicode_FromFormat("Proxy(%s)", node->name) : NULL;
}

static PyObject *
proxy_call(PyObject *self, PyObject *args, PyObject *kwargs)
{
	struct fxpy_proxy *proxy = (struct fxpy_proxy *)self;
	PyObject *owner = proxy->attr ? proxy->owner : self;
	PyObject *all, *result = NULL;
	const char *name = "__call__";

	if (proxy->attr && !(name = fxpy_name(proxy->attr)))
		return NULL;
	all = fxpy_with_first(owner, args);
	if (all)
		result = fxpy_record_method(name, all, kwargs);
	Py_XDECREF(all);
	return result;
}

/* How many values the caller unpacks right now, or -1: `a, b = x` is an
 * UNPACK_SEQUENCE at the frame's last instruction.  From 3.11 f_lasti stands
 * at the instruction itself, before that at an EXTENDED_ARG in front of it.
 */
static long
unpack_count(void)
{
	PyObject *frame = (PyObject *)PyEval_GetFrame();
	PyObject *last = NULL, *code = NULL, *bytes = NULL;
	const unsigned char *text;
	char *data;
	Py_ssize_t size;
	long at, count = -1;

	if (!frame)
		return -1;
	last = PyObject_GetAttr(frame, fxpy_str.f_lasti);
	code = PyObject_GetAttr(frame, fxpy_str.f_code);
	bytes = code ? PyObject_GetAttr(code, fxpy_str.co_code) : NULL;
	if (last && bytes &&
		PyBytes_AsStringAndSize(bytes, &data, &size) == 0) {
		text = (const unsigned char *)data;
		at = PyLong_AsLong(last);
		long argument = 0;

		while (at >= 2 && text[at - 2] == fxpy.extended_arg)
			at -= 2;
		while (at >= 0 && at + 1 < size &&
			text[at] == fxpy.extended_arg) {
			argument = (argument | text[at + 1]) << 8;
			at += 2;
		}
		if (at >= 0 && at + 1 < size &&
			text[at] == fxpy.unpack_sequence)
			count = argument | text[at + 1];
	}
	PyErr_Clear();
	Py_XDECREF(last);
	Py_XDECREF(code);
	Py_XDECREF(bytes);
	return count;
}

static PyObject *
proxy_iter(PyObject *self)
{
	static const struct refusal items = { "the items",
		"a loop, list(), * or ** asks for the items of ",
		", and how many there are is not known while tracing" };
	long count = unpack_count();
	PyObject *list, *iterator;

	if (count < 0 && fxpy.trace && fxpy.trace->hooks_iter)
		return ask_tracer("iter", self);
	if (count < 0)
		return refuse(self, fxpy.trace_error, &items);
	if (!fxpy_proxy_node(self))
		return NULL;
	list = PyList_New(0);
	for (long i = 0; list && i < count; i++) {
		PyObject *number = PyLong_FromLong(i);
		PyObject *item =
			number ? binary(OP_GETITEM, self, number) : NULL;

		Py_XDECREF(number);
		if (!item || PyList_Append(list, item) < 0)
			Py_CLEAR(list);
		Py_XDECREF(item);
	}
	if (!list)
		return NULL;
	iterator = PyObject_GetIter(list);
	Py_DECREF(list);
	return iterator;
}

static PyObject *
own_attribute(PyObject *self, PyObject *name)
{
	if (PyUnicode_CompareWithASCIIString(name, "__class__") == 0 &&
		fxpy.fx_proxy_type) {
		Py_INCREF(fxpy.fx_proxy_type);
		return fxpy.fx_proxy_type;
	}
	return PyObject_GenericGetAttr(self, name);
}

static PyObject *
proxy_getattr(PyObject *self, PyObject *name)
{
	struct fxpy_proxy *proxy = (struct fxpy_proxy *)self;
	const char *text = fxpy_name(name);

	if (!text)
		return NULL;
	if (text[0] == '_' && text[1] == '_')
		return own_attribute(self, name);
	if (proxy->dict) {
		PyObject *stored = PyDict_GetItemWithError(proxy->dict, name);

		if (stored) {
			Py_INCREF(stored);
			return stored;
		}
		if (PyErr_Occurred())
			return NULL;
	}
	if (strcmp(text, "tracer") == 0 && fxpy.trace) {
		Py_INCREF(fxpy.trace->tracer);
		return fxpy.trace->tracer;
	}
	if (strcmp(text, "node") == 0) {
		struct fx_node *node = fxpy_proxy_node(self);

		return node ? fxpy_trace_node(fxpy.trace, node) : NULL;
	}
	if (strcmp(text, "keys") == 0 && fxpy.trace && fxpy.trace->hooks_keys)
		return PyObject_CallMethod(fxpy.trace->tracer, "_keys_of", "O",
			self);
	return attribute_new(self, name);
}

static int
proxy_setattr(PyObject *self, PyObject *name, PyObject *value)
{
	struct fxpy_proxy *proxy = (struct fxpy_proxy *)self;

	if (!proxy->dict && !(proxy->dict = PyDict_New()))
		return -1;
	if (!value)
		return PyDict_DelItem(proxy->dict, name);
	return PyDict_SetItem(proxy->dict, name, value);
}

static PyObject *
proxy_copy(PyObject *self, PyObject *args)
{
	(void)args;
	Py_INCREF(self);
	return self;
}

static PyObject *
proxy_reduce(PyObject *self, PyObject *args)
{
	static const struct refusal pickle = { "pickling", "",
		" is pickled, and it exists only while tracing" };

	(void)args;
	return refuse(self, PyExc_TypeError, &pickle);
}

static PyMethodDef proxy_methods[] = {
	{ "__torch_function__", fxpy_torch_function, METH_VARARGS | METH_CLASS,
		"Record the torch function that was called." },
	{ "__copy__", proxy_copy, METH_VARARGS, "The proxy itself." },
	{ "__deepcopy__", proxy_copy, METH_VARARGS, "The proxy itself." },
	{ "__round__", proxy_round, METH_VARARGS, "Refused." },
	{ "__format__", proxy_format, METH_O, "Text, without a format." },
	{ "__reduce_ex__", proxy_reduce, METH_VARARGS, "Refused." },
	{ NULL, NULL, 0, NULL },
};

static PyObject *
proxy_refuse_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
	(void)type;
	(void)args;
	(void)kwargs;
	PyErr_SetString(PyExc_TypeError,
		"a Proxy is made by a trace, not by calling the class");
	return NULL;
}

static PyType_Slot proxy_slots[] = {
	{ Py_tp_doc, (void *)(uintptr_t) "A value that is known only as a node "
					 "while tracing." },
	FXPY_SLOT(Py_tp_new, proxy_refuse_new),
	FXPY_SLOT(Py_tp_dealloc, proxy_dealloc),
	FXPY_SLOT(Py_tp_repr, proxy_repr),
	FXPY_SLOT(Py_tp_call, proxy_call),
	FXPY_SLOT(Py_tp_hash, proxy_hash),
	FXPY_SLOT(Py_tp_richcompare, proxy_compare),
	FXPY_SLOT(Py_tp_getattro, proxy_getattr),
	FXPY_SLOT(Py_tp_setattro, proxy_setattr),
	FXPY_SLOT(Py_tp_iter, proxy_iter),
	FXPY_SLOT(Py_tp_methods, proxy_methods),
	FXPY_SLOT(Py_nb_add, proxy_add),
	FXPY_SLOT(Py_nb_subtract, proxy_sub),
	FXPY_SLOT(Py_nb_multiply, proxy_mul),
	FXPY_SLOT(Py_nb_matrix_multiply, proxy_matmul),
	FXPY_SLOT(Py_nb_true_divide, proxy_truediv),
	FXPY_SLOT(Py_nb_floor_divide, proxy_floordiv),
	FXPY_SLOT(Py_nb_remainder, proxy_mod),
	FXPY_SLOT(Py_nb_power, proxy_pow),
	FXPY_SLOT(Py_nb_lshift, proxy_lshift),
	FXPY_SLOT(Py_nb_rshift, proxy_rshift),
	FXPY_SLOT(Py_nb_and, proxy_and),
	FXPY_SLOT(Py_nb_or, proxy_or),
	FXPY_SLOT(Py_nb_xor, proxy_xor),
	FXPY_SLOT(Py_nb_negative, proxy_neg),
	FXPY_SLOT(Py_nb_positive, proxy_pos),
	FXPY_SLOT(Py_nb_invert, proxy_invert),
	FXPY_SLOT(Py_nb_absolute, proxy_abs),
	FXPY_SLOT(Py_nb_bool, proxy_bool),
	FXPY_SLOT(Py_nb_int, proxy_int),
	FXPY_SLOT(Py_nb_float, proxy_float),
	FXPY_SLOT(Py_nb_index, proxy_index),
	FXPY_SLOT(Py_mp_ass_subscript, proxy_assign),
	FXPY_SLOT(Py_mp_length, proxy_length),
	FXPY_SLOT(Py_mp_subscript, proxy_getitem),
	{ 0, NULL },
};

static PyType_Spec proxy_spec = {
	.name = "fxdb.Proxy",
	.basicsize = sizeof(struct fxpy_proxy),
	.flags = Py_TPFLAGS_DEFAULT,
	.slots = proxy_slots,
};

int
fxpy_proxy_ready(PyObject *module)
{
#define NAME(id, name) #name,
	static const char *const names[] = { OPERATORS(NAME) };
#undef NAME
	PyObject *functions = PyImport_ImportModule("operator");
	PyObject *type = PyType_FromSpec(&proxy_spec);

	if (!functions || !type)
		return -1;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		fxpy.operators[i] = PyObject_GetAttrString(functions, names[i]);
		if (!fxpy.operators[i])
			return -1;
	}
	Py_DECREF(functions);
	fxpy.proxy_type = (PyTypeObject *)type;
	Py_INCREF(type);
	return PyModule_AddObject(module, "Proxy", type);
}
