"""What the harness prints: progress, the table, the list of differences."""
import dataclasses
import re
import sys
import threading

KNOWN = re.compile(r"^\| `([^`]+)` \| ([^|]+) \| [^|]+ \|$", re.MULTILINE)


@dataclasses.dataclass
class Outcome:
    """What became of a test on a runtime."""
    passed: bool
    reason: str = ""
    output: str = ""


def line(text):
    print(text, flush=True)


def known_differences(page):
    """{test: configurations} of the tables with three columns in docs/conformance.md."""
    if not page.exists():
        return {}
    return {name: {word.strip(" `") for word in where.split(",")} for name, where in KNOWN.findall(page.read_text())}


class Progress:
    """One line that counts, on a terminal; else a line at the end."""

    def __init__(self, title, total):
        self.title, self.total, self.done = title, total, 0
        self.lock = threading.Lock()

    def step(self):
        with self.lock:
            self.done += 1
            if sys.stdout.isatty():
                print(f"\r{self.title}: {self.done} of {self.total} ", end="", flush=True)

    def end(self):
        line(f"\r{self.title}: {self.total}        " if sys.stdout.isatty() else f"{self.title}: {self.total}")


@dataclasses.dataclass
class Row:
    """One configuration's results: tests passed on each runtime, and where they differ."""
    name: str
    rounds: int = 0
    stock_failed: set = dataclasses.field(default_factory=set)
    xylem_failed: dict = dataclasses.field(default_factory=dict)  # name -> outcomes that failed

    def add_round(self, names, on_stock, outcomes):
        self.rounds += 1
        for name, stock_passed, outcome in zip(names, on_stock, outcomes):
            if not stock_passed:
                self.stock_failed.add(name)
            if not outcome.passed:
                self.xylem_failed.setdefault(name, []).append(outcome)

    def differences(self):
        return {name: failed for name, failed in self.xylem_failed.items() if name not in self.stock_failed}


def _table(results):
    head = ("configuration", "executed", f"{results.stock} passes", "xylem passes", "differences", "rounds")
    executed = len(results.executed)
    cells = [head] + [
        (row.name, executed, executed - len(row.stock_failed), executed - len(row.xylem_failed),
         len(row.differences()), row.rounds) for row in results.rows]
    widths = [max(len(str(cell[column])) for cell in cells) for column in range(len(head))]
    for cell in cells:
        line("  ".join(str(value).ljust(width) if column == 0 else str(value).rjust(width)
                       for column, (value, width) in enumerate(zip(cell, widths))))


def _explain(row, known, options):
    """Prints a configuration's differences; answers the number of those not known."""
    new = 0
    for name, failed in sorted(row.differences().items()):
        is_known = known.get(name, set()) & {row.name, "all"}
        new += not is_known
        times = f" ({len(failed)} of {row.rounds} times)" if len(failed) < row.rounds else ""
        line(f"{'known' if is_known else 'DIFFERS'}: {row.name}: {name}: {failed[0].reason}{times}")
        if options.show:
            line("    " + "\n    ".join(failed[0].output.splitlines()[-60:]))
    return new


@dataclasses.dataclass
class Results:
    """All that a run found. `stock`: the other runtime's name; `others`: {why not executed: number}."""
    stock: str
    total: int
    executed: list  # names
    others: dict
    rows: list


def _write_files(folder, results):
    """results.tsv, a line for each test and configuration; differences.txt, with what the tests printed."""
    with open(folder / "results.tsv", "w") as file:
        file.write(f"configuration\ttest\t{results.stock}\txylem passes\trounds\twhy not\n")
        for row in results.rows:
            for name in results.executed:
                failed = row.xylem_failed.get(name, [])
                stock = "fails" if name in row.stock_failed else "passes"
                why = failed[0].reason if failed else ""
                file.write(f"{row.name}\t{name}\t{stock}\t{row.rounds - len(failed)}\t{row.rounds}\t{why}\n")
    with open(folder / "differences.txt", "w") as file:
        for row in results.rows:
            for name, failed in sorted(row.differences().items()):
                file.write(f"{row.name} {name}: {failed[0].reason}\n{failed[0].output}\n\n")


def write(options, results, known):
    """Prints the results. The exit code: 1 when there is a difference that is not known."""
    rows = results.rows
    line(f"\n{results.total} tests, {len(results.executed)} executed" +
         "".join(f"; {count} {reason}" for reason, count in sorted(results.others.items()) if count) + ".\n")
    _table(results)
    line("")
    for name in sorted(set().union(*(row.stock_failed for row in rows))):
        where = [row.name for row in rows if name in row.stock_failed]
        line(f"{results.stock} fails: {name} ({', '.join(where)})")
    new = sum(_explain(row, known, options) for row in rows)
    _write_files(options.work, results)
    line(f"{new} differences that are not known" if new else "No difference that is not known.")
    return 1 if new else 0
