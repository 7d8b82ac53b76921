/* form.h - a call in the words of its operation.
 *
 * torch.relu(x), x.relu() and a ReLU that is called are the operation `relu`
 * with one parameter (ops/spellings.h); two calls in this form are compared
 * parameter by parameter.
 */
#ifndef FX_IR_FORM_H
#define FX_IR_FORM_H

#include <stdbool.h>
#include <stddef.h>

#include "ir/node.h"
#include "ir/value.h"

struct fx_arena;
struct fx_module;
struct fx_spelling;

/* What is called, how. */
struct fx_form_call {
	enum fx_opcode opcode;
	const char *target;             /* of a module: its class */
	const struct fx_value *config;  /* of a module: DICT, else NULL */
	bool is_training;               /* of a module */
	const struct fx_module *module; /* of a node's, and its path; or NULL */
	const char *path;
	/* Of a pattern: what a parameter gets that the configuration of a
	 * module does not say, or that a function needs and a layer would
	 * carry; NULL: its default, and no call without it.
	 */
	const struct fx_value *unsaid;
	bool is_open; /* all else that is not said gets that too */
	struct fx_value args;
	struct fx_value kwargs;
};

struct fx_form {
	const struct fx_spelling *spelling;
	const struct fx_value *bound; /* one a parameter of the operation */
	size_t count;
	/* The operation has parameters that layers carry: of a node's layer
	 * they are OPAQUE, self.PATH.weight, or NONE.
	 */
	bool carries;
	bool says_inplace;       /* the call gives `inplace` */
	struct fx_value inplace; /* NONE where there is no such parameter */
};

/* Signatures of spellings, each read once. */
struct fx_forms;
struct fx_forms *fx_forms_new(void);
void fx_forms_free(struct fx_forms *forms);

/* The spelling by which OPCODE calls TARGET (of a module: its class), or NULL.
 */
const struct fx_spelling *fx_form_spelling(enum fx_opcode opcode,
	const char *target);

/* CALL in ARENA.  False when no operation has that spelling, or the call says
 * something that the operation does not.
 */
bool fx_form_of(struct fx_forms *forms, struct fx_arena *arena,
	const struct fx_form_call *call, struct fx_form *ret);

/* The parameter of FORM at INDEX, as the operation calls it. */
const char *fx_form_parameter(struct fx_forms *forms,
	const struct fx_form *form, size_t index);
/* The call that NODE is. */
struct fx_form_call fx_form_call_of(const struct fx_node *node);

#endif /* FX_IR_FORM_H */
