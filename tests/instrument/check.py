"""check.py PROGRAM LIBRARY-FOLDER: runs blocks.c's program on Xylem and compares who accessed which page."""
import os
import subprocess
import sys
import tempfile
from pathlib import Path

THREADS, PAGES, WORDS = 4, 3, 512


def counts(path):
    lines = path.read_text().splitlines()
    assert lines[:2] == ["xylem counts 1", "rows pages_by_threads"], lines[:2]
    assert lines[2] == f"nodes {THREADS}", lines[2]
    return {tuple(map(int, line.split()[:2])): tuple(map(int, line.split()[2:]))
            for line in lines[5:-1]}


def expected():
    """By page of the array and thread: reads and writes."""
    made = {}
    for thread in range(THREADS):
        for page in range(PAGES):
            made[thread * PAGES + page, thread] = (0, WORDS)
        next_block = (thread + 1) % THREADS * PAGES
        made[next_block, thread] = (2 * WORDS, 0)
    return made


def main():
    program, libraries = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "accesses"
        done = subprocess.run([program], text=True, capture_output=True, timeout=50, env={
            **os.environ, "LD_LIBRARY_PATH": libraries, "XYLEM_ACCESSES": str(file)})
        assert done.returncode == 0, (done.returncode, done.stderr)
        first = int(done.stdout)
        seen = {(page - first, thread): count for (page, thread), count in counts(file).items()
                if 0 <= page - first <= THREADS * PAGES}
        atomic = {key: seen.pop(key) for key in list(seen) if key[0] == THREADS * PAGES}
        assert seen == expected(), (seen, expected())
        # Where atomic operations are told as such, each is a read and a write.
        if "clang_loads" not in program:
            extra = atomic.pop((THREADS * PAGES, 0))  # main()'s last look at it
            assert extra == (11, 10), extra
            assert atomic == {(THREADS * PAGES, thread): (10, 10) for thread in (1, 2, 3)}, atomic
        # Without the variable there is no file; where it cannot be written, a line says so.
        silent = subprocess.run([program], text=True, capture_output=True, timeout=50, env={
            **os.environ, "LD_LIBRARY_PATH": libraries})
        assert silent.returncode == 0 and silent.stderr == "", silent.stderr
        refused = subprocess.run([program], text=True, capture_output=True, timeout=50, env={
            **os.environ, "LD_LIBRARY_PATH": libraries, "XYLEM_ACCESSES": folder})
        assert refused.returncode == 0 and "cannot be written" in refused.stderr, refused.stderr


main()
