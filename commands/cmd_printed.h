/* cmd_printed.h - what the user's Python prints, as lines of the output. */
#ifndef FX_COMMANDS_CMD_PRINTED_H
#define FX_COMMANDS_CMD_PRINTED_H

#include <stddef.h>

#include "base/buf.h"

struct out;

struct cmd_printed {
	struct out *out;
	struct fx_buf line; /* the last, not ended yet */
};

/* LENGTH bytes of TEXT more, none: the line ends here; CONTEXT is a struct
 * cmd_printed.
 */
void cmd_printed_add(void *context, const char *text, size_t length);
/* Say what is left, and free it. */
void cmd_printed_end(struct cmd_printed *printed);

#endif /* FX_COMMANDS_CMD_PRINTED_H */
