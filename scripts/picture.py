"""Pictures of sessions: what a terminal shows, as SVG.

A picture is a row of PICTURES: the size of the terminal, how fxdb is started,
and steps of (keys, seconds to wait).  A moving one shows the terminal as it
changes, with the times it took, and begins again; a still one its end.
"""
import html
import os
import re
import subprocess
import sys
import tempfile
import time

ENTER = "\r"
PICTURES = {
    "demo": {
        "size": (100, 30), "moving": True,
        "start": ["-q", "-ex", "demo resnet --pace 1500ms"],
        "steps": [("", 60)], "until": "dump script",
    },
    "pass": {
        "size": (140, 30), "start": ["doc/examples/resnet18.fxg", "--tui"],
        "steps": [(":weights random" + ENTER, 4),
                  (":pass run fuse-conv-bn -s" + ENTER, 3),
                  (":y" + ENTER, 2), (":n" + ENTER, 2)],
    },
    "own": {
        "size": (140, 32),
        "start": ["doc/examples/transformer.py:Block", "-i", "x=f32[1,24,16]",
                  "--tui"],
        "steps": [("", 4), (":tbreak softmax" + ENTER, 2),
                  (":run" + ENTER, 4), (":focus source" + ENTER, 1),
                  (":info locals" + ENTER, 2)],
    },
    "nan": {
        "size": (120, 32), "start": ["doc/examples/resnet18.fxg", "--tui"],
        "steps": [(":weights random" + ENTER, 4),
                  (":set value layer2.0.bn2.running_var = "
                   "torch.where(arange(128) == 17, -1, $v)" + ENTER, 3),
                  (":watch nonfinite" + ENTER, 2), (":run" + ENTER, 5),
                  (":why nan" + ENTER, 5)],
    },
}

POLL = 0.15   # seconds between two looks at a moving terminal
LONGEST = 4   # seconds that one frame stays
LAST = 5      # and the last one
CELL = (8.4, 17)
MARGIN = 14
INK, PAPER = "#d6d8de", "#15181e"
COLORS = ["#3b4252", "#e0707a", "#8cc37f", "#e3c27a", "#78a5e0", "#c08fd6",
          "#6fc5c5", "#d6d8de", "#7b8394", "#f08c95", "#a5d998", "#f0d795",
          "#97bdf0", "#d4abe6", "#8fdada", "#ffffff"]


def color_of(number):
    """The colour of an entry of the palette of 256, as terminals have it."""
    if number < 16:
        return COLORS[number]
    if number >= 232:
        return "#%02x%02x%02x" % ((8 + 10 * (number - 232),) * 3)
    steps = [0, 95, 135, 175, 215, 255]
    number -= 16
    return "#%02x%02x%02x" % (steps[number // 36], steps[number // 6 % 6],
                              steps[number % 6])


class Terminal:
    """fxdb in a terminal of its own."""

    def __init__(self, name, size, command):
        self.call = ["tmux", "-L", "fxdb-picture-" + name, "-f", os.devnull]
        self.home = tempfile.TemporaryDirectory()
        subprocess.run(
            self.call + ["new-session", "-d", "-x", str(size[0]), "-y",
                         str(size[1]), "env", "HOME=" + self.home.name,
                         "TERM=tmux-256color", "LC_ALL=C.UTF-8", *command,
                         ";", "set", "-g", "status", "off"], check=True)

    def type(self, keys):
        for line in re.split("(\r)", keys):
            if line:
                subprocess.run(self.call + ["send-keys"] + (
                    ["Enter"] if line == "\r" else ["-l", line]), check=True)

    def rows(self):
        text = subprocess.run(self.call + ["capture-pane", "-p", "-e"],
                              check=True, stdout=subprocess.PIPE,
                              text=True).stdout
        # Paths as a reader has them; a frame behind one stays in its column.
        here = os.getcwd() + "/"
        text = re.sub(re.escape(here) + r"([^\n\u2502]*)\u2502",
                      lambda found: found[1] + " " * len(here) + "\u2502", text)
        return text.replace(here, "").split("\n")

    def end(self):
        subprocess.run(self.call + ["kill-server"])
        self.home.cleanup()


def read_look(codes, look):
    """LOOK, a dict, after the numbers of one escape sequence."""
    codes = [int(code or 0) for code in codes.split(";")]
    while codes:
        code = codes.pop(0)
        if code == 0:
            look = {}
        elif code in (1, 2, 4, 7):
            look = dict(look, **{{1: "bold", 2: "dim", 4: "under",
                                  7: "turned"}[code]: True})
        elif code in (22, 24, 27):
            gone = {22: ("bold", "dim"), 24: ("under",), 27: ("turned",)}
            look = {key: look[key] for key in look if key not in gone[code]}
        elif code in (38, 48) and codes[:1] == [5]:
            look = dict(look, **{"ink" if code == 38 else "paper":
                                 color_of(codes[1])})
            del codes[:2]
        elif 30 <= code < 38 or 90 <= code < 98:
            look = dict(look, ink=COLORS[code - (30 if code < 38 else 82)])
        elif 40 <= code < 48:
            look = dict(look, paper=COLORS[code - 40])
        elif code in (39, 49):
            look = {key: look[key] for key in look
                    if key != ("ink" if code == 39 else "paper")}
    return look


def pieces_of(row):
    """(column, text, look) of a row with escape sequences."""
    look, column, pieces = {}, 0, []
    for part in re.split("(\x1b\\[[0-9;]*m|\x1b\\([0B]|\x0e|\x0f)", row):
        if part.startswith("\x1b["):
            look = read_look(part[2:-1], look)
        elif part and part[0] not in "\x1b\x0e\x0f":
            pieces.append((column, part, look))
            column += len(part)
    return pieces


def draw_row(row):
    """A row at the origin, as SVG."""
    marks, texts = [], []
    for column, text, look in pieces_of(row):
        ink, paper = look.get("ink", INK), look.get("paper")
        if look.get("turned"):
            ink, paper = paper or PAPER, ink
        x = "%g" % round(column * CELL[0], 1)
        if paper:
            marks.append('<rect x="%s" y="%g" width="%g" height="%g" '
                         'fill="%s"/>' % (x, 4 - CELL[1],
                                          round(len(text) * CELL[0], 1),
                                          CELL[1], paper))
        style = ' fill="%s"' % ink if ink != INK else ""
        style += ' font-weight="bold"' if look.get("bold") else ""
        style += ' opacity=".6"' if look.get("dim") else ""
        style += ' text-decoration="underline"' if look.get("under") else ""
        # Not every viewer keeps blanks: what stands apart has its own place.
        for word in re.finditer(r"\S+(?: \S+)*", text):
            texts.append('<tspan x="%g"%s>%s</tspan>' % (
                round((column + word.start()) * CELL[0], 1), style,
                html.escape(word.group())))
    return "".join(marks) + ("<text>%s</text>" % "".join(texts)
                             if texts else "")


def record(terminal, picture):
    """[(rows, seconds)]: what was seen, and how long."""
    frames = []
    begin = shown = time.monotonic()
    for keys, seconds in picture["steps"]:
        terminal.type(keys)
        begin = time.monotonic()
        while time.monotonic() < begin + seconds:
            time.sleep(POLL)
            rows = terminal.rows()
            if not frames or rows != frames[-1][0]:
                now = time.monotonic()
                if frames:
                    frames[-1][1] = min(now - shown, LONGEST)
                frames.append([rows, LAST])
                shown = now
            elif picture.get("until") and time.monotonic() > shown + LONGEST \
                    and any(picture["until"] in row for row in rows):
                break
    return frames if picture.get("moving") else frames[-1:]


def write_svg(path, title, size, frames):
    """One group for each row that differs from all others, frames that use
    them, each visible for its time."""
    ids, drawings, groups = {}, [], []
    whole = sum(seconds for _, seconds in frames)
    at = 0
    for rows, seconds in frames:
        uses = []
        for number, row in enumerate(rows[:size[1]]):
            drawing = draw_row(row)
            if not drawing:
                continue
            if drawing not in ids:
                ids[drawing] = "r%d" % len(ids)
                drawings.append('<g id="%s">%s</g>' % (ids[drawing], drawing))
            uses.append('<use href="#%s" y="%g"/>' % (
                ids[drawing], (number + 1) * CELL[1]))
        move = ""
        if len(frames) > 1:
            times = "0;%.4f;%.4f" % (at / whole, (at + seconds) / whole)
            values = "hidden;visible;hidden"
            if at == 0:
                times, values = "0;%.4f" % (seconds / whole), "visible;hidden"
            move = ('<animate attributeName="visibility" calcMode="discrete" '
                    'dur="%.2fs" repeatCount="indefinite" values="%s" '
                    'keyTimes="%s"/>' % (whole, values, times))
        hidden = ' visibility="hidden"' if move and at else ""
        groups.append("<g%s>%s%s</g>" % (hidden, move, "".join(uses)))
        at += seconds
    width = size[0] * CELL[0] + 2 * MARGIN
    height = size[1] * CELL[1] + 2 * MARGIN
    with open(path + ".new", "w") as file:
        file.write(
            '<svg xmlns="http://www.w3.org/2000/svg" width="%g" height="%g" '
            'viewBox="0 0 %g %g" role="img">\n<title>%s</title>\n'
            '<style>text{font:14px "DejaVu Sans Mono",Menlo,Consolas,'
            'monospace;fill:%s}</style>\n<defs>\n%s\n</defs>\n'
            '<rect width="100%%" height="100%%" rx="9" fill="%s"/>\n'
            '<g transform="translate(%g %g)">\n%s\n</g>\n</svg>\n' % (
                width, height, width, height, html.escape(title), INK,
                "\n".join(drawings), PAPER, MARGIN, MARGIN - 4,
                "\n".join(groups)))
    os.replace(path + ".new", path)


def main():
    fxdb, folder, *names = sys.argv[1:]
    os.makedirs(folder, exist_ok=True)
    for name in names or PICTURES:
        if name not in PICTURES:
            sys.exit("no picture %s; there are %s" % (name,
                                                      ", ".join(PICTURES)))
        picture = PICTURES[name]
        terminal = Terminal(name, picture["size"],
                            [os.path.abspath(fxdb), "-nx"] + picture["start"])
        try:
            time.sleep(1)
            frames = record(terminal, picture)
        finally:
            terminal.end()
        path = os.path.join(folder, name + ".svg")
        write_svg(path, "fxdb: " + name, picture["size"], frames)
        print("%s: %d frames, %d bytes" % (path, len(frames),
                                           os.path.getsize(path)))


main()
