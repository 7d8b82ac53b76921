class GraphModule(torch.nn.Module):
    def forward(self, x, y : torch.Tensor):
        
        # No stacktrace found for following nodes 
        clone = x.clone()
        clone += y;  iadd = clone;  clone = None
        iadd *= 2;  imul = iadd;  iadd = None
        imul[(0, slice(None, None, 2))] = y;  setitem = imul;  y = None
        neg = -imul;  imul = None
        pow_1 = neg ** 2;  neg = None
        gt = pow_1 > inf;  pow_1 = None
        invert = ~gt;  gt = None
        floor = math_floor(1.5)
        is_not = _operator_is_not(x, None);  x = None
        return (invert, [floor, -1e-05, is_not], {'k': (1+2j)})
        
