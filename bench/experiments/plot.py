# SPDX-License-Identifier: Apache-2.0
"""Small line charts as SVG. Standard library only.

    c = Chart("title", "x", "y", log_x=True)
    c.line("gb", [(1, 0.5), (10, 0.4)])
    write("out.svg", [c, ...], columns=2)

Colours are told apart also by dashes and by the names at the right end; dark text on white,
whatever the page behind it."""
import html
import math

COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7f7f7f", "#a05a2c"]
DASHES = ["", "7 3", "2 2", "9 3 2 3", "", "5 2", "2 4", "1 3"]
WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 480, 300, 58, 132, 34, 44


class Chart:
    def __init__(self, title, x, y, log_x=False, log_y=False, marks=False, least=None, most=None):
        self.title, self.x, self.y, self.log_x, self.log_y, self.marks = title, x, y, log_x, log_y, marks
        self.least, self.most, self.lines, self.levels = least, most, [], []

    def line(self, name, points, colour=None, error=None):
        """`error`: half the height of a bar at each point."""
        self.lines.append((name, [(a, b) for a, b in points if b == b], colour, error))

    def level(self, name, y):
        self.levels.append((name, y))

    def draw(self):
        xs = [a for _, pts, _, _ in self.lines for a, _ in pts]
        ys = [b for _, pts, _, _ in self.lines for _, b in pts] + [y for _, y in self.levels]
        x0, x1, y0, y1 = min(xs), max(xs), min(ys), max(ys)
        if self.least is not None:
            y0 = max(y0, self.least) if self.log_y else self.least
        if self.most is not None:
            y1 = self.most
        if not self.log_y:
            pad = 0.06 * (y1 - y0 or 1)
            y0, y1 = (y0 if self.least is not None else y0 - pad), y1 + pad
        fx, fy = scale(x0, x1, LEFT, WIDTH - RIGHT, self.log_x), scale(y0, y1, HEIGHT - BOTTOM, TOP, self.log_y)
        out = [f'<text x="{LEFT}" y="18" font-weight="bold">{html.escape(self.title)}</text>']
        for v in ticks(x0, x1, self.log_x):
            out.append(f'<line x1="{fx(v):.1f}" x2="{fx(v):.1f}" y1="{TOP}" y2="{HEIGHT - BOTTOM}" class="g"/>'
                       f'<text x="{fx(v):.1f}" y="{HEIGHT - BOTTOM + 15}" text-anchor="middle">{tell(v)}</text>')
        for v in ticks(y0, y1, self.log_y):
            out.append(f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{fy(v):.1f}" y2="{fy(v):.1f}" class="g"/>'
                       f'<text x="{LEFT - 6}" y="{fy(v) + 4:.1f}" text-anchor="end">{tell(v)}</text>')
        out.append(f'<text x="{(LEFT + WIDTH - RIGHT) / 2}" y="{HEIGHT - 8}" text-anchor="middle">{html.escape(self.x)}</text>')
        out.append(f'<text transform="translate(13 {(TOP + HEIGHT - BOTTOM) / 2}) rotate(-90)" text-anchor="middle">'
                   f"{html.escape(self.y)}</text>")
        names = []
        for name, y in self.levels:
            out.append(f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{fy(y):.1f}" y2="{fy(y):.1f}" stroke="#555" '
                       'stroke-dasharray="3 3"/>')
            if name:
                names.append([fy(y), name, "#555"])
        for k, (name, points, colour, error) in enumerate(self.lines):
            colour = colour or COLOURS[k % len(COLOURS)]
            inside = [(fx(a), fy(min(max(b, y0), y1))) for a, b in points]
            path = "M" + " L".join(f"{a:.1f} {b:.1f}" for a, b in inside)
            out.append(f'<path d="{path}" fill="none" stroke="{colour}" stroke-width="1.8" '
                       f'stroke-dasharray="{DASHES[k % len(DASHES)]}"/>')
            if self.marks:
                out += [f'<circle cx="{a:.1f}" cy="{b:.1f}" r="2.6" fill="{colour}"/>' for a, b in inside]
            for (a, b), e in zip(points, error or []):
                out.append(f'<line x1="{fx(a):.1f}" x2="{fx(a):.1f}" y1="{fy(min(y1, b + e)):.1f}" '
                           f'y2="{fy(max(y0, b - e)):.1f}" stroke="{colour}"/>')
            names.append([inside[-1][1], name, colour])
        names.sort()
        for i in range(1, len(names)):
            names[i][0] = max(names[i][0], names[i - 1][0] + 13)
        over = names[-1][0] - (HEIGHT - BOTTOM + 4)
        if over > 0:
            names = [[y - over, n, c] for y, n, c in names]
        out += [f'<text x="{WIDTH - RIGHT + 5}" y="{y + 4:.1f}" fill="{c}">{html.escape(n)}</text>' for y, n, c in names]
        return "\n".join(out)


def scale(lo, hi, a, b, log):
    f = math.log if log else float
    span = f(hi) - f(lo) or 1.0
    return lambda v: a + (b - a) * (f(v) - f(lo)) / span


def ticks(lo, hi, log):
    if log:
        first, last = math.floor(math.log10(lo)), math.ceil(math.log10(hi))
        by = 1 if last - first <= 7 else 2
        steps = (1, 2, 5) if last - first <= 3 else (1,)
        return [s * 10.0 ** e for e in range(first, last + 1, by) for s in steps if lo * 0.999 <= s * 10.0 ** e <= hi * 1.001]
    raw = (hi - lo) / 5 or 1.0
    unit = 10.0 ** math.floor(math.log10(raw))
    step = next(s * unit for s in (1, 2, 5, 10) if s * unit >= raw)
    return [step * k for k in range(math.ceil(lo / step - 1e-9), math.floor(hi / step + 1e-9) + 1)]


def tell(v):
    if v and (abs(v) >= 1e5 or abs(v) < 1e-3):
        mantissa, exponent = f"{v:.0e}".split("e")
        return f"{'' if mantissa == '1' else mantissa + '·'}10<tspan dy=\"-4\" font-size=\"8\">{int(exponent)}</tspan>"
    return f"{v:.6g}"


def write(path, charts, columns=2):
    rows = -(-len(charts) // columns)
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH * min(columns, len(charts))} {HEIGHT * rows}" '
             'font-family="sans-serif" font-size="11" fill="#333">',
             "<style>.g{stroke:#ddd;stroke-width:1}</style>", '<rect width="100%" height="100%" fill="#fff"/>']
    for i, c in enumerate(charts):
        parts.append(f'<g transform="translate({WIDTH * (i % columns)} {HEIGHT * (i // columns)})">\n{c.draw()}\n</g>')
    with open(path, "w") as f:
        f.write("\n".join(parts) + "\n</svg>\n")
