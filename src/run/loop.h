/* loop.h - the turns of a while_loop that was entered (run.h). */
#ifndef FX_RUN_LOOP_H
#define FX_RUN_LOOP_H

struct fx_loop;

void fx_loop_free(struct fx_loop *loop);

#endif /* FX_RUN_LOOP_H */
