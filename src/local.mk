# The library, a fragment a layer, lowest first (layers.txt).
include %D%/base/local.mk
include %D%/lang/local.mk
include %D%/ops/local.mk
include %D%/ir/local.mk
include %D%/meta/local.mk
include %D%/emit/local.mk
include %D%/load/local.mk
include %D%/trace/local.mk
include %D%/run/local.mk
include %D%/guest/local.mk
include %D%/pass/local.mk
include %D%/draw/local.mk
include %D%/session/local.mk
include %D%/torch/local.mk
include %D%/capture/local.mk
