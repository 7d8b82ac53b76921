/* eval_cost.c - what a call in an expression would make or look at, told by
 * shapes, and by values where no shape tells it, before it is made.
 */
#include <config.h>

#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/compiler.h"
#include "base/dtype.h"
#include "base/number.h"
#include "ir/tensor_meta.h"
#include "ops/optab.h"
#include "run/backend.h"
#include "run/eval_private.h"
#include "run/size_by_values.h"
#include "run/values.h"

/* Looking costs less than making: so many times the limit may be looked at. */
#define LOOKING 16

/* Calls whose numbers and elements multiply to less make nothing large, not
 * even where they combine all with all.
 */
#define SMALL ((uint64_t)64)

static uint64_t
times(uint64_t a, uint64_t b)
{
	uint64_t product;

	return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

/* The product of the numbers and the tensors' elements in VALUE. */
static uint64_t
reach_of(const struct fx_value *value)
{
	const struct fx_datum *held = fx_datum_held(value);
	size_t count = fx_value_item_count(value);
	struct fx_extent extent;
	uint64_t reach = 1;

	if (value->kind == FX_VALUE_INT && value->integer > 1)
		return (uint64_t)value->integer;
	if (held) {
		FX_AUTO_ERROR struct fx_error *err =
			fx_extent_of(held, &extent);

		return err || !extent.count ? 1 : extent.count;
	}
	for (size_t i = 0; i < count; i++)
		reach = times(reach, reach_of(&value->items[i]));
	return reach;
}

/* The bytes that a call of SITE makes, 0 when they cannot be told.  SHAPES has
 * the session's shape engine.
 */
static uint64_t
bytes_made(struct fx_backend *shapes, const struct fx_call_site *site,
	const struct fx_eval_arguments *arguments)
{
	FX_AUTO_ARENA struct fx_arena *arena = fx_arena_new();
	struct fx_backend *meta = fx_backend_meta_new();
	FX_AUTO_DATUM struct fx_datum *result = NULL;
	uint64_t bytes = 0;
	void *plan;
	struct fx_error *err;

	meta->meta = fx_backend_shapes(shapes);
	err = meta->ops->resolve(meta, site, &plan);
	if (!err) {
		err = meta->ops->call(meta, plan, arguments->data,
			arguments->count, &result);
		meta->ops->plan_free(meta, plan);
	}
	if (!err) {
		struct fx_value value = fx_datum_to_value(arena, result);

		bytes = fx_value_tensor_bytes(&value);
	}
	fx_error_free(err);
	fx_backend_free(meta);
	return bytes;
}

struct asked {
	const struct fx_call_site *site;
	const struct fx_eval_arguments *arguments;
};

static struct fx_size_argument
argument_of(const void *context, size_t position, const char *name)
{
	const struct asked *asked = context;
	const struct fx_call_site *site = asked->site;
	struct fx_datum **data = asked->arguments->data;
	size_t plain = asked->arguments->count - site->keyword_count;

	if (position < plain)
		return (struct fx_size_argument){ data[position], NULL };
	for (size_t i = 0; i < site->keyword_count; i++)
		if (strcmp(site->keywords[i], name) == 0)
			return (struct fx_size_argument){ data[plain + i],
				NULL };
	return (struct fx_size_argument){ NULL, NULL };
}

static uint64_t
bytes_looked_at(const struct fx_eval_arguments *arguments)
{
	uint64_t most = 0;

	for (size_t i = 0; i < arguments->count; i++) {
		FX_AUTO_ERROR struct fx_error *err = NULL;
		struct fx_extent extent;

		if (arguments->data[i]->kind != FX_DATUM_TENSOR)
			continue;
		err = fx_extent_of(arguments->data[i], &extent);
		if (err)
			continue;
		most = FX_MAX(most,
			times(extent.count, fx_dtype_info(extent.dtype)->size));
	}
	return most;
}

static struct fx_error *
refuse(const struct fx_resolver *resolver, const char *target, const char *does,
	uint64_t bytes)
{
	FX_AUTO_BUF struct fx_buf size = { 0 };
	FX_AUTO_BUF struct fx_buf limit = { 0 };

	fx_number_add_bytes(&size, bytes);
	fx_number_add_bytes(&limit, resolver->limit);
	if (resolver->is_over_limit)
		*resolver->is_over_limit = true;
	return fx_error_hint(fx_error_new(FX_ERR_LIMIT, "%s would %s %s",
				     target, does, fx_buf_text(&size)),
		"set expression limit, which is %s, allows more (0: all)",
		fx_buf_text(&limit));
}

struct fx_error *
fx_eval_check_cost(const struct fx_evaluator *evaluator,
	const struct fx_call_site *site,
	const struct fx_eval_arguments *arguments)
{
	const struct fx_resolver *resolver = evaluator->resolver;
	enum fx_op op = fx_op_of_target(site->opcode, site->target);
	bool has_values = fx_size_has_values(op);
	bool is_view = op != FX_OP_NONE && fx_op_info(op)->traits & FX_OP_VIEW;
	uint64_t reach = 1;
	uint64_t bytes = 0;

	if (!resolver->limit || !resolver->backend->ops->has_values ||
		(is_view && !has_values))
		return NULL;
	for (size_t i = 0; i < arguments->count; i++)
		reach = times(reach, reach_of(&arguments->data[i]->value));
	if (reach < SMALL && !has_values)
		return NULL;
	if (!is_view)
		bytes = bytes_made(resolver->backend, site, arguments);
	if (!bytes)
		bytes = fx_size_by_values(op, argument_of,
			&(struct asked){ site, arguments });
	if (bytes > resolver->limit)
		return refuse(resolver, site->target, "make", bytes);
	bytes = is_view ? 0 : bytes_looked_at(arguments);
	if (bytes / LOOKING > resolver->limit)
		return refuse(resolver, site->target, "look at", bytes);
	return NULL;
}
