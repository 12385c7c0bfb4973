#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""look.py FOLDER PAGE...: shows pages in a headless browser and looks at them. Pictures stay in FOLDER when it
is given ('' throws them away). Only the standard library."""
import html
import json
import os
import re
import struct
import subprocess
import sys
import tempfile
import zlib

# Inside a page; NAME is put in front of it.
PROBE = """window.addEventListener('error', function (e) { window.failed = e.message });
window.addEventListener('load', function () {
  var bad = [], width = document.documentElement.clientWidth;
  if (document.documentElement.scrollWidth > width) bad.push('page is ' + document.documentElement.scrollWidth + ' wide');
  document.querySelectorAll('.plot').forEach(function (plot) {
    var title = plot.querySelector('svg').getAttribute('aria-label'), box = plot.getBoundingClientRect();
    if (box.width < 150 || box.height < 40) bad.push(title + ': plot of ' + box.width + ' x ' + box.height);
    var drawn = 0;
    plot.querySelectorAll('.data path').forEach(function (p) {
      var b = p.getBoundingClientRect();
      if (b.width > 1 || b.height > 1) drawn++;
    });
    if (!drawn) bad.push(title + ': nothing drawn');
    plot.querySelectorAll('text').forEach(function (t) {
      var b = t.getBoundingClientRect();
      if (b.width && (b.left < -1 || b.right > width + 1)) bad.push(title + ': "' + t.textContent + '" sticks out');
    });
    var ends = {};
    plot.querySelectorAll('text.tx').forEach(function (t) {
      var b = t.getBoundingClientRect(), row = Math.round(b.top);
      if (!b.width) return;
      if (ends[row] !== undefined && b.left < ends[row] - 0.5) bad.push(title + ': "' + t.textContent + '" overlaps');
      ends[row] = b.right;
    });
    if (plot.matches('.xy,.cols,.heat')) {
      var seen = false;
      for (var f = 0.05; f < 1 && !seen; f += 0.15) {
        plot.dispatchEvent(new PointerEvent('pointermove', {clientX: box.left + box.width * f,
                                                            clientY: box.top + box.height / 2, bubbles: true}));
        var tip = plot.querySelector('.tip');
        seen = tip && !tip.hidden && /\\d|n\\/a/.test(tip.textContent) && !/NaN|undefined/.test(tip.textContent);
      }
      if (!seen) bad.push(title + ': no value under the pointer');
      if (document.documentElement.scrollWidth > width) bad.push(title + ': the box of values sticks out');
      plot.dispatchEvent(new PointerEvent('pointerleave'));
    }
  });
  if (window.failed) bad.push('script: ' + window.failed);
  parent.postMessage({name: NAME, bad: bad, plots: document.querySelectorAll('.plot').length, width: width}, '*');
});
"""

# Around the pages: each in a frame of its width (windows have a least width, frames have none).
AROUND = """<!DOCTYPE html><meta charset="utf-8"><body>%s<pre id="verdicts"></pre><script>
var all = [];
window.addEventListener('message', function (e) {
  all.push(e.data);
  document.getElementById('verdicts').textContent = JSON.stringify(all);
});
</script></body>"""


def browse(page, width, height, scheme, *more):
    """Runs the browser once; its standard output."""
    command = [os.environ["BROWSER"], "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
               "--disable-background-networking", "--user-data-dir=" + os.path.join(work, "profile"),
               "--blink-settings=preferredColorScheme=" + ("0" if scheme == "dark" else "1"),
               "--window-size=%d,%d" % (width, height), *more, "file://" + page]
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=120).stdout


def pixels(path):
    """Width, height, bytes per pixel and the first rows of a PNG of 8 bits without interlace."""
    data = open(path, "rb").read()
    assert data[:8] == b"\x89PNG\r\n\x1a\n", "no PNG"
    at, packed = 8, b""
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + size]
        at += size + 12
        if kind == b"IHDR":
            width, height, depth, colour = struct.unpack(">IIBB", body[:10])
            assert depth == 8 and colour in (2, 6), "unexpected PNG"
        elif kind == b"IDAT":
            packed += body
    step = 3 if colour == 2 else 4
    raw, stride, above, rows = zlib.decompress(packed), width * step, bytes(width * step), []
    for y in range(min(height, 500)):
        kind, line = raw[y * (stride + 1)], bytearray(raw[y * (stride + 1) + 1:(y + 1) * (stride + 1)])
        for i in range(stride if kind else 0):
            a = line[i - step] if i >= step else 0
            b, c = above[i], above[i - step] if i >= step else 0
            if kind == 1:
                line[i] = line[i] + a & 255
            elif kind == 2:
                line[i] = line[i] + b & 255
            elif kind == 3:
                line[i] = line[i] + (a + b) // 2 & 255
            else:
                p = a + b - c
                near = min((abs(p - a), 0, a), (abs(p - b), 1, b), (abs(p - c), 2, c))[2]
                line[i] = line[i] + near & 255
        rows.append(bytes(line))
        above = rows[-1]
    return width, height, step, rows


def check_picture(path, width, scheme):
    """What is wrong with a screenshot, or None."""
    w, h, step, rows = pixels(path)
    if w != width:
        return "%d wide, asked for %d" % (w, width)
    colours = set()
    for row in rows[::7]:
        colours.update(row[i:i + 3] for i in range(0, len(row), 7 * step))
    if len(colours) < 12:
        return "only %d colours: blank?" % len(colours)
    corner = sum(rows[2][2 * step:2 * step + 3]) / 3
    if (corner < 100) != (scheme == "dark"):
        return "ground of brightness %d is not %s" % (corner, scheme)
    return None


def probe_all(pages):
    """Every page at both widths; what is wrong, as lines."""
    frames, wrong = "", []
    for page in pages:
        text = open(page, encoding="utf-8").read()
        for width in (380, 1280):
            name = "%s at %d" % (os.path.basename(page)[:-5], width)
            probed = os.path.join(work, name.replace(" ", "-") + ".html")
            with open(probed, "w", encoding="utf-8") as f:
                f.write(text.replace("</body>", "<script>var NAME = %s;\n%s</script></body>" % (json.dumps(name), PROBE)))
            frames += '<iframe src="%s" width="%d" height="900" style="border:0"></iframe>\n' % (
                os.path.basename(probed), width)
    around = os.path.join(work, "around.html")
    with open(around, "w", encoding="utf-8") as f:
        f.write(AROUND % frames)
    verdicts = []
    for _ in range(3):  # on a busy machine a frame may not be ready within the browser's own time
        dom = browse(around, 1400, 1000, "light", "--virtual-time-budget=20000", "--dump-dom").decode("utf-8", "replace")
        found = re.search(r'<pre id="verdicts">(.*?)</pre>', dom, re.S)
        verdicts = json.loads(html.unescape(found.group(1)) or "[]") if found else []
        if len(verdicts) == 2 * len(pages):
            break
    if len(verdicts) != 2 * len(pages):
        wrong.append("%d verdicts on %d pages at two widths" % (len(verdicts), len(pages)))
    for v in verdicts:
        wrong += ["%s: %s" % (v["name"], bad) for bad in v["bad"]]
        if v["plots"] < 2:
            wrong.append("%s: only %d charts" % (v["name"], v["plots"]))
        if not v["name"].endswith(" %d" % v["width"]):
            wrong.append("%s: shown %d wide" % (v["name"], v["width"]))
    return wrong


def picture_all(pages, folder):
    """Pictures of one page, which will do (the style is the same), or of all for people to look at."""
    wrong = []
    for page in pages:
        name = os.path.basename(page)[:-5]
        if name != "eval" and not folder:
            continue
        for width in (380, 1280):
            for scheme in ("light", "dark"):
                picture = os.path.join(folder or work, "%s-%d-%s.png" % (name, width, scheme))
                browse(os.path.abspath(page), width, 6000 if folder else 1200, scheme, "--screenshot=" + picture)
                bad = check_picture(picture, width, scheme) if os.path.exists(picture) else "no picture"
                if bad:
                    wrong.append("%s, %d, %s: %s" % (name, width, scheme, bad))
    return wrong


def main():
    folder, pages = sys.argv[1], sys.argv[2:]
    wrong = probe_all(pages) + picture_all(pages, folder)
    for line in wrong:
        print(line)
    print("looked at %d pages" % len(pages))
    return len(wrong) > 0


with tempfile.TemporaryDirectory() as work:
    code = main()
sys.exit(code)
