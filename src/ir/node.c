/* node.c - reading nodes. */
#include <config.h>

#include "ir/node.h"

#include <string.h>

#include "base/compiler.h"

static const struct {
	const char *word;
	const char *tag;
} opcodes[] = {
#define FX_OPCODE(id, word, tag) [FX_OPCODE_##id] = { word, tag },
#include "ops/opcode.def"
};
_Static_assert(FX_ARRAY_LEN(opcodes) == FX_OPCODE_COUNT, "an opcode a row");

const struct fx_value *
fx_node_arg(const struct fx_node *node, size_t index)
{
	return index < node->args.count ? &node->args.items[index] : NULL;
}

const struct fx_value *
fx_node_kwarg(const struct fx_node *node, const char *name)
{
	return fx_value_dict_get(&node->kwargs, name);
}

const char *
fx_opcode_word(enum fx_opcode opcode)
{
	return opcode < FX_OPCODE_COUNT ? opcodes[opcode].word : "root";
}

const char *
fx_opcode_tag(enum fx_opcode opcode)
{
	return opcode < FX_OPCODE_COUNT ? opcodes[opcode].tag : "??";
}

enum fx_opcode
fx_opcode_find(const char *word)
{
	int i;

	for (i = 0; i < FX_OPCODE_COUNT; i++)
		if (strcmp(opcodes[i].word, word) == 0)
			break;
	return (enum fx_opcode)i;
}
