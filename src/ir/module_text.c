/* module_text.c - modules as PyTorch prints them.
 *
 * What stands in the parentheses of a layer is a row of ops/extra_repr.def;
 * what stands around it is Module.__repr__.
 */
#include <config.h>

#include "ir/module_text.h"

#include <string.h>

#include "base/buf.h"
#include "base/intern.h"
#include "base/str.h"
#include "base/utf8.h"
#include "ir/module.h"
#include "ir/value_text.h"

static const struct {
	const char *layer;
	const char *parts;
} rows[] = {
#define FX_EXTRA_REPR(layer, parts) { layer, parts },
#include "ops/extra_repr.def"
};

static const char *
parts_of(const struct fx_module *module)
{
	const char *name = fx_class_short_name(module->class_name);

	if (!fx_str_starts(module->class_name, "torch.nn."))
		return "";
	for (size_t i = 0; i < FX_ARRAY_LEN(rows); i++)
		if (fx_str_equal(rows[i].layer, name))
			return rows[i].parts;
	return "";
}

/* str() of VALUE: texts bare. */
static void
add_value(struct fx_buf *out, const struct fx_value *value)
{
	if (value->kind == FX_VALUE_STRING)
		fx_utf8_add_visible(out, value->text, strlen(value->text));
	else
		fx_value_print_as(out, value, FX_STYLE_REPR);
}

/* Whether VALUE, or an item of it, is not what PLAIN writes. */
static bool
differs(const struct fx_value *value, const char *plain)
{
	FX_AUTO_BUF struct fx_buf text = { 0 };
	bool is_sequence =
		value->kind == FX_VALUE_TUPLE || value->kind == FX_VALUE_LIST;

	for (size_t i = 0; is_sequence && i < fx_value_item_count(value); i++)
		if (differs(&value->items[i], plain))
			return true;
	if (is_sequence)
		return false;
	add_value(&text, value);
	if (fx_str_ends(fx_buf_text(&text), ".0"))
		fx_buf_truncate(&text, text.length - 2);
	return !fx_str_equal(fx_buf_text(&text), plain);
}

static bool
has_parameter(const struct fx_module *module, const char *name)
{
	const struct fx_member *member = fx_module_member(module, name);

	return member && member->tensor;
}

/* One part: NAME and how it is written, HOW, which is NULL without "=". */
static void
add_part(struct fx_buf *out, const struct fx_module *module, const char *name,
	const char *how)
{
	const struct fx_value *value = fx_value_dict_get(&module->config, name);
	bool is_there = has_parameter(module, name);
	bool asks_parameter = how && (*how == '?' || *how == '-');

	if (asks_parameter ? *how == '-' && is_there
			   : !value || (how && *how == '!' &&
					       !differs(value, how + 1)))
		return;
	if (out->length)
		fx_buf_add(out, ", ");
	if (how)
		fx_buf_addf(out, "%s=", name);
	if (asks_parameter)
		fx_buf_add(out, is_there ? "True" : "False");
	else if (how && *how == 'r')
		fx_value_print_as(out, value, FX_STYLE_REPR);
	else
		add_value(out, value);
}

void
fx_module_print_config(struct fx_buf *out, const struct fx_module *module)
{
	FX_AUTO_BUF struct fx_buf text = { 0 };
	const char *at = parts_of(module);

	while (*at) {
		size_t length = strcspn(at, " ");
		size_t name = strcspn(at, "= ");
		FX_AUTO_BUF struct fx_buf how = { 0 };

		if (name < length)
			fx_buf_add_n(&how, at + name + 1, length - name - 1);
		add_part(&text, module, fx_intern_n(at, name),
			name < length ? fx_buf_text(&how) : NULL);
		at += length + (at[length] == ' ');
	}
	fx_buf_add(out, fx_buf_text(&text));
}

/* Deepest children that are written; then "...". */
#define DEPTH_LIMIT 100

static void print(struct fx_buf *out, const struct fx_module *module,
	const char *class_name, int depth);

static void
print_child(struct fx_buf *out, const struct fx_member *member, int depth)
{
	fx_buf_add_char(out, '\n');
	for (int i = 0; i <= depth; i++)
		fx_buf_add(out, "  ");
	fx_buf_add_char(out, '(');
	fx_utf8_add_visible(out, member->name, strlen(member->name));
	fx_buf_add(out, "): ");
	if (!member->child)
		fx_buf_add(out, "None");
	else if (depth >= DEPTH_LIMIT)
		fx_buf_add(out, "...");
	else
		print(out, member->child, NULL, depth + 1);
}

static void
print(struct fx_buf *out, const struct fx_module *module,
	const char *class_name, int depth)
{
	const char *name = fx_class_short_name(class_name ? class_name
							  : module->class_name);
	bool has_children = false;

	fx_utf8_add_visible(out, name, strlen(name));
	fx_buf_add_char(out, '(');
	for (size_t i = 0; i < module->member_count; i++)
		has_children |= module->members[i].kind == FX_MEMBER_CHILD;
	if (!has_children)
		fx_module_print_config(out, module);
	for (size_t i = 0; i < module->member_count; i++)
		if (module->members[i].kind == FX_MEMBER_CHILD)
			print_child(out, &module->members[i], depth);
	if (has_children) {
		fx_buf_add_char(out, '\n');
		for (int i = 0; i < depth; i++)
			fx_buf_add(out, "  ");
	}
	fx_buf_add_char(out, ')');
}

void
fx_module_print(struct fx_buf *out, const struct fx_module *module,
	const char *class_name)
{
	print(out, module, class_name, 0);
}
