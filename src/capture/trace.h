/* trace.h - one symbolic trace in progress. */
#ifndef FXPY_TRACE_H
#define FXPY_TRACE_H

#include <stdbool.h>

#include "base/map.h"
#include "base/vec.h"
#include "trace/recorder.h"

struct fxpy_trace {
	struct fx_recorder recorder;
	struct _object *tracer; /* fxdb.Tracer, for overridden hooks */
	struct _object *root;   /* the module traced */
	struct _object *keep; /* list: objects whose addresses are keys here */

	struct fx_map modules;    /* module -> interned path */
	struct fx_map parameters; /* Parameter -> interned path */
	struct fx_map tensors;    /* buffer, plain tensor -> interned path */
	struct fx_map proxies;    /* Parameter -> its cached Proxy */
	struct fx_map records;    /* module -> struct fx_module * */
	struct fx_map scanned;    /* globals already searched for math.* */
	struct _object *targets;  /* dict: target text -> the callable */
	struct _object *scripts;  /* dict: object of TorchScript's -> path */
	unsigned constant_count;
	struct fx_map constants;        /* path of one that is no tensor -> 1 */
	FX_VEC(struct fx_value) config; /* of the module being collected */

	struct fxpy_frame *frames; /* of ext_source.c */
	size_t frame_count;
	struct fx_arena *source_arena;
	struct fx_map sources; /* what the stack says -> struct known_source */

	struct _object *graph; /* its Graph, once one of its nodes was asked
				* for; else NULL */
	bool is_copy; /* of a graph that Python has: nothing is traced */
	/* Members of any Enum and dataclasses may be arguments: torch 2. */
	bool takes_objects;

	bool hooks_leaf; /* the tracer overrides is_leaf_module ... */
	bool hooks_path; /* ... path_of_module ... */
	bool hooks_arg;  /* ... create_arg */
	bool hooks_call, hooks_proxy; /* ... call_module, create_proxy */
	bool hooks_bool, hooks_iter, hooks_keys;
	bool hooks_node, hooks_made; /* ... create_node, proxy */
	bool hooks_getattr;          /* ... getattr, or what that asks */
};

#endif /* FXPY_TRACE_H */
