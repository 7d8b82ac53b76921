/* leave.h - the end of the program, of which the person waits for nothing that
 * only frees memory.
 */
#ifndef FX_UI_LEAVE_H
#define FX_UI_LEAVE_H

struct fx_session;

/* What runs beside SESSION ends; its memory is left to the system, unless this
 * is a build that looks for leaks.
 */
void ui_leave_session(struct fx_session *session);

/* All files are closed, and the memory goes beside what the person does next;
 * then only _exit may follow.
 */
void ui_leave_memory(void);

#endif /* FX_UI_LEAVE_H */
