"""What was measured, as a table on the terminal, one HTML page, and a line of history."""
import html
import json
import math
import pathlib
import subprocess
import time

from parts.peers import XYLEM


def in_group(results, group):
    return {line: row for line, row in results.items() if line.group == group}


def groups_of(results):
    return dict.fromkeys(line.group for line in results)


def peers_of(results):
    """The names of all but Xylem that have a time in any of the lines."""
    return [name for name in dict.fromkeys(name for row in results.values() for name in row)
            if name != XYLEM]


def best_peer(row):
    """(name, median) of the fastest peer, or (None, None)."""
    medians = [(result.median(), name) for name, result in row.items()
               if name != XYLEM and result.median()]
    return (min(medians)[1], min(medians)[0]) if medians else (None, None)


def ratio(row, against=None):
    """Xylem's median by that of a peer, by default the fastest; None without both."""
    mine = row[XYLEM].median()
    other = best_peer(row)[1] if against is None else (
        row[against].median() if against in row else None)
    return mine / other if mine and other else None


def geometric_mean(values):
    return math.exp(sum(map(math.log, values)) / len(values)) if values else None


def shown_ns(value):
    """In three figures, and the unit in which they are below 1000 when rounded, where there is one."""
    if value is None:
        return "-"
    for size, unit in ((1, "ns"), (1e3, "us"), (1e6, "ms")):
        rounded = float(f"{value / size:.3g}")
        if rounded < 1000:
            return f"{rounded:.3g} {unit}"
    seconds = value / 1e9
    return f"{seconds:.3g} s" if seconds < 999.5 else f"{seconds:.0f} s"


def shown(value, unit):
    if unit == "ns" or value is None:
        return shown_ns(value)
    if unit == "ratio":
        return f"{value:.3f}"
    if unit == "percent":
        return f"{value:.3f} %"
    for limit, prefix in ((1 << 10, ""), (1 << 20, "Ki"), (1 << 30, "Mi")):
        if value < limit:
            return f"{value * 1024 / limit:.4g} {prefix}B"
    return f"{value / (1 << 30):.4g} GiB"


def judge(target, results, best_word):
    """(what the target limits or None, of how many lines) for the lines that it covers."""
    rows = [row for line, row in results.items() if target.covers(line)]
    if target.against is None:
        medians = [row[XYLEM].median() for row in rows if row[XYLEM].median() is not None]
        return max(medians, default=None), len(medians)
    against = None if target.against == best_word else target.against
    known = [value for value in (ratio(row, against) for row in rows) if value]
    return max(known, default=None) if target.worst else geometric_mean(known), len(known)


def print_group(group, results):
    peers = peers_of(results)
    print(f"\n{group:<44}{XYLEM:>9}" + "".join(f"{name:>10}" for name in peers) +
          f"{'ratio':>9}  best peer")
    for line, row in results.items():
        values = "".join(f"{shown(row[name].median(), line.unit) if name in row else '-':>10}"
                         for name in peers)
        of_best = ratio(row)
        print(f"{line.name():<44}{shown(row[XYLEM].median(), line.unit):>9}{values}" +
              (f"{of_best:>9.3g}" if of_best else f"{'-':>9}") + f"  {best_peer(row)[0] or '-'}")


def print_lines(results):
    for group in groups_of(results):
        print_group(group, in_group(results, group))
    for line, row in results.items():
        for name, result in row.items():
            if result.failure:
                print(f"{name} failed at {line.name()}: {result.failure}")


def limit_and_seen(target, seen, results):
    if target.against is not None:
        return f"{target.limit:>10.3f}{seen:>10.3f}"
    unit = next(line.unit for line in results if target.covers(line))
    return f"{shown(target.limit, unit):>10}{shown(seen, unit):>10}"


def print_targets(targets, results, best_word):
    """True if all that could be judged were met."""
    judged = [(target, *judge(target, results, best_word)) for target in targets]
    judged = [row for row in judged if row[1] is not None]
    if not judged:
        return True
    print(f"\n{'target (geometric mean of ratios, or itself)':<48}{'against':<15}{'limit':>10}"
          f"{'seen':>10}{'lines':>7}")
    met = True
    for target, seen, count in judged:
        word = "" if seen <= target.limit else "  missed"
        met &= not word
        print(f"{target.name:<48}{target.against or '-':<15}{limit_and_seen(target, seen, results)}"
              f"{count:>7}{word}")
    return met


def commit():
    """That of the bench's own sources, or "" where it is installed."""
    try:
        return subprocess.run(["git", "rev-parse", "--short", "HEAD"], text=True, check=False,
                              cwd=pathlib.Path(__file__).parent, capture_output=True).stdout.strip()
    except FileNotFoundError:
        return ""


def append_history(path, compiler, results):
    record = {"time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()), "commit": commit(),
              "compiler": compiler,
              "lines": {f"{line.group}: {line.name()}": {
                  name: result.median() for name, result in row.items()}
                  for line, row in results.items()}}
    with open(path, "a", encoding="utf-8") as history:
        history.write(json.dumps(record) + "\n")


# --- the page ------------------------------------------------------------------------------------

COLOURS = {XYLEM: "#0a7d33", "libgomp": "#c0392b", "libomp": "#2471a3", "libiomp5": "#8e44ad",
           "NPTL": "#b9770e"}
ROW, LEFT, WIDTH = 18, 300, 620
STYLE = """body{font:14px sans-serif;margin:2em;max-width:1000px}text{font:12px sans-serif}
.key span{margin-right:1.5em}"""


def place(value, low, high):
    return LEFT + WIDTH * (math.log10(value) - low) / max(high - low, 1e-9)


def plot(rows):
    """One row for each line, a dot for each runtime, by its ratio to the best peer, on a log axis."""
    dots = {}
    for line, row in rows.items():
        best = best_peer(row)[1]
        if best:
            dots[line] = {name: result.median() / best for name, result in row.items()
                          if result.median()}
    values = [value for row in dots.values() for value in row.values()]
    if not values:
        return "<p>Nothing was measured.</p>"
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    height = ROW * (len(dots) + 2)
    parts = [f'<svg width="{LEFT + WIDTH + 40}" height="{height}">']
    for power in range(low, high + 1):
        x = place(10.0 ** power, low, high)
        parts.append(f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{ROW}" y2="{height}" '
                     f'stroke="{"#888" if power == 0 else "#ddd"}"/>'
                     f'<text x="{x:.1f}" y="12" text-anchor="middle">{10.0 ** power:g}</text>')
    for at, (line, row) in enumerate(dots.items()):
        y = ROW * (at + 1.5)
        parts.append(f'<text x="0" y="{y + 4:.0f}">{html.escape(line.name())}</text>')
        for name, value in row.items():
            parts.append(f'<circle cx="{place(value, low, high):.1f}" cy="{y:.0f}" r="4" '
                         f'fill="{COLOURS.get(name, "#555")}"><title>{html.escape(name)}: '
                         f'{shown(rows[line][name].median(), line.unit)}, {value:.3g}</title></circle>')
    return "".join(parts) + "</svg>"


def write_page(path, compiler, results):
    key = "".join(f'<span style="color:{COLOURS.get(name, "#555")}">&#9679; {html.escape(name)}</span>'
                  for name in [XYLEM, *peers_of(results)])
    body = [f"<h1>OpenMP runtimes side by side</h1><p>Programs built by {compiler}. What each line takes by what the best peer takes: "
            f"left of 1 is less. Medians. Point at a dot for its value.</p><p class=key>{key}</p>"]
    for group in groups_of(results):
        body.append(f"<h2>{html.escape(group)}</h2>{plot(in_group(results, group))}")
    path.write_text(f"<!doctype html><meta charset=utf-8><title>Xylem bench</title>"
                    f"<style>{STYLE}</style>{''.join(body)}\n", encoding="utf-8")
