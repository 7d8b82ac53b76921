/* spellings.h - which functions, methods and layers are one operation.
 *
 * torch.relu(x), x.relu(), F.relu(x) and nn.ReLU()(x) give the same; the rows
 * of spellings.def say so, and how the parameters of each are called.
 */
#ifndef FX_OPS_SPELLINGS_H
#define FX_OPS_SPELLINGS_H

#include <stddef.h>

#include "ops/opcode.h"

/* One way to write an operation. */
struct fx_spelling {
	enum fx_opcode opcode; /* CALL_FUNCTION, CALL_METHOD, CALL_MODULE */
	/* Interned: the qualified name of a function, the name of a method, the
	 * class of a layer without its module (ReLU).
	 */
	const char *target;
	const char *parameters; /* Python: "input,inplace=False" */
	size_t operation;       /* index of its row */
};

struct fx_operation {
	const char *name;       /* relu; interned */
	const char *parameters; /* that all its spellings say */
};

/* The INDEXth row or spelling; NULL past the end. */
const struct fx_operation *fx_operation_at(size_t index);
const struct fx_spelling *fx_spelling_at(size_t index);

/* What TARGET (interned) is for OPCODE: for CALL_MODULE a class without its
 * module.  NULL when no row has it.  Constant time.
 */
const struct fx_spelling *fx_spelling_find(enum fx_opcode opcode,
	const char *target);

/* The first spelling of the operation NAME (interned), or NULL. */
const struct fx_spelling *fx_spelling_of_operation(const char *name);

/* The name (interned) by which torch.fx knows the function TARGET (interned):
 * torch._C._nn.gelu for torch.nn.functional.gelu, for most their own.
 */
const char *fx_spelling_home(const char *target);

/* For fx_layertab_shutdown: release what was read. */
void fx_spellings_shutdown(void);

#endif /* FX_OPS_SPELLINGS_H */
