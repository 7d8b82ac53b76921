class GraphModule(torch.nn.Module):
    def forward(self, x: "f32[2, 4]", w: "f32[4, 4]"):
        body = self.body
        tag = torch.ops.higher_order.tag_activation_checkpoint(body, x, w, use_reentrant = False)
        first = tag[0]
        quiet = self.quiet
        grad = torch.ops.higher_order.wrap_with_set_grad_enabled(False, quiet, first)
        quiet_1 = self.quiet
        invoke = torch.ops.higher_order.invoke_subgraph(quiet_1, 'quiet', grad)
        return (invoke, first)
    class body(torch.nn.Module):
        def forward(self, y, w):
            tanh = torch.ops.aten.tanh.default(y)
            deep = self.deep
            wrap = torch.ops.higher_order.wrap(deep, tanh, w)
            return (wrap,)
        class deep(torch.nn.Module):
            def forward(self, y, w):
                mm = torch.ops.aten.mm.default(y, w)
                sin = torch.ops.aten.sin.default(mm)
                return sin
    class quiet(torch.nn.Module):
        def forward(self, a):
            cos = torch.ops.aten.cos.default(a)
            return cos
