"""docs/locks.md has each lock of the sources with its rank and its file."""
import re

import sources

DEFINES = re.compile(r"\b(?:SpinLock|LockRank)\b")
RANK = re.compile(r'(?:\bLockRank (\w+))?\{(\d+), "([^"]+)"\}')
BARE = re.compile(r"\bSpinLock\s+\w+\s*;")
ROW = re.compile(r"^\| (\d+) \| (.*?) \| (.*?) \|")
CODE = re.compile(r"`([^`]+)`")
PAGE = "docs/locks.md"
GATE = "HeapGate"  # no lock, but it has a place among them


def problems(root):
    page = root / PAGE
    if not page.is_file():
        return [f"{PAGE}: missing"]
    listed = _listed(page.read_text())
    found, names = [], set()
    for path in sources.files(root, "src"):
        text = sources.without_comments(path.read_text())
        if not DEFINES.search(text):
            continue
        where = path.relative_to(root).as_posix()
        found += [f"{where}: a lock without a rank" for _ in BARE.findall(text)]
        for _, rank, lock in RANK.findall(text):
            names.add(lock)
            found += _against_the_page(where, int(rank), lock, listed)
    found += [f"{PAGE}: nothing in the sources has the rank of {lock}"
              for lock, (rank, _) in listed.items() if rank > 0 and lock not in names and lock != GATE]
    return found


def _against_the_page(where, rank, lock, listed):
    if lock not in listed:
        return [f"{where}: {lock} is not in {PAGE}"]
    said, files = listed[lock]
    if said != rank:
        return [f"{where}: {lock} has rank {rank}, and {said} in {PAGE}"]
    if where.rsplit(".", 1)[0] not in [name.rsplit(".", 1)[0] for name in files]:
        return [f"{where}: {PAGE} has {lock} in {' and '.join(files)}"]
    return []


def _listed(text):
    """By name: the rank, and the files that the row names."""
    listed = {}
    for line in text.splitlines():
        row = ROW.match(line)
        if row:
            rank, lock, files = row.groups()
            listed[CODE.sub(r"\1", lock)] = (int(rank), CODE.findall(files))
    return listed
