"""Fits models with scikit-learn, LightGBM and XGBoost, in the ways in which Python programs do.

    python_program.py once FILE            fits everything once and leaves the results in FILE
    python_program.py everywhere FILE      the same in the process, in Python threads, in processes
                                           made by fork after regions ran, and in spawned ones, partly
                                           at the same time; all of them must agree
    python_program.py compare A B          do the results of two runs agree?
    python_program.py spawn                fits everything in the process and in a spawned one
    python_program.py time                 seconds for a round of fits, after one to warm up
    python_program.py leave COUNT          so many times: a child of fork ends while a daemon thread
                                           of its own is inside parallel regions

The number of threads is OMP_NUM_THREADS.

Results agree when every byte is the same, except for the centres of k-means: there the threads add
their sums in the order in which they come to a lock. With more than two threads libgomp's runs differ
as well. The points are in the same clusters, so a centre is one mean, and its rounding is bounded:
for each thread one addition of sums, and one division.
"""
import concurrent.futures
import multiprocessing
import os
import sys
import threading
import time

import lightgbm
import numpy
import scipy.linalg
import xgboost
from sklearn.cluster import KMeans
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.metrics import pairwise_distances_argmin
from sklearn.neighbors import KNeighborsClassifier

THREADS = int(os.environ["OMP_NUM_THREADS"])
POINTS = 2000


def data():
    random = numpy.random.default_rng(1)
    x = random.normal(size=(POINTS, 10))
    y = x[:, 0] * x[:, 1] + numpy.sin(x[:, 2]) + 0.1 * random.normal(size=POINTS)
    return x, y


def lightgbm_predictions(x, y):
    parameters = {"objective": "regression", "num_threads": THREADS, "verbose": -1, "seed": 1,
                  "deterministic": True, "force_row_wise": True}
    model = lightgbm.train(parameters, lightgbm.Dataset(x, y), 15)
    return model.predict(x, num_threads=THREADS)


def xgboost_predictions(x, y, method):
    parameters = {"nthread": THREADS, "seed": 1, "tree_method": method, "max_depth": 5}
    matrix = xgboost.DMatrix(x, y, nthread=THREADS)
    return xgboost.train(parameters, matrix, 15).predict(matrix)


def fit_all(_=None):
    x, y = data()
    results = {}
    for algorithm in ("lloyd", "elkan"):
        means = KMeans(6, n_init=2, max_iter=20, random_state=3, algorithm=algorithm).fit(x)
        results[f"labels_{algorithm}"] = means.labels_
        results[f"centres_{algorithm}"] = means.cluster_centers_
    boosted = HistGradientBoostingRegressor(max_iter=15, random_state=1).fit(x, y)
    results["boosting"] = boosted.predict(x)
    results["nearest"] = pairwise_distances_argmin(x, x[:300])
    neighbours = KNeighborsClassifier(5, algorithm="brute").fit(x, y > 0)
    results["neighbours"] = neighbours.predict(x[:500])
    results["lightgbm"] = lightgbm_predictions(x, y)
    for method in ("hist", "exact"):
        results[f"xgboost_{method}"] = xgboost_predictions(x, y, method)
    results["numpy"] = numpy.linalg.svd(x[:150], compute_uv=False)
    results["scipy"] = scipy.linalg.eigvalsh(x.T @ x)
    return results


def disagreement(one, other):
    """What differs between two results, or None."""
    x, _ = data()
    if sorted(one) != sorted(other):
        return "not the same results"
    for name, value in one.items():
        if value.tobytes() == other[name].tobytes() and value.shape == other[name].shape:
            continue
        if not name.startswith("centres_"):
            return name
        rounding = 2 * (THREADS + 1) * numpy.finfo(float).eps * numpy.abs(x).max()
        far = numpy.abs(value - other[name]).max()
        if not far <= rounding:
            return f"{name}: apart by {far:.2e}, rounding explains {rounding:.2e}"
    return None


def require_agreement(where, expected, results):
    for result in results:
        difference = disagreement(expected, result)
        if difference:
            sys.exit(f"{where}: {difference}")
    print(f"{where}: {len(results)} agree")


def fit_everywhere():
    expected = fit_all()
    forked = multiprocessing.get_context("fork").Pool(3)
    pending = forked.map_async(fit_all, range(6), chunksize=1)
    require_agreement("the parent while children run", expected, [fit_all()])
    require_agreement("children of fork", expected, pending.get())
    with concurrent.futures.ThreadPoolExecutor(3) as threads:
        require_agreement("Python threads", expected, list(threads.map(fit_all, range(4))))
        later = multiprocessing.get_context("fork").Pool(1)
        require_agreement("a child of a process with threads", expected, later.map(fit_all, [0]))
    with multiprocessing.get_context("spawn").Pool(2) as spawned:
        require_agreement("spawned children", expected, spawned.map(fit_all, range(2)))
    for pool in (forked, later):
        pool.close()
        pool.join()
    require_agreement("the parent at the end", expected, [fit_all()])
    return expected


def leave_while_busy(count):
    """In a child this returns with the thread at work, so that the interpreter ends beside it."""
    x, _ = data()
    for _ in range(count):
        child = os.fork()
        if child == 0:
            return start_work(x)
        _, status = os.waitpid(child, 0)
        if status != 0:
            sys.exit(f"a child that ended beside a busy thread has the status {status}")
    print(f"ends beside a busy thread: {count}")


def start_work(x):
    begun = threading.Event()

    def work():
        while True:
            KMeans(6, n_init=1, max_iter=20, random_state=3).fit(x)
            begun.set()

    threading.Thread(target=work, daemon=True).start()
    begun.wait()


def seconds():
    fit_all()
    begin = time.monotonic()
    fit_all()
    return time.monotonic() - begin


def main():
    command, files = sys.argv[1], sys.argv[2:]
    if command == "once":
        numpy.savez(files[0], **fit_all())
    elif command == "everywhere":
        numpy.savez(files[0], **fit_everywhere())
    elif command == "compare":
        one, other = ({**numpy.load(file)} for file in files)
        sys.exit(disagreement(one, other))
    elif command == "spawn":
        fit_all()
        with multiprocessing.get_context("spawn").Pool(1) as spawned:
            spawned.map(fit_all, [0])
    elif command == "time":
        print(seconds())
    elif command == "leave":
        leave_while_busy(int(files[0]))


if __name__ == "__main__":
    main()
