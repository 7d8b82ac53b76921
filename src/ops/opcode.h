/* opcode.h - the six opcodes of torch.fx, as an enum. */
#ifndef FX_OPS_OPCODE_H
#define FX_OPS_OPCODE_H

enum fx_opcode {
#define FX_OPCODE(id, word, tag) FX_OPCODE_##id,
#include "ops/opcode.def"
	FX_OPCODE_COUNT
};

#endif /* FX_OPS_OPCODE_H */
