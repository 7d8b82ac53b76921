
import os
os.environ['TORCH_COMPILE_DEBUG'] = '1'

import torch
from torch import tensor, device
from math import inf

if "__compile_source__" in globals():
    import inspect as __after_aot_inspect
# torch version: 2.13.0

from torch.nn import *
class Repro(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()



    def forward(self, arg0_1, arg1_1):
        mm = torch.ops.aten.mm.default(arg0_1, arg1_1);  arg0_1 = arg1_1 = None
        relu = torch.ops.aten.relu.default(mm);  mm = None
        return (relu,)

def load_args(reader):
    buf0 = reader.storage(None, 48)
    reader.tensor(buf0, (3, 4), is_leaf=True)  # arg0_1
mod = Repro()
if __name__ == '__main__':
    with torch.no_grad():
        pass
