"""What was counted, as tables on the terminal and a page with curves over threads."""
import html
import math

from metering import measure
from parts.peers import XYLEM
from parts.report import COLOURS

CASES = ["barrier", "region", "region_of_2", "loop_dynamic", "loop_guided", "reduction", "single", "critical",
         "ordered", "task_taskwait", "task_barrier", "one_producer", "nested", "grid", "idle",
         "pair_of_sleepers"]
# Lines per operation and thread that Xylem is to move at most, at any number of threads, and what it
# keeps to so far; docs/scale.md says what is in between.
WANTED = {"barrier": 2.5, "region": 7, "loop_dynamic": 7, "task_taskwait": 1, "nested": 5, "idle": 0.01}
KEPT = {"barrier": 2.7, "region": 9, "loop_dynamic": 9, "loop_guided": 8, "single": 4.2, "task_barrier": 25, "nested": 5, "idle": 0.02}
# Lines that a region of two moves in all, while the other threads sleep: none of them is theirs.
PAIR_WANTED, PAIR_KEPT = 16, 24


def figures(seen):
    return {"lines": round(seen.per_thread(), 3), "reads": round(seen.reads(), 3),
            "across": round(seen.across(), 2), "chain": round(seen.chain, 1), "futex": round(seen.futex_calls, 2)}


def names_of(results):
    return list(dict.fromkeys(name for _, _, name in results))


def lines_of(results):
    return list(dict.fromkeys((case, threads) for case, threads, _ in results))


def shown(seen):
    return f"{seen.per_thread():.2f}" if seen else "-"


def best_peer(results, case, threads):
    """(lines moved, name) of the peer that moves least; None without peers."""
    return min(((seen.per_thread(), name) for (c, t, name), seen in results.items()
                if (c, t) == (case, threads) and name != XYLEM), default=None)


def print_table(results):
    names = names_of(results)
    print(f"\n{'lines moved per operation and thread':<38}" + "".join(f"{name:>10}" for name in names) +
          f"{'chain':>9}{'across':>9}{'ratio':>8}  best peer")
    for case, threads in lines_of(results):
        own, best = results.get((case, threads, XYLEM)), best_peer(results, case, threads)
        values = "".join(f"{shown(results.get((case, threads, name))):>10}" for name in names)
        more = f"{own.chain:>9.1f}{own.across():>9.2f}" if own else f"{'-':>9}{'-':>9}"
        ratio = f"{own.per_thread() / best[0]:>8.2f}  {best[1]}" if own and best and best[0] else f"{'-':>8}"
        print(f"{case + f' of {threads} threads':<38}{values}{more}{ratio}")


def chain_limit(threads, nodes):
    """Of a barrier: half as much again as up and down two binary trees."""
    return 1.5 * (2 * math.log2(nodes) + 2 * math.log2(threads / nodes))


def figures_with_limits(case, threads, seen, nodes):
    """(word, figure, wanted, kept); None: no limit."""
    yield "lines", seen.per_thread(), WANTED.get(case), KEPT.get(case)
    if case == "pair_of_sleepers":
        yield "lines in all", seen.per_thread() * threads, PAIR_WANTED, PAIR_KEPT
    if case == "barrier":
        limit = chain_limit(threads, nodes)
        # Four threads take turns on one line; the least of three rounds differs by 0.2 with sixteen, which reach 12.
        yield "chain", seen.chain, limit, max(limit + 0.3, 9)
        if nodes > 1:
            yield "lines across, a node", seen.across() / nodes, 1.5, 2


def print_limits(results, nodes):
    """True if Xylem keeps to what it has reached."""
    good = True
    for (case, threads, name), seen in results.items():
        if name != XYLEM:
            continue
        for word, value, wanted, kept in figures_with_limits(case, threads, seen, nodes):
            over = kept is not None and value > kept
            good &= not over
            if over or (wanted is not None and value > wanted):
                print(f"{case} of {threads} threads, {word}: {value:.2f}; wanted {wanted or '-'}, kept so far "
                      f"{kept or '-'}{': WORSE' if over else ''}")
    return good


def print_where(seen, title, most):
    print(f"\n{title}: {seen.per_thread():.2f} lines, {seen.reads():.2f} of them read")
    by_instruction = seen.by(lambda count: count.instruction)[:most]
    by_line = seen.by(lambda count: (count.line, count.maker))[:most]
    frames = measure.places_of(seen, [key for key, _ in by_instruction] + [key[1] for key, _ in by_line])
    for key, value in by_instruction:
        print(f"{value:>9.3f}  at {measure.own_code(frames.get(key, []))}")
    for key, value in by_line:
        print(f"{value:>9.3f}  line {key[0]:x}, first touched at {measure.own_code(frames.get(key[1], []))}")


# --- the page ------------------------------------------------------------------------------------

WIDTH, HEIGHT, LEFT = 420, 200, 50


def curve(case, results):
    """Lines moved over threads, both on log axes."""
    points = {name: [(t, max(seen.per_thread(), 0.01)) for (c, t, n), seen in results.items() if (c, n) == (case, name)]
              for name in names_of(results)}
    values = [value for row in points.values() for _, value in row]
    threads = sorted({t for row in points.values() for t, _ in row})
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)) + 1e-9)

    def x(t):
        return LEFT + (WIDTH - LEFT - 10) * math.log2(t / threads[0]) / max(math.log2(threads[-1] / threads[0]), 1)

    def y(value):
        return 10 + (HEIGHT - 40) * (1 - (math.log10(value) - low) / max(high - low, 1))

    parts = [f'<svg width="{WIDTH}" height="{HEIGHT}">']
    for power in range(low, high + 1):
        parts.append(f'<line x1="{LEFT}" x2="{WIDTH}" y1="{y(10.0 ** power):.0f}" y2="{y(10.0 ** power):.0f}" stroke="#ddd"/>'
                     f'<text x="0" y="{y(10.0 ** power) + 4:.0f}">{10.0 ** power:g}</text>')
    parts += [f'<text x="{x(t):.0f}" y="{HEIGHT - 8}" text-anchor="middle">{t}</text>' for t in threads]
    for name, row in points.items():
        colour = COLOURS.get(name, "#555")
        path = " ".join(f"{x(t):.1f},{y(value):.1f}" for t, value in sorted(row))
        parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts += [f'<circle cx="{x(t):.1f}" cy="{y(value):.1f}" r="3" fill="{colour}"><title>{html.escape(name)}, {t}: '
                  f'{value:.2f}</title></circle>' for t, value in row]
    return "".join(parts) + "</svg>"


def write_page(path, results):
    key = "".join(f'<span style="color:{COLOURS.get(name, "#555")}">&#9679; {html.escape(name)}</span> '
                  for name in names_of(results))
    cases = dict.fromkeys(case for case, _, _ in results)
    body = "".join(f"<h2>{html.escape(case)}</h2>{curve(case, results)}" for case in cases)
    path.write_text("<!doctype html><meta charset=utf-8><title>Cache lines moved</title><style>body{font:14px sans-serif;"
                    "margin:2em}text{font:12px sans-serif}</style><h1>Cache lines moved per operation and thread</h1>"
                    f"<p>Over threads; both axes are logarithmic.</p><p>{key}</p>{body}\n", encoding="utf-8")
