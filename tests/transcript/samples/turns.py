class GraphModule(torch.nn.Module):
    def forward(self, x: "f32[2]"):
        zeros = torch.zeros((), dtype = torch.int64)
        more = self.more
        turn = self.turn
        loop = torch.ops.higher_order.while_loop(more, turn, (zeros, x), ())
        y = loop[1]
        gt = torch.gt(loop[0], 8)
        yes = self.yes
        no = self.no
        cond = torch.ops.higher_order.cond(gt, yes, no, (y,))
        again = torch.ops.higher_order.cond(gt, yes, no, (cond,))
        return again
    class more(torch.nn.Module):
        def forward(self, i, y):
            lt = i < 9
            return lt
    class turn(torch.nn.Module):
        def forward(self, i, y):
            next_i = i + 1
            double = y * 2
            return (next_i, double)
    class yes(torch.nn.Module):
        def forward(self, y):
            neg = -y
            return neg
    class no(torch.nn.Module):
        def forward(self, y):
            exp = y.exp()
            return exp
