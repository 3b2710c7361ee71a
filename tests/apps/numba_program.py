"""Runs numba's compiled loops on its OpenMP threading layer (omppool), in the ways in which Python
programs do.

    numba_program.py once FILE          everything once; the results go to FILE
    numba_program.py everywhere FILE    the same in the process, and in processes made by spawn and by
                                        fork, before the first region; all of them must agree
    numba_program.py forked             what numba does in a child of fork after a region ran
    numba_program.py compare A B        are the results of two runs the same, bit by bit?
    numba_program.py time               seconds for a round of work, after one to warm up

The number of threads is NUMBA_NUM_THREADS.
"""
import multiprocessing
import os
import sys
import time

import numba
import numpy
from numba import njit, prange

numba.config.THREADING_LAYER = "omp"


@njit(parallel=True)
def row_sums(a):
    out = numpy.empty(a.shape[0])
    for i in prange(a.shape[0]):
        total = 0.0
        for j in range(a.shape[1]):
            total += numpy.sqrt(a[i, j] * a[i, j] + 1.0)
        out[i] = total
    return out


@njit(parallel=True)
def counted(n):
    count = 0
    for i in prange(n):
        if i * i % 7 < 3:
            count += 1
    return count


@njit(parallel=True)
def expression(a, b):
    return numpy.sin(a) * b + numpy.exp(-a * a)


@njit(parallel=True)
def triangle(n):
    out = numpy.zeros(n, numpy.int64)
    for i in prange(n):
        for j in range(i):
            out[i] += j ^ i
    return out


def everything(_=None):
    random = numpy.random.default_rng(5)
    a, b = random.normal(size=(400, 500)), random.normal(size=(400, 500))
    results = {"rows": row_sums(a), "count": numpy.array(counted(100_000)),
               "expression": expression(a, b), "triangle": triangle(2000)}
    if numba.threading_layer() != "omp":
        sys.exit("not numba's OpenMP layer: " + numba.threading_layer())
    return results


def disagreement(one, other):
    if sorted(one) != sorted(other):
        return "the list of results"
    return next((name for name in one if one[name].tobytes() != other[name].tobytes()), None)


def everywhere():
    with multiprocessing.get_context("fork").Pool(2) as forked:
        children = forked.map(everything, range(3), 1)
    expected = everything()
    with multiprocessing.get_context("spawn").Pool(1) as spawned:
        children += spawned.map(everything, [0])
    for result in [*children, everything()]:
        difference = disagreement(expected, result)
        if difference:
            sys.exit(difference + " differs between processes")
    print(len(children), "children agree")
    return expected


def forked():
    everything()
    child = os.fork()
    if child == 0:
        everything()
        os._exit(0)
    print("a child of fork ends with the status", os.waitpid(child, 0)[1])


def seconds():
    everything()
    begin = time.monotonic()
    for _ in range(30):
        everything()
    return time.monotonic() - begin


def main():
    command, files = sys.argv[1], sys.argv[2:]
    if command == "time":
        print(seconds())
    elif command == "forked":
        forked()
    elif command == "compare":
        one, other = ({**numpy.load(file)} for file in files)
        sys.exit(disagreement(one, other))
    else:
        numpy.savez(files[0], **(everything() if command == "once" else everywhere()))


if __name__ == "__main__":
    main()
