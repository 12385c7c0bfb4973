# SPDX-License-Identifier: Apache-2.0
"""Draws gamma.svg and mlfp.svg for docs/neighbours.md: python neighbours.py SCARCE. Standard library only; the same bytes every time.

gamma.svg: where 3-NN alerts with gamma 1, 0.7 and 0.4, on 150 negatives and 12 positives of two features. mlfp.svg: the points at distance 1
from each positive under MLFP's metric (full=true), beside the circles of gamma."""
import json
import os
import random
import subprocess
import sys
import tempfile

SIZE, GAP, GRID = 240, 20, 60
NEGATIVE, POSITIVE, REGION = "#4477aa", "#cc3311", "#fbd9cf"


def points():
    r = random.Random(4)
    rows = [(r.uniform(0, 1), r.uniform(0, 1), 0) for _ in range(150)]
    rows += [(min(max(r.gauss(0.32, 0.2), 0.02), 0.98), min(max(r.gauss(0.62, 0.05), 0.02), 0.98), 1) for _ in range(12)]
    return rows


def write(path, rows):
    with open(path, "w") as f:
        f.write("x,y,label\n" + "".join(f"{x:.5f},{y:.5f},{c}\n" for x, y, c in rows))


def run(scarce, *args):
    return subprocess.run([scarce, *args, "--quiet"], check=True, stdout=subprocess.PIPE, text=True).stdout


def place(x, y, panel):
    return panel * (SIZE + GAP) + x * SIZE, 24 + (1 - y) * SIZE


def dots(rows, panel):
    for x, y, c in rows:
        px, py = place(x, y, panel)
        yield f'<circle cx="{px:.1f}" cy="{py:.1f}" r="{3.6 if c else 2.2}" fill="{POSITIVE if c else NEGATIVE}"/>'


def frame(title, panel):
    x, y = place(0, 1, panel)
    return (f'<rect x="{x}" y="{y}" width="{SIZE}" height="{SIZE}" fill="none" stroke="#999"/>'
            f'<text x="{x + SIZE / 2}" y="16" text-anchor="middle">{title}</text>')


def svg(path, panels, parts):
    width, height = panels * (SIZE + GAP) - GAP, SIZE + 26
    with open(path, "w") as f:
        f.write(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="-2 0 {width + 4} {height}" width="{width + 4}" height="{height}" '
                'font-family="sans-serif" font-size="13"><rect x="-2" width="100%" height="100%" fill="white"/>' + "\n".join(parts) + "</svg>\n")


def regions(scarce, work, rows, spec, panel):
    """Cells of the grid that are alerted, a run of a line as one rectangle."""
    model = os.path.join(work, "model")
    run(scarce, "train", os.path.join(work, "t.csv"), "--method", spec, "-o", model)
    lines = run(scarce, "score", model, os.path.join(work, "grid.csv")).splitlines()[1:]
    alert = [line.split(",")[3] == "1" for line in lines]
    for j in range(GRID):
        i = 0
        while i < GRID:
            if not alert[j * GRID + i]:
                i += 1
                continue
            first = i
            while i < GRID and alert[j * GRID + i]:
                i += 1
            x, y = place(first / GRID, (j + 1) / GRID, panel)
            yield f'<rect x="{x:.2f}" y="{y:.2f}" width="{(i - first) * SIZE / GRID:.2f}" height="{SIZE / GRID + 0.3:.2f}" fill="{REGION}"/>'


def ellipses(scarce, work, rows, panel):
    """Points as near as the radius under the metric: x factor (u, v) of squared distances, drawn around the positives."""
    model = os.path.join(work, "model")
    run(scarce, "train", os.path.join(work, "t.csv"), "--method", "mlfp:scale=none:mu=0.0003:c=1:k=5:gamma=1", "-o", model)
    factor = {s["feature"]: s["factor"] for s in json.loads(run(scarce, "show", model, "--format", "json"))["stretch"]}
    u, v = max(factor.get("x", 0), 0.02), max(factor.get("y", 0), 0.02)
    radius = 0.03
    for x, y, c in rows:
        px, py = place(x, y, panel)
        if c:
            yield (f'<ellipse cx="{px:.1f}" cy="{py:.1f}" rx="{radius / u ** 0.5 * SIZE:.1f}" ry="{radius / v ** 0.5 * SIZE:.1f}" fill="{POSITIVE}" '
                   'fill-opacity="0.12" stroke="#cc3311"/>')
    print(f"mlfp: factor {u:.3f} of x, {v:.3f} of y")


def main():
    scarce, here, rows = sys.argv[1], os.path.dirname(os.path.abspath(__file__)), points()
    with tempfile.TemporaryDirectory() as work:
        write(os.path.join(work, "t.csv"), rows)
        write(os.path.join(work, "grid.csv"), [((i + 0.5) / GRID, (j + 0.5) / GRID, (i + j) % 2) for j in range(GRID) for i in range(GRID)])
        parts = []
        for panel, gamma in enumerate((1, 0.7, 0.4)):
            parts += regions(scarce, work, rows, f"gamma-knn:k=3:scale=none:gamma={gamma}", panel)
            parts += dots(rows, panel)
            parts.append(frame(f"gamma = {gamma}", panel))
        svg(os.path.join(here, "gamma.svg"), 3, parts)
        clip = f'<clipPath id="c"><rect x="{SIZE + GAP}" y="24" width="{SIZE}" height="{SIZE}"/></clipPath>'
        parts = list(regions(scarce, work, rows, "knn:k=3:scale=none", 0)) + list(dots(rows, 0)) + [frame("3-NN", 0), clip, '<g clip-path="url(#c)">']
        parts += list(ellipses(scarce, work, rows, 1)) + ["</g>"] + list(dots(rows, 1)) + [frame("equal distance under MLFP", 1)]
        parts += list(regions(scarce, work, rows, "mlfp:scale=none:mu=0.0003:c=1:k=5:gamma=1", 2)) + list(dots(rows, 2)) + [frame("MLFP, then 3-NN", 2)]
        svg(os.path.join(here, "mlfp.svg"), 3, parts)


main()
