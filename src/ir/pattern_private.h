/* pattern_private.h - what reading, matching and rewriting know of patterns. */
#ifndef FX_IR_PATTERN_PRIVATE_H
#define FX_IR_PATTERN_PRIVATE_H

#include "base/map.h"
#include "base/vec.h"
#include "ir/build.h"
#include "ir/form.h"
#include "ir/pattern.h"

/* A layer of a pattern: its class and what is said of its configuration. */
struct fx_replacement;

struct fx_pattern_layer {
	const char *class_name; /* Conv2d, or qualified; interned */
	struct fx_value config; /* DICT */
	bool is_made;           /* nn.X(...)(x): config is the constructor's */
};

struct fx_pattern_slot {
	const struct fx_node *node; /* of the pattern's graph; NULL: unused */
	const char *name;           /* or NULL */
	bool is_input;              /* a name */
	bool is_any;                /* _ */
	bool is_said;               /* a name in a configuration */
	bool is_output;
	bool is_open; /* ends in ...: what it does not say may be anything */
	bool writes;  /* itself writes in place, so that matches may */
	const char *target;                   /* by its torch.fx name */
	const struct fx_pattern_layer *layer; /* or NULL */
	bool has_form;
	struct fx_form form;
};

struct fx_pattern {
	struct fx_graph *graph; /* names, operations, an output */
	unsigned how;
	char *text;
	FX_VEC(struct fx_pattern_layer *) layers;
	struct fx_pattern_slot *slots; /* by the index of the node */
	size_t slot_count;
	FX_VEC(size_t) outputs;
	FX_VEC(size_t) operations;
	/* Outputs that no other operation of the pattern reads. */
	FX_VEC(size_t) anchors;
	struct fx_forms *forms;
	const struct fx_node *any; /* the placeholder of _, or NULL */
};

/* What was read: pattern_read.c for pattern.c. */
struct fx_pattern_text {
	struct fx_map names; /* interned -> its value */
	struct fx_map open;  /* operations whose arguments ended in ... */
	struct fx_value any; /* what _ is; NONE: it does not occur */
	struct fx_value result;
};

/* A rule's expression or function being read.  PATTERN for a pattern,
 * REPLACEMENT for what is put there; the other is NULL.
 */
struct fx_rule_reading {
	struct fx_builder build; /* first */
	struct fx_pattern *pattern;
	struct fx_replacement *replacement;
	struct fx_pattern_text read;
	bool has_result;
};

/* Read the statements of TREE, a MODULE of an expression or a FUNCTION: names,
 * nodes and the result.
 */
FX_NODISCARD struct fx_error *fx_rule_read(struct fx_rule_reading *reading,
	const struct fx_ast *tree);
/* What environments of rules share: bare functions, errors, new nodes; and the
 * class that TREE, nn.X, names, or NULL.
 */
const char *fx_rule_function(struct fx_builder *builder, const char *name);
struct fx_error *fx_rule_refuse(struct fx_builder *builder,
	enum fx_build_problem problem, const struct fx_ast *tree);
struct fx_node *fx_rule_emit(struct fx_builder *builder,
	const struct fx_build_left *left, struct fx_node_spec *spec);
const char *fx_rule_class(struct fx_builder *builder,
	const struct fx_ast *tree);
/* NAME becomes a placeholder. */
struct fx_value *fx_rule_add_name(struct fx_rule_reading *reading,
	const char *name);

/* Fill the slots of PATTERN, whose graph is complete, or say why it is none. */
FX_NODISCARD struct fx_error *fx_pattern_finish(struct fx_pattern *pattern,
	const struct fx_pattern_text *read);

/* What SLOT calls, for people: relu, Conv2d, self.fc. */
const char *fx_pattern_words(const struct fx_pattern_slot *slot);

#endif /* FX_IR_PATTERN_PRIVATE_H */
