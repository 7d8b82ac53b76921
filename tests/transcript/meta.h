/* meta.h - transcripts run on the meta backend, which is everywhere. */
#ifndef FX_TESTS_TRANSCRIPT_META_H
#define FX_TESTS_TRANSCRIPT_META_H

#include "base/compiler.h"
#include "session/session.h"
#include "session/settings.h"

/* A session whose shapes are the same everywhere, whatever libtorch there is.
 */
static inline struct fx_session *
meta_session(void)
{
	struct fx_session *session = fx_session_new();
	const char *rest;
	int index = fx_settings_match("backend", &rest);
	struct fx_error *err =
		fx_settings_set(fx_session_settings(session), index, "meta");

	fx_assert(!err);
	return session;
}

#endif /* FX_TESTS_TRANSCRIPT_META_H */
