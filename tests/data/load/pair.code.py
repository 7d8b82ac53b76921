


def forward(self, p, flag):
    p_1, p_2, flag_1, = fx_pytree.tree_flatten_spec([p, flag], self._in_spec)
    eq = flag_1 == True;  flag_1 = None
    _assert = torch._assert(eq, 'flag has been specialized to have value True but got another value');  eq = None
    add = p_1 + p_2;  p_1 = None
    return pytree.tree_unflatten([add, p_2], self._out_spec)
    