/* python_statement.c - one node as a statement (semantics 6.3 to 6.5). */
#include <config.h>

#include "emit/python_private.h"

#include <math.h>
#include <string.h>

#include "base/intern.h"
#include "base/number.h"
#include "base/str.h"
#include "ir/node.h"
#include "ir/size.h"
#include "ops/dialect.h"
#include "ops/optab.h"

/* What stands after the type in what is known of a symbolic number that is no
 * integer ("bool u0 >= 0", "float 2.5*s0"); null for anything else.
 */
static const char *
symbolic_text(const struct fx_value *meta)
{
	const char *blank = NULL;

	if (meta->kind == FX_VALUE_UNKNOWN && meta->text && !meta->is_input &&
		(fx_str_starts(meta->text, "bool ") ||
			fx_str_starts(meta->text, "float ")))
		blank = strchr(meta->text, ' ');
	return blank ? blank + 1 : NULL;
}

static void
add_interned(struct fx_buf *out, const char *text)
{
	fx_buf_add_n(out, text, fx_intern_length(text));
}

static void
print_value(struct fx_coder *c, const struct fx_value *value)
{
	fx_value_print(&c->body, value, &c->printer);
}

/* A number that does not stand by itself before a dot, a bracket or a power:
 * 5.real, -2 ** x.
 */
static bool
is_number(const struct fx_value *value)
{
	return value->kind == FX_VALUE_INT || value->kind == FX_VALUE_BIGINT ||
	       value->kind == FX_VALUE_FLOAT || value->kind == FX_VALUE_COMPLEX;
}

static bool
is_negative_number(const struct fx_value *value)
{
	switch (value->kind) {
	case FX_VALUE_INT:
		return value->integer < 0;
	case FX_VALUE_BIGINT:
		return value->text[0] == '-';
	case FX_VALUE_FLOAT:
		return signbit(value->real);
	case FX_VALUE_COMPLEX:
		return value->pair[0] == 0 && signbit(value->pair[1]);
	default:
		return false;
	}
}

static void
print_receiver(struct fx_coder *c, const struct fx_value *value)
{
	bool in_parentheses = !c->options->exact && is_number(value);

	if (in_parentheses)
		fx_buf_add_char(&c->body, '(');
	print_value(c, value);
	if (in_parentheses)
		fx_buf_add_char(&c->body, ')');
}

/* Python's str.isidentifier, which takes keywords too; letters beyond ASCII
 * are believed.
 */
static bool
is_identifier(const char *text, size_t length)
{
	if (length == 0 || (text[0] >= '0' && text[0] <= '9'))
		return false;
	for (size_t i = 0; i < length; i++) {
		unsigned char c = (unsigned char)text[i];
		bool is_letter = (c >= 'a' && c <= 'z') ||
				 (c >= 'A' && c <= 'Z') || c >= 0x80;

		if (!is_letter && c != '_' && !(c >= '0' && c <= '9'))
			return false;
	}
	return true;
}

static bool
is_keyword(const char *text, size_t length)
{
	char word[16];

	if (length >= sizeof(word))
		return false;
	memcpy(word, text, length);
	word[length] = '\0';
	return fx_str_is_keyword(word);
}

static bool
is_step(const char *step, size_t length, bool exact)
{
	return is_identifier(step, length) &&
	       (exact || !is_keyword(step, length));
}

/* The name of an attribute in double quotes. */
static void
print_quoted(struct fx_coder *c, const char *text, size_t length)
{
	fx_buf_add_char(&c->body, '"');
	for (size_t i = 0; i < length; i++) {
		if (!c->options->exact && strchr("\"\\", text[i]))
			fx_buf_add_char(&c->body, '\\');
		fx_buf_add_char(&c->body, text[i]);
	}
	fx_buf_add_char(&c->body, '"');
}

/* BASE.TARGET, steps that are no identifiers through getattr. */
static void
print_path(struct fx_coder *c, const char *base, const char *target)
{
	size_t start = c->body.length;

	fx_buf_add(&c->body, base);
	for (;;) {
		size_t length = strcspn(target, ".");

		if (is_step(target, length, c->options->exact)) {
			fx_buf_add_char(&c->body, '.');
			fx_buf_add_n(&c->body, target, length);
		} else {
			fx_buf_insert(&c->body, start, "getattr(", 8);
			fx_buf_add_n(&c->body, ", ", 2);
			print_quoted(c, target, length);
			fx_buf_add_char(&c->body, ')');
		}
		if (!target[length])
			return;
		target += length + 1;
	}
}

static void
print_keyword(struct fx_coder *c, const struct fx_value *name,
	const struct fx_value *value)
{
	if (c->options->exact || is_step(name->text, name->count, false)) {
		fx_buf_add_n(&c->body, name->text, name->count);
		fx_buf_add_n(&c->body, " = ", 3);
		print_value(c, value);
		return;
	}
	fx_buf_add(&c->body, "**{");
	print_value(c, name);
	fx_buf_add_n(&c->body, ": ", 2);
	print_value(c, value);
	fx_buf_add_char(&c->body, '}');
}

/* "(args, kwargs)", positional ones from FIRST on. */
static void
print_arguments(struct fx_coder *c, const struct fx_node *node, size_t first)
{
	bool needs_comma = false;

	fx_buf_add_char(&c->body, '(');
	for (size_t i = first; i < node->args.count; i++) {
		if (needs_comma)
			fx_buf_add_n(&c->body, ", ", 2);
		print_value(c, &node->args.items[i]);
		needs_comma = true;
	}
	for (size_t i = 0; i < node->kwargs.count; i++) {
		if (needs_comma)
			fx_buf_add_n(&c->body, ", ", 2);
		print_keyword(c, &node->kwargs.items[2 * i],
			&node->kwargs.items[2 * i + 1]);
		needs_comma = true;
	}
	fx_buf_add_char(&c->body, ')');
}

/* A number as sympy prints it: fifteen digits, none left out at the end. */
static void
print_sympy(struct fx_buf *out, double number)
{
	int exponent = number == 0 ? 0 : (int)floor(log10(fabs(number)));

	if (!isfinite(number) || exponent < -5 || exponent > 14)
		fx_number_add_double(out, number);
	else
		fx_buf_addf(out, "%.*f", 14 - exponent, number);
}

/* The shape of a result as 2.x annotates it: "f32[2, 3]", "Sym(s0)"; nothing
 * for tuples and what is unknown.
 */
static void
print_shape(struct fx_coder *c, const struct fx_value *meta, struct fx_buf *out)
{
	unsigned flags = FX_TENSOR_SPACED;

	if (c->options->strides)
		flags |= FX_TENSOR_STRIDES;
	if (c->options->devices)
		flags |= FX_TENSOR_DEVICE;
	if (meta->kind == FX_VALUE_TENSOR) {
		fx_tensor_meta_print(out, meta->tensor, flags);
		return;
	}
	fx_buf_add_n(out, "Sym(", 4);
	if (meta->kind == FX_VALUE_SYMBOL)
		fx_size_print(out, *meta);
	else if (meta->kind == FX_VALUE_INT)
		fx_buf_add_int(out, meta->integer);
	else if (meta->kind == FX_VALUE_FLOAT)
		print_sympy(out, meta->real);
	else
		fx_buf_add(out, symbolic_text(meta));
	fx_buf_add_char(out, ')');
}

static bool
has_shape(const struct fx_coder *c, const struct fx_node *node)
{
	const struct fx_value *meta = node->meta;

	if (!c->options->verbose || !meta ||
		!fx_dialect_is_newer(c->dialect, FX_DIALECT_SHAPE_TYPES))
		return false;
	return meta->kind == FX_VALUE_TENSOR || meta->kind == FX_VALUE_SYMBOL ||
	       meta->kind == FX_VALUE_INT || meta->kind == FX_VALUE_FLOAT ||
	       symbolic_text(meta);
}

void
fx_code_annotation(struct fx_coder *c, const struct fx_node *node,
	struct fx_buf *out)
{
	if (has_shape(c, node)) {
		fx_buf_add_n(out, ": \"", 3);
		print_shape(c, node->meta, out);
		fx_buf_add_char(out, '"');
	} else if (node->type) {
		fx_buf_add_n(out, " : ", 3);
		fx_code_names_type(&c->names, node->type, c->dialect, out);
	}
}

/* "name : type = "; the type's globals are registered before the name. */
static void
print_left(struct fx_coder *c, const struct fx_node *node)
{
	const char *name;

	if (!node->type && !(c->options->verbose && node->meta)) {
		name = fx_code_names_assign(&c->names, node);
		add_interned(&c->body, name);
	} else {
		FX_AUTO_BUF struct fx_buf type = { 0 };

		fx_code_annotation(c, node, &type);
		name = fx_code_names_assign(&c->names, node);
		add_interned(&c->body, name);
		fx_buf_add_n(&c->body, type.data ? type.data : "", type.length);
	}
	fx_buf_add_n(&c->body, " = ", 3);
	/* Only once a node has another name need names be looked up. */
	if (c->names.renamed.count)
		c->printer.name = fx_code_names_of;
}

/* Whether the operator form says all that the node does. */
static bool
fits_infix(const struct fx_coder *c, const struct fx_node *node,
	const struct fx_infix *infix)
{
	size_t wanted = 0;

	for (const char *f = infix->format; *f; f++)
		if (*f == '{')
			wanted++;
	if (node->args.count < wanted)
		return false;
	if (c->options->exact)
		return true;
	return node->args.count == wanted && node->kwargs.count == 0 &&
	       (!infix->is_in_place ||
		       node->args.items[0].kind == FX_VALUE_NODE);
}

/* torch.fx prints operands as they are; where Python would read that
 * differently we add parentheses.
 */
static bool
needs_parentheses(const struct fx_coder *c, const char *rest,
	const struct fx_value *operand)
{
	if (c->options->exact)
		return false;
	if (strncmp(rest, " **", 3) == 0 || *rest == '[')
		return is_negative_number(operand);
	return false;
}

/* FORMAT with its {N} replaced by the arguments. */
static void
print_format(struct fx_coder *c, const struct fx_node *node, const char *format)
{
	while (*format) {
		size_t plain = strcspn(format, "{");
		const struct fx_value *operand;
		bool is_wrapped;

		fx_buf_add_n(&c->body, format, plain);
		format += plain;
		if (!*format)
			return;
		operand = &node->args.items[format[1] - '0'];
		format += strlen("{0}");
		is_wrapped = needs_parentheses(c, format, operand);
		if (is_wrapped)
			fx_buf_add_char(&c->body, '(');
		print_value(c, operand);
		if (is_wrapped)
			fx_buf_add_char(&c->body, ')');
	}
}

static void
print_infix(struct fx_coder *c, const struct fx_node *node,
	const struct fx_infix *infix)
{
	if (infix->is_in_place) {
		print_format(c, node, infix->format);
		fx_buf_add_n(&c->body, ";  ", 3);
		print_left(c, node);
		print_value(c, &node->args.items[0]);
		return;
	}
	print_left(c, node);
	print_format(c, node, infix->format);
}

/* getattr(x, 'shape') is x.shape. */
static bool
is_attribute(const struct fx_coder *c, const struct fx_node *node)
{
	const struct fx_value *name;

	if (node->args.count != 2 || strcmp(node->target, "builtins.getattr"))
		return false;
	if (!c->options->exact && node->kwargs.count)
		return false;
	name = &node->args.items[1];
	return name->kind == FX_VALUE_STRING &&
	       strlen(name->text) == name->count &&
	       is_step(name->text, name->count, c->options->exact);
}

static void
note_wrapped(struct fx_coder *c, const char *global)
{
	global = fx_intern(global);
	if (!fx_map_set(&c->wrapped, (uintptr_t)global, 1))
		return;
	fx_buf_add(&c->wraps, "torch.fx._symbolic_trace.wrap(\"");
	fx_buf_add(&c->wraps, global);
	fx_buf_add(&c->wraps, "\")\n");
}

static void
print_call_function(struct fx_coder *c, const struct fx_node *node)
{
	const struct fx_infix *infix = fx_infix_find(node->target);
	const char *global;

	if (infix && fits_infix(c, node, infix)) {
		print_infix(c, node, infix);
		return;
	}
	/* The type's names come first, then the global, then the node's. */
	if (node->type) {
		FX_AUTO_BUF struct fx_buf unused = { 0 };

		fx_code_names_type(&c->names, node->type, c->dialect, &unused);
	}
	global = fx_code_names_global(&c->names, node->target);
	print_left(c, node);
	if (is_attribute(c, node)) {
		print_receiver(c, &node->args.items[0]);
		fx_buf_add_char(&c->body, '.');
		fx_buf_add(&c->body, node->args.items[1].text);
		return;
	}
	fx_buf_add(&c->body, global);
	print_arguments(c, node, 0);
	if (node->is_wrapped)
		note_wrapped(c, global);
}

static void
print_call_method(struct fx_coder *c, const struct fx_node *node)
{
	FX_AUTO_BUF struct fx_buf receiver = { 0 };
	size_t start;

	print_left(c, node);
	start = c->body.length;
	if (node->args.count)
		print_receiver(c, &node->args.items[0]);
	else
		fx_buf_add(&c->body, "None");
	fx_buf_add_n(&receiver, c->body.data + start, c->body.length - start);
	fx_buf_truncate(&c->body, start);
	print_path(c, fx_buf_text(&receiver), node->target);
	print_arguments(c, node, 1);
}

void
fx_code_statement(struct fx_coder *c, const struct fx_node *node)
{
	switch ((enum fx_opcode)node->opcode) {
	case FX_OPCODE_GET_ATTR:
		print_left(c, node);
		print_path(c, "self", node->target);
		return;
	case FX_OPCODE_CALL_MODULE:
		print_left(c, node);
		print_path(c, "self", node->target);
		print_arguments(c, node, 0);
		return;
	case FX_OPCODE_CALL_METHOD:
		print_call_method(c, node);
		return;
	case FX_OPCODE_CALL_FUNCTION:
		print_call_function(c, node);
		return;
	case FX_OPCODE_PLACEHOLDER:
	case FX_OPCODE_OUTPUT:
	case FX_OPCODE_COUNT:
		return;
	}
}
