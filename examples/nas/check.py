"""check.py BIN LIB CODE: what paper 001 says of a benchmark, on drawn machines. README.md has the paper's figures beside ours;
where ours differ, the assertion here is about ours, and README.md says so."""
import sys

from compare import Benchmark, show

FOLDER, LIBRARY = sys.argv[1:3]


def compared(code, kind, **more):
    runs = Benchmark(FOLDER, LIBRARY, code, kind, **more).all()
    show(runs)
    for run in runs.values():
        assert "verified" in run.verdict or more.get("iterations"), run.what
    # The placement by hand, and the others', are worth something at all.
    assert runs["automatic"].remote_share() > 0.8, runs["automatic"].what
    return runs


def engine_moved(run):
    assert "pages move" in run.said, run.what


def adi(code, **more):
    """The paper's BT: with the engine as few remote accesses as by hand; here fewer, as the z solve's planes stay. SSOR's
    sweeps have the z solve's rows."""
    runs = compared(code, "S", iterations=5, **more)
    engine_moved(runs["online"])
    for name in ("online", "offline"):
        assert runs[name].remote_share() < runs["manual"].remote_share(), runs[name].what
    assert runs["offline"].remote_share() <= runs["online"].remote_share(), runs["offline"].what


def bt():
    adi("bt")


def sp():
    adi("sp")


def ssor():
    adi("ssor")


def cg():
    """Off-line as by hand or better; on-line, once pages have come, too."""
    runs = compared("cg", "S", iterations=5)
    engine_moved(runs["online"])
    by_hand = runs["manual"].remote_share()
    assert by_hand < 0.36, runs["manual"].what
    # The vectors have three pages, that all nodes read. The engine gives them to three nodes, none of which is
    # then overloaded; the division by hand does not care. That is one access in a hundred.
    assert runs["offline"].remote_share() <= by_hand + 0.02, runs["offline"].what
    assert runs["offline"].most_by_mean() < runs["manual"].most_by_mean(), runs["offline"].what
    # Where contested pages stay depends on where round robin began: 33.5 to 35.0% were seen.
    assert runs["online"].remote_share(last=True) <= by_hand + 0.05, runs["online"].what


def mg():
    """36% less remote on-line, no node above 1.2 times the mean, off-line better than by hand."""
    runs = compared("mg", "S")
    engine_moved(runs["online"])
    assert runs["online"].remote() <= 0.64 * runs["automatic"].remote(), runs["online"].what
    for name in ("online", "offline"):
        assert runs[name].most_by_mean() <= 1.2, runs[name].what
    assert runs["offline"].remote_share() <= runs["manual"].remote_share(), runs["offline"].what


def ft():
    runs = compared("ft", "S", iterations=2)
    engine_moved(runs["online"])
    assert runs["offline"].remote_share() <= runs["manual"].remote_share() + 0.001, runs["offline"].what
    assert runs["online"].remote_share(last=True) <= runs["manual"].remote_share(True) + 0.001, runs["online"].what


def lu():
    """The schedule with owners alone is as good as the division by hand. Pages alone: see README.md."""
    runs = compared("lu", 350, program="told")
    reuse, by_hand, online = runs["reuse"], runs["manual"], runs["online"]
    assert by_hand.remote_share() < 0.3 and by_hand.most_by_mean() < 1.05, by_hand.what
    assert abs(reuse.remote_share() - by_hand.remote_share()) < 0.005, reuse.what
    assert abs(reuse.most_by_mean() - by_hand.most_by_mean()) < 0.02, reuse.what
    # The paper measured times: no gain. Fewer accesses are remote, but one node serves most of them.
    assert online.most_by_mean() > 2, online.what
    worst = {name: max(a + b for a, b in runs[name].nodes) for name in runs}
    assert worst["online"] > 2 * worst["automatic"], online.what


def told():
    """What LU tells of itself is what is counted."""
    def runs(name):
        return [getattr(Benchmark(FOLDER, LIBRARY, "lu", 120, program=program), name)() for program in ("told", "counted")]

    for name in ("manual", "reuse"):
        told_run, counted = runs(name)
        assert told_run.nodes == counted.nodes, (told_run.what, counted.what)
    told_run, counted = runs("automatic")  # round robin begins at another node in each run, as addresses differ
    sums = [[local + remote for local, remote in run.iterations] for run in (told_run, counted)]
    assert sums[0] == sums[1] and sum(sums[0]) > 0, (told_run.what, counted.what)


if __name__ == "__main__":
    {"bt": bt, "sp": sp, "ssor": ssor, "cg": cg, "mg": mg, "ft": ft, "lu": lu, "told": told}[sys.argv[3]]()
