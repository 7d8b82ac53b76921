/* test_ops.c - the tables of operations and layers are unique, consistent,
 * complete.
 */
#include <config.h>

#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/intern.h"
#include "base/map.h"
#include "base/mem.h"
#include "ir/node.h"
#include "ir/signature.h"
#include "lang/ast.h"
#include "meta/rules.h"
#include "ops/initial.h"
#include "ops/layertab.h"
#include "ops/meaning.h"
#include "ops/optab.h"
#include "tests/support/unit.h"

static void
add_spelling(struct fx_map *seen, const char *text, size_t length, int op)
{
	const char *name = fx_intern_n(text, length);

	if (!fx_map_set(seen, (uintptr_t)name, 1))
		printf("\n  %s is written twice", name);
	if (fx_op_find(name) != (enum fx_op)op)
		printf("\n  %s finds another row", name);
	CU_ASSERT_TRUE(fx_op_find(name) == (enum fx_op)op);
}

static void
every_spelling_is_unique_and_finds_its_row(void)
{
	FX_AUTO_MAP struct fx_map seen = { 0 };
	size_t count = 0;

	for (int op = 1; op < FX_OP_COUNT; op++) {
		const struct fx_op_info *info = fx_op_info((enum fx_op)op);
		const char *at = info->aliases;

		add_spelling(&seen, info->spelling, strlen(info->spelling), op);
		for (count++; *at; count++) {
			size_t length = strcspn(at, " ");

			add_spelling(&seen, at, length, op);
			at += length + (at[length] == ' ');
		}
	}
	FXT_EQ(seen.count, count);
	FXT_IS(FX_OP_COUNT, >, 150);
}

static void
traits_do_not_contradict_each_other(void)
{
	for (int op = 1; op < FX_OP_COUNT; op++) {
		const struct fx_op_info *info = fx_op_info((enum fx_op)op);
		unsigned impure = FX_OP_MUTATES | FX_OP_RANDOM | FX_OP_ASSERTS |
				  FX_OP_EFFECT | FX_OP_MARKS;

		if (info->traits & FX_OP_PURE && info->traits & impure) {
			printf("\n  %s is pure and not", info->spelling);
			CU_FAIL("traits");
		}
		if (info->traits & FX_OP_COMMUTES)
			FXT_IS(fx_signature_of((enum fx_op)op)->count, >=, 2);
		FXT_IS(*info->family, !=, '\0');
	}
}

static void
every_signature_parses_and_every_rule_exists(void)
{
	for (int op = 0; op < FX_OP_COUNT; op++) {
		const struct fx_signature *s = fx_signature_of((enum fx_op)op);

		FXT_IS(s->count, >, 0);
		for (size_t i = 1; i < s->count; i++)
			if (s->parameters[i - 1].is_keyword_only)
				CU_ASSERT(s->parameters[i].is_keyword_only);
		CU_ASSERT_PTR_NOT_NULL(fx_shape_rule_of((enum fx_op)op));
	}
}

static void
keyword_only_parameters_come_after_the_star(void)
{
	const struct fx_signature *add = fx_signature_of(FX_OP_TORCH_ADD);

	CU_ASSERT_FALSE(add->parameters[1].is_keyword_only);
	CU_ASSERT(add->parameters[2].is_keyword_only);
	FXT_SAME(add->parameters[2].name, "alpha");
	FXT_EQ(add->parameters[2].fallback.integer, 1);
}

static void
names_are_found_as_people_shorten_them(void)
{
	FXT_EQ(fx_op_find("F.relu"), FX_OP_F_RELU);
	FXT_EQ(fx_op_find("_operator.add"), FX_OP_ADD);
	FXT_EQ(fx_op_find("torch.Tensor.view"), FX_OP_TENSOR_VIEW);
	FXT_EQ(fx_op_find("torch.ops.aten.mm"), FX_OP_MM);
	FXT_EQ(fx_op_find("torch.no_such_thing"), FX_OP_NONE);
	FXT_EQ(fx_op_find(""), FX_OP_NONE);
}

static void
only_calls_have_an_operation(void)
{
	FXT_EQ(fx_op_of_target(FX_OPCODE_CALL_METHOD, "view"),
		FX_OP_TENSOR_VIEW);
	FXT_EQ(fx_op_of_target(FX_OPCODE_CALL_FUNCTION, "operator.add"),
		FX_OP_ADD);
	FXT_EQ(fx_op_of_target(FX_OPCODE_CALL_FUNCTION, "view"), FX_OP_NONE);
	FXT_EQ(fx_op_of_target(FX_OPCODE_PLACEHOLDER, "view"), FX_OP_NONE);
}

static void
operators_have_the_form_that_python_writes(void)
{
	FXT_SAME(fx_infix_find("operator.neg")->format, "-{0}");
	FXT_SAME(fx_infix_find("_operator.truediv")->format, "{0} / {1}");
	FXT_SAME(fx_infix_find("operator.iadd")->format, "{0} += {1}");
	CU_ASSERT(fx_infix_find("operator.iadd")->is_in_place);
	CU_ASSERT_PTR_NULL(fx_infix_find("operator.not_"));
	FXT_IS(fx_infix_find("operator.pow")->precedence, >,
		fx_infix_find("operator.neg")->precedence);
}

static void
only_what_is_used_is_parsed(void)
{
	const struct fx_layer *layer;

	fx_layertab_shutdown();
	CU_ASSERT_PTR_NULL(fx_layer_find("nn.LazyLinear"));
	FXT_EQ(fx_layertab_parsed(), 0);
	CU_ASSERT_PTR_NOT_NULL(fx_layer_method(fx_layer_find("Linear"),
		"forward", NULL));
	FXT_EQ(fx_layertab_parsed(), 1);
	layer = fx_layer_find("NonDynamicallyQuantizableLinear");
	CU_ASSERT_PTR_NOT_NULL(fx_layer_method(layer, "forward", NULL));
	FXT_EQ(fx_layertab_parsed(), 2);
}

static void
layers_say_whether_training_matters(void)
{
	static const char *const asking[] = { "Dropout1d", "BatchNorm2d",
		"InstanceNorm3d", "LSTM", "MultiheadAttention", "RReLU" };
	static const char *const same[] = { "Linear", "Conv2d", "ReLU6",
		"LayerNorm", "Embedding", "CrossEntropyLoss" };

	for (size_t i = 0; i < FX_ARRAY_LEN(asking); i++) {
		CU_ASSERT(fx_layer_asks_training(fx_layer_find(asking[i])));
		CU_ASSERT_FALSE(fx_layer_asks_training(fx_layer_find(same[i])));
	}
}

static void
a_layer_is_found_by_any_usual_spelling(void)
{
	static const char *const names[] = { "Linear", "nn.Linear",
		"torch.nn.Linear", "torch.nn.modules.linear.Linear" };

	for (size_t i = 0; i < FX_ARRAY_LEN(names); i++) {
		const struct fx_layer *layer = fx_layer_find(names[i]);

		CU_ASSERT_PTR_NOT_NULL_FATAL(layer);
		FXT_SAME(layer->qualified, "torch.nn.modules.linear.Linear");
	}
	CU_ASSERT_PTR_NULL(fx_layer_find("mine.Linear"));
	CU_ASSERT_PTR_NULL(fx_layer_find("NoSuchLayer"));
}

static void
every_layer_can_be_made_and_called(void)
{
	const struct fx_layer *layer;
	size_t count = 0;

	for (; (layer = fx_layer_at(count)); count++) {
		CU_ASSERT_PTR_NOT_NULL(fx_layer_method(layer, "__init__",
			NULL));
		CU_ASSERT_PTR_NOT_NULL(fx_layer_method(layer, "forward", NULL));
	}
	FXT_IS(count, >=, 50);
	CU_ASSERT_PTR_NOT_NULL(fx_functional_find("torchvision.ops.stochastic_"
						  "depth.stochastic_depth"));
}

/* Whether NAME is the short name of TEXT or of one of its other spellings. */
static bool
is_short_for(const char *name, size_t length, const char *text)
{
	FX_AUTO_BUF struct fx_buf plain = { 0 };

	fx_meaning_add_name(&plain, text);
	return plain.length == length && !memcmp(plain.data, name, length);
}

static bool
is_one_of(const char *name, size_t length, const char *texts)
{
	while (*texts) {
		size_t size = strcspn(texts, " ");
		FX_AUTO_FREE char *text = fx_xstrndup(texts, size);

		if (is_short_for(name, length, text))
			return true;
		texts += size + (texts[size] == ' ');
	}
	return false;
}

/* Whether some operation, functional or layer is called so. */
static bool
is_called(const char *name, size_t length)
{
	const struct fx_layer *layer;
	const struct fx_functional *functional;
	bool found = false;

	for (int op = 1; !found && op < FX_OP_COUNT; op++) {
		const struct fx_op_info *info = fx_op_info((enum fx_op)op);

		found = is_short_for(name, length, info->spelling) ||
			is_one_of(name, length, info->aliases);
	}
	for (size_t i = 0; !found && (layer = fx_layer_at(i)); i++)
		found = is_short_for(name, length, layer->qualified);
	for (size_t i = 0; !found && (functional = fx_functional_at(i)); i++)
		found = is_short_for(name, length, functional->name);
	return found;
}

static void
every_meaning_is_of_something_and_once(void)
{
	static const char *const rows[] = {
#define FX_MEANING(names, text) names,
#include "ops/meaning.def"
	};
	FX_AUTO_MAP struct fx_map seen = { 0 };

	for (size_t i = 0; i < FX_ARRAY_LEN(rows); i++) {
		const char *names = rows[i];

		while (*names) {
			size_t length = strcspn(names, " ");
			const char *name = fx_intern_n(names, length);

			if (!fx_map_set(&seen, (uintptr_t)name, 1) ||
				!is_called(names, length))
				CU_FAIL(name);
			names += length + (names[length] == ' ');
		}
	}
	FXT_IS(seen.count, >, 150);
	CU_ASSERT_FALSE(is_called("nosuch", strlen("nosuch")));
}

static void
meanings_are_found_by_any_spelling(void)
{
	const char *conv = fx_meaning_find("torch.conv2d");

	CU_ASSERT_PTR_NOT_NULL(conv);
	FXT_EQ(conv, fx_meaning_find("torch.nn.modules.conv.Conv3d"));
	FXT_EQ(conv, fx_meaning_find("torch.ops.aten.convolution.default"));
	FXT_EQ(fx_meaning_find("relu_"), fx_meaning_find("torch.nn.ReLU"));
	CU_ASSERT_PTR_NULL(fx_meaning_find("torch.nosuch"));
	CU_ASSERT_PTR_NULL(fx_meaning_find(""));
}

/* By its exact name, with a size where the form asks for one. */
static void
what_layers_take_is_of_layers(void)
{
	static const struct fx_takes rows[] = {
#define FX_TAKES(layer, size, form) { layer, size, form },
#include "ops/takes.def"
	};

	for (size_t i = 0; i < FX_ARRAY_LEN(rows); i++) {
		const struct fx_layer *layer = fx_layer_find(rows[i].layer);

		CU_ASSERT_PTR_NOT_NULL_FATAL(layer);
		FXT_SAME(layer->name, rows[i].layer);
		FXT_EQ(*rows[i].size != '\0',
			strchr(rows[i].form, '$') != NULL);
	}
	FXT_SAME(fx_takes_find("torch.nn.Conv2d")->form, "f32[1,$,H,W]");
	CU_ASSERT_PTR_NULL(fx_takes_find("torch.nn.ReLU"));
	CU_ASSERT_PTR_NULL(fx_takes_find(NULL));
}

int
main(void)
{
	static const struct fxt_case cases[] = {
		FXT_CASE(every_spelling_is_unique_and_finds_its_row),
		FXT_CASE(traits_do_not_contradict_each_other),
		FXT_CASE(every_signature_parses_and_every_rule_exists),
		FXT_CASE(keyword_only_parameters_come_after_the_star),
		FXT_CASE(names_are_found_as_people_shorten_them),
		FXT_CASE(only_calls_have_an_operation),
		FXT_CASE(operators_have_the_form_that_python_writes),
		FXT_CASE(only_what_is_used_is_parsed),
		FXT_CASE(layers_say_whether_training_matters),
		FXT_CASE(a_layer_is_found_by_any_usual_spelling),
		FXT_CASE(every_meaning_is_of_something_and_once),
		FXT_CASE(meanings_are_found_by_any_spelling),
		FXT_CASE(what_layers_take_is_of_layers),
		FXT_CASE(every_layer_can_be_made_and_called),
	};

	return fxt_run("ops", cases, FX_ARRAY_LEN(cases));
}
