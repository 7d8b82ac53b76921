/* line_plain.h - a line editor without Readline. */
#ifndef FX_TESTS_SUPPORT_LINE_PLAIN_H
#define FX_TESTS_SUPPORT_LINE_PLAIN_H

#include "ui/tui/line.h"

struct cmd_shell;

/* A plain editor: characters, Backspace, Left, Right, Home, End, Ctrl-U,
 * Up, Down (history), Tab (completion), Enter.  SHELL may be NULL.
 */
struct tui_line *fxt_line_plain_new(struct cmd_shell *shell);
void fxt_line_plain_free(struct tui_line *line);

#endif /* FX_TESTS_SUPPORT_LINE_PLAIN_H */
