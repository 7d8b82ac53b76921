/* watch_private.h - what reading and looking share. */
#ifndef FX_SESSION_WATCH_PRIVATE_H
#define FX_SESSION_WATCH_PRIVATE_H

#include "base/dtype.h"
#include "session/resolve.h"
#include "session/session_private.h"
#include "session/watch.h"

/* "f32", "float32" or "torch.float32"; NONE for what is no dtype. */
enum fx_dtype fx_watch_dtype(const char *name);

#endif /* FX_SESSION_WATCH_PRIVATE_H */
