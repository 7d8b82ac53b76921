def forward(self, x):
    scale = self.scale
    stem = torch.relu(x);  x = None
    conv = self.layer1.conv(stem)
    act = torch.relu(conv);  conv = None
    drop = self.layer1.drop(act);  act = None
    add = drop + stem;  drop = stem = None
    wide = self.layer2.conv(add)
    norm = torch.sigmoid(wide);  wide = None
    mul = norm * scale;  norm = scale = None
    cat = torch.cat([mul, add], 1);  mul = add = None
    return cat
