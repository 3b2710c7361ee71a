"""Fits k-means with scikit-learn in the process, then in the workers of a multiprocessing pool.

The pool forks, and a region has run before. libgomp's threads are not in a child, and it waits for
them there for ever; on Xylem the children go on:

    pip install scikit-learn
    xylem bench --limit 30 --threads 2 -- python3 examples/forked/kmeans.py
"""
import multiprocessing

import numpy
from sklearn.cluster import KMeans


def inertia(seed):
    points = numpy.random.default_rng(1).normal(size=(20000, 10))
    return KMeans(8, n_init=1, max_iter=20, random_state=seed).fit(points).inertia_


def main():
    here = inertia(0)
    with multiprocessing.get_context("fork").Pool(3) as pool:
        children = pool.map(inertia, range(6), chunksize=1)
    print(f"in the process {here:.2f}, in the children {children[0]:.2f}")


if __name__ == "__main__":
    main()
