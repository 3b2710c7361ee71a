"""cost.py FOLDER COMMAND ROUNDS: what the engines with the source `fault` cost at their default rate: the programs of
this folder with engines off and on in turns, on a synthetic machine of two nodes with a processor each. Prints the
medians of an iteration's time and the median of the ratios of neighbours."""
import os
import re
import statistics
import subprocess
import sys

FOLDER, COMMAND, ROUNDS = sys.argv[1], sys.argv[2], int(sys.argv[3])


def iteration_ms(program, arguments, engines):
    done = subprocess.run([COMMAND, "run", "-q", os.path.join(FOLDER, program), *arguments], text=True,
                          capture_output=True, check=True, env={
                              **os.environ, "XYLEM_MACHINE": "node:2 core:1 pu:1", "XYLEM_ENGINES": engines})
    return float(re.search(r"iteration_ms ([0-9.]+)", done.stderr).group(1))


for program, arguments in (("sources_jacobi", ("1200", "400")), ("sources_cg", ("200000", "400"))):
    off, on = [], []
    for _ in range(ROUNDS):
        off.append(iteration_ms(program, arguments, "off"))
        on.append(iteration_ms(program, arguments, "pages"))
    ratio = statistics.median(b / a for a, b in zip(off, on))
    print(f"{program}: off {statistics.median(off):.3f} ms, on {statistics.median(on):.3f} ms, ratio {ratio:.4f}")
