"""threads.py BUILD-FOLDER: the law table, docs/threads.md, is whole and true to the tests.

Every row names tests that ctest has in the build folder, and one of the three verdicts; what does not
simply hold says why; what cannot hold says how to get kernel threads; no subject is missing.
"""
import re
import subprocess
import sys
from pathlib import Path

VERDICTS = ("holds", "holds in a stated way", "cannot hold")
HEAD = ["What", "Verdict", "Test", "How, or why not"]
TEST = re.compile(r"^[a-z]+\.[\w.]+$")
WAY_OUT = ("XYLEM_TLS=thread", "omp cancel", "as cancelling")
# What POSIX, Linux, glibc, C11 and C++ give a thread; each stands in some row's first column.
SUBJECTS = """
pthread_self gettid thrd_current get_id local-exec initial-exec local-dynamic global-dynamic dlopen
dlclose destructors keys errno locale strtok exceptions uncaught_exceptions call_once normal adaptive
error-checking recursive robust priority-inheriting rwlock condition semaphore barrier mask
sigaltstack pthread_kill sigwait timers affinity class nice cgroup clock rusage credentials
capabilities seccomp floating-point rounding AVX cancellation pthread_exit atexit quick_exit limits
guard pthread_getattr_np fork vfork posix_spawn system popen exec ptrace gdb perf core malloc spin
timed flockfile namespaces syscall yield sigwait faults
""".split()


def rows(text):
    """(line, cells) of each row of the law's tables."""
    inside = False
    for number, line in enumerate(text.split("\n"), start=1):
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")] if line.startswith("|") else []
        if cells == HEAD:
            inside = True
        elif not cells:
            inside = False
        elif inside and not set(line) <= set("|- "):
            yield number, cells


def problems_of(text, tests):
    """Each broken rule of the table's text; `tests` are the names that ctest has."""
    found, seen = [], ""
    for number, cells in rows(text):
        where = f"docs/threads.md:{number}"
        if len(cells) != len(HEAD):
            found.append(f"{where}: {len(cells)} cells in a row")
            continue
        found += [f"{where}: {problem}" for problem in of_row(*cells, tests)]
        seen += " " + cells[0]
    words = set(re.findall(r"[\w-]+", seen))
    found += [f"docs/threads.md: no row for {subject}" for subject in SUBJECTS if subject not in words]
    return found


def of_row(what, verdict, names, how, tests):
    if not what:
        yield "a row for nothing"
    if verdict not in VERDICTS:
        yield f"no verdict is called {verdict!r}"
    for name in (part.strip() for part in names.split(",")):
        if not TEST.match(name):
            yield f"{name!r} is no test's name"
        elif name not in tests:
            yield f"there is no test {name}"
    if verdict in VERDICTS[1:] and not how:
        yield f"{verdict}, and not a word how"
    if verdict == "cannot hold" and not any(way in how for way in WAY_OUT):
        yield "cannot hold, and no way out"


def tests_of(build):
    shown = subprocess.run(["ctest", "--test-dir", build, "-N"], capture_output=True, text=True, check=True)
    return set(re.findall(r"Test +#\d+: (\S+)", shown.stdout))


def main():
    root = Path(__file__).resolve().parents[2]
    text = (root / "docs" / "threads.md").read_text()
    found = problems_of(text, tests_of(sys.argv[1]))
    for problem in found:
        print(f"PROBLEM {problem}")
    print(f"{len(list(rows(text)))} rows")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
