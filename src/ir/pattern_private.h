/* pattern_private.h - what reading, matching and rewriting know of patterns. */
#ifndef FX_IR_PATTERN_PRIVATE_H
#define FX_IR_PATTERN_PRIVATE_H

#include "base/map.h"
#include "base/vec.h"
#include "ir/form.h"
#include "ir/pattern.h"

/* A layer of a pattern: its class and what is said of its configuration. */
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
	bool writes;        /* itself writes in place, so that matches may */
	const char *target; /* by its torch.fx name */
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
	struct fx_value any; /* what _ is; NONE: it does not occur */
	struct fx_value result;
};

/* Fill the slots of PATTERN, whose graph is complete, or say why it is none. */
FX_NODISCARD struct fx_error *fx_pattern_finish(struct fx_pattern *pattern,
	const struct fx_pattern_text *read);

/* What SLOT calls, for people: relu, Conv2d, self.fc. */
const char *fx_pattern_words(const struct fx_pattern_slot *slot);

#endif /* FX_IR_PATTERN_PRIVATE_H */
