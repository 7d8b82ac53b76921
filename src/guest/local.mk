libfxcore_a_SOURCES += \
	%D%/backend_python.c %D%/backend_python.h \
	%D%/backend_python_private.h \
	%D%/aten.def \
	%D%/channel.c %D%/channel.h \
	%D%/child_tree.c %D%/child_tree.h \
	%D%/capture_client.c \
	%D%/failure.c %D%/failure.h \
	%D%/pass_request.c %D%/pass_request.h \
	%D%/process.c %D%/process.h \
	%D%/python.c %D%/python.h \
	%D%/python_tensor.c \
	%D%/python_wire.c %D%/python_wire.h \
	%D%/trace_reply.c %D%/trace_reply.h \
	%D%/shim.h %D%/shim_private.h %D%/torch_private.h \
	%D%/torch_target.c \
	%D%/worker.c %D%/worker.h %D%/worker_private.h

if WITH_TORCH
libfxcore_a_SOURCES += \
	%D%/backend_torch.c \
	%D%/shim_build.c \
	%D%/shim_facts.c \
	%D%/shim_load.c \
	%D%/torch_index.c \
	%D%/torch_parameter.c %D%/torch_plain.c \
	%D%/torch_value.c %D%/torch_value_out.c
else
libfxcore_a_SOURCES += %D%/shim_none.c
endif
