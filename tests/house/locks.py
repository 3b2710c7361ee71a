"""docs/locks.md has each lock of the sources with its rank and its file, and says which are taken around fork()."""
import re

import sources

DEFINES = re.compile(r"\b(?:SpinLock|LockRank|ForkLine)\b")
RANK = re.compile(r'(?:\bLockRank (\w+))?\{(\d+), "([^"]+)"\}')
BARE = re.compile(r"\bSpinLock\s+\w+\s*;")
FORK_LINES = re.compile(r"\bForkLine fork_lines\[\] = \{(.*?)\n\};", re.DOTALL)
FORK_LINE = re.compile(r'\{(?:(\w+_rank)|\{\d+, "([^"]+)"\}),')
ROW = re.compile(r"^\| (\d+) \| (.*?) \| (.*?) \|.*\| (\w*) *\|$")
CODE = re.compile(r"`([^`]+)`")
PAGE = "docs/locks.md"


def problems(root):
    page = root / PAGE
    if not page.is_file():
        return [f"{PAGE}: missing"]
    listed = _listed(page.read_text())
    found, names, constants, forked = [], set(), {}, set()
    for path in sources.files(root, "src"):
        text = sources.without_comments(path.read_text())
        if not DEFINES.search(text):
            continue
        where = path.relative_to(root).as_posix()
        found += [f"{where}: a lock without a rank" for _ in BARE.findall(text)]
        for constant, rank, lock in RANK.findall(text):
            constants[constant] = lock
            names.add(lock)
            found += _against_the_page(where, int(rank), lock, listed)
        for lines in FORK_LINES.findall(text):
            forked.update(FORK_LINE.findall(lines))
    found += [f"{PAGE}: nothing in the sources has the rank of {lock}"
              for lock, (rank, _, _) in listed.items() if rank > 0 and lock not in names]
    return found + _fork(listed, {name or constants.get(constant, constant)
                                  for constant, name in forked})


def _against_the_page(where, rank, lock, listed):
    if lock not in listed:
        return [f"{where}: {lock} is not in {PAGE}"]
    said, files, _ = listed[lock]
    if said != rank:
        return [f"{where}: {lock} has rank {rank}, and {said} in {PAGE}"]
    if where.rsplit(".", 1)[0] not in [name.rsplit(".", 1)[0] for name in files]:
        return [f"{where}: {PAGE} has {lock} in {' and '.join(files)}"]
    return []


def _fork(listed, forked):
    """`forked`: the names in the sources' lines of the fork table."""
    said = {lock for lock, (_, _, fork) in listed.items() if fork}
    return ([f"{PAGE}: {lock} has a line in the fork table" for lock in sorted(forked - said)]
            + [f"{PAGE}: {lock} has no line in the fork table" for lock in sorted(said - forked)])


def _listed(text):
    """By name: the rank, the files that the row names, and what its last column says of fork()."""
    listed = {}
    for line in text.splitlines():
        row = ROW.match(line)
        if row:
            rank, lock, files, fork = row.groups()
            listed[CODE.sub(r"\1", lock)] = (int(rank), CODE.findall(files), fork)
    return listed
