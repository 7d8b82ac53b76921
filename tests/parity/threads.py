"""Eager PyTorch on as many threads as fxdb: on some processors convolutions
round otherwise on another number.
"""
import os

import torch


def as_fxdb():
    """OMP_NUM_THREADS, or all processors, as doc/running.md says of fxdb."""
    torch.set_num_threads(int(os.environ.get("OMP_NUM_THREADS")
                              or len(os.sched_getaffinity(0))))
