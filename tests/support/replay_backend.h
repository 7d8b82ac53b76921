/* replay_backend.h - a backend that has only recorded answers. */
#ifndef FX_TESTS_SUPPORT_REPLAY_BACKEND_H
#define FX_TESTS_SUPPORT_REPLAY_BACKEND_H

#include "base/error.h"

struct fx_backend;

/* The answers recorded in PATH, JSON lines.  A call
 * gets the first answer not given yet for the same target and arguments:
 *
 *	{"target": "torch.relu", "args": ["f32[2]"], "result": "f32[2]",
 *	 "values": [0.0, 1.5]}
 *	{"target": "operator.add", "args": ["1", "2"], "result": "3"}
 *	{"target": "torch.sum", "args": ["f32[2]", "dim=0"], "error": "text"}
 *
 * Values are numbers, "nan", "inf", "-inf" or pairs [real, imag]; those of a
 * result with strides are its storage.
 * Arguments are texts as fx_datum_print shows them, keywords after "name=";
 * results are a tensor's dtype and shape or a literal.  A target without any
 * answer is UNSUPPORTED.
 */
FX_NODISCARD struct fx_error *fxt_replay_backend_new(const char *path,
	struct fx_backend **ret);

#endif /* FX_TESTS_SUPPORT_REPLAY_BACKEND_H */
