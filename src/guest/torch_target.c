/* torch_target.c - which operator of libtorch a target means. */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/dtype.h"
#include "base/intern.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/str.h"
#include "guest/torch_private.h"
#include "ir/value_class.h"
#include "ops/layertab.h"
#include "ops/optab.h"
#include "run/backend.h"

struct row {
	const char *target;
	const char *name;
	enum fx_torch_way way;
	int parameter;
	uint64_t writes;
};

static const struct row rows[] = {
#define FX_ATEN(target, name, way, parameter, writes) \
	{ target, name, FX_TORCH_##way, FX_DTYPE_##parameter, writes },
#define FX_ATEN_PREFIX(prefix, start)
#define FX_ATEN_ATTRIBUTE(name, start)
#define FX_ATEN_FIELD(operator, name, index)
#include "guest/aten.def"
};

struct pair {
	const char *key;
	const char *name;
};

static const struct pair prefixes[] = {
#define FX_ATEN(target, name, way, parameter, writes)
#define FX_ATEN_PREFIX(prefix, start) { prefix, start },
#define FX_ATEN_ATTRIBUTE(name, start)
#define FX_ATEN_FIELD(operator, name, index)
#include "guest/aten.def"
};

static const struct pair attributes[] = {
#define FX_ATEN(target, name, way, parameter, writes)
#define FX_ATEN_PREFIX(prefix, start)
#define FX_ATEN_ATTRIBUTE(name, start) { name, start },
#define FX_ATEN_FIELD(operator, name, index)
#include "guest/aten.def"
};

static const struct {
	const char *operator; /* "": of all others */
	const char *name;
	int index;
} fields[] = {
#define FX_ATEN(target, name, way, parameter, writes)
#define FX_ATEN_PREFIX(prefix, start)
#define FX_ATEN_ATTRIBUTE(name, start)
#define FX_ATEN_FIELD(operator, name, index) { operator, name, index },
#include "guest/aten.def"
};

/* The row of the field NAME of what OPERATOR gives, or -1. */
static int
find_field(const char *operator, const char * name)
{
	for (size_t i = 0; i < FX_ARRAY_LEN(fields); i++)
		if (fx_str_equal(fields[i].name, name) &&
			fx_str_equal(fields[i].operator, operator))
			return fields[i].index;
	return -1;
}

const struct fx_value *
fx_torch_field(const struct fx_datum *owner, const char *name)
{
	const char *class_name = fx_value_class_name(&owner->value);
	int index = -1;

	if (!fx_datum_is(owner, FX_VALUE_TUPLE) ||
		fx_value_is_users(&owner->value))
		return NULL;
	if (class_name)
		index = find_field(class_name + strlen(FX_CLASS_OF_TORCH),
			name);
	if (index < 0)
		index = find_field("", name);
	return index >= 0 && (uint32_t)index < owner->value.count
		       ? &owner->value.items[index]
		       : NULL;
}

uint16_t
fx_torch_class(const struct fx_torch_target *target)
{
	static const char space[] = "aten::";
	FX_AUTO_FREE char *name = NULL;

	/* Of torch.ops they are plain. */
	if (target->is_boxed || !target->name ||
		!fx_str_starts(target->name, space))
		return 0;
	name = fx_xasprintf(FX_CLASS_OF_TORCH "%s",
		target->name + strlen(space));
	return fx_value_class(name);
}

const char *
fx_torch_attribute(const char *name)
{
	for (size_t i = 0; i < FX_ARRAY_LEN(attributes); i++)
		if (strcmp(attributes[i].key, name) == 0)
			return attributes[i].name;
	return NULL;
}

/* A search through the table is nothing beside resolving. */
static const struct row *
row_of(const char *target)
{
	for (size_t i = 0; i < FX_ARRAY_LEN(rows); i++)
		if (strcmp(rows[i].target, target) == 0)
			return &rows[i];
	return NULL;
}

/* "torch.ops.aten.add.Tensor": aten::add, Tensor. */
static void
name_of_overload(struct fx_torch_target *target, const char *rest)
{
	const char *dot = strchr(rest, '.');
	const char *overload = dot ? strchr(dot + 1, '.') : NULL;

	if (!dot)
		return;
	if (!overload)
		overload = dot + strlen(dot);
	target->name = fx_xasprintf("%.*s::%.*s", (int)(dot - rest), rest,
		(int)(overload - dot - 1), dot + 1);
	if (*overload)
		target->overload = fx_intern(overload + 1);
}

static void
name_of_target(struct fx_torch_target *target, const char *qualified)
{
	static const char ops[] = "torch.ops.";

	if (fx_str_starts(qualified, ops)) {
		target->is_boxed = true;
		name_of_overload(target, qualified + strlen(ops));
		return;
	}
	for (size_t i = 0; i < FX_ARRAY_LEN(prefixes); i++) {
		const char *rest = qualified + strlen(prefixes[i].key);

		if (!fx_str_starts(qualified, prefixes[i].key) ||
			strchr(rest, '.'))
			continue;
		target->name = fx_xasprintf("%s%s", prefixes[i].name, rest);
		return;
	}
}

static bool
has_tensor(const struct fx_call_site *site)
{
	for (size_t i = 0; i < site->count; i++)
		if (site->kinds[i].kind == FX_VALUE_TENSOR)
			return true;
	return false;
}

/* 2 / x, which Python leaves to the tensor. */
static bool
is_reflected(const struct fx_call_site *site)
{
	return site->count == 2 && site->kinds[0].kind != FX_VALUE_TENSOR &&
	       site->kinds[1].kind == FX_VALUE_TENSOR;
}

static enum fx_torch_way
way_by_family(const char *qualified)
{
	enum fx_op op = fx_op_find(qualified);
	const char *family = fx_op_info(op)->family;

	if (op == FX_OP_NONE)
		return FX_TORCH_OPERATOR;
	if (fx_str_equal(family, "python"))
		return FX_TORCH_PLAIN;
	return fx_str_equal(family, "operator") ? FX_TORCH_NUMBER
						: FX_TORCH_OPERATOR;
}

void
fx_torch_target_init(struct fx_torch_target *target,
	const struct fx_call_site *site)
{
	bool is_method = site->opcode == FX_OPCODE_CALL_METHOD;
	FX_AUTO_FREE char *qualified =
		fx_xasprintf("%s%s", is_method ? "Tensor." : "", site->target);
	const struct row *row = row_of(qualified);

	*target = (struct fx_torch_target){ .way = FX_TORCH_EXPAND };
	if (site->opcode == FX_OPCODE_CALL_MODULE)
		return;
	if (row) {
		target->way = row->way;
		target->parameter = row->parameter;
		target->writes = row->writes;
		if (*row->name)
			target->name = fx_xstrdup(row->name);
	} else if (!fx_functional_find(qualified)) {
		target->way = way_by_family(qualified);
	}
	if (!target->name)
		name_of_target(target, qualified);
	if (target->way == FX_TORCH_REFLECTED)
		target->way =
			is_reflected(site) ? FX_TORCH_EXPAND : FX_TORCH_NUMBER;
	if (target->way == FX_TORCH_NUMBER)
		target->way =
			has_tensor(site) ? FX_TORCH_OPERATOR : FX_TORCH_PLAIN;
	/* Methods of sizes, tuples, strings. */
	if (is_method && site->count &&
		site->kinds[0].kind != FX_VALUE_TENSOR &&
		target->way != FX_TORCH_GETITEM)
		target->way = FX_TORCH_PLAIN;
}

void
fx_torch_target_deinit(struct fx_torch_target *target)
{
	free(target->name);
}
