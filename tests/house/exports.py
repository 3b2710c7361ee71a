"""What libxylem.so exports is src/abi/symbols.table, and it needs no libstdc++.

exports.py LIBRARY            checks
exports.py LIBRARY --shrink   also takes what is defined by now out of not_yet_exported.txt
"""
import re
import subprocess
import sys
from pathlib import Path

import sources

ALLOWED_LIBRARIES = re.compile(r"^(libc|libm|libhwloc|libgcc_s|ld-linux-x86-64|lib[at]san)\.so")


def table(text):
    """{(symbol, node)} of the table's lines; compat, also and by ones are marked by '@', others by '@@'."""
    found = set()
    for line in text.split("\n"):
        words = line.split("#")[0].split()
        if words and words[0] != "node":
            found.add(words[0] + ("@" if words[2:3] in (["compat"], ["also"], ["by"]) else "@@") + words[1])
    return found


def exported(library):
    output = subprocess.run(["nm", "-D", "--defined-only", library], check=True, text=True,
                            capture_output=True).stdout
    return {line.split()[2] for line in output.splitlines() if line.split()[1] != "A"}


def needed(library):
    output = subprocess.run(["readelf", "-dW", library], check=True, text=True,
                            capture_output=True).stdout
    return re.findall(r"\(NEEDED\).*\[(.+)\]", output)


def compare(promised, present, not_yet, declared):
    """The problems between the table, the library, the list of what is still missing, and the
    functions that the C API's headers declare."""
    names = {entry.split("@")[0] for entry in promised}
    found = [f"{entry}: exported, but not in the table" for entry in sorted(present - promised)]
    missing = promised - present
    found += [f"{entry}: in the table, but not exported" for entry in sorted(missing - not_yet)]
    found += [f"{entry}: exported by now; take it out of not_yet_exported.txt (--shrink)"
              for entry in sorted(not_yet - missing)]
    found += [f"{name}: declared in include/xylem, but not in the table"
              for name in sorted(declared - names)]
    return found


def declared_api(root):
    """The functions that include/xylem declares and does not define itself (static inline). Those of
    codelet_mpi.h a program compiles with its own: xylem/codelet_mpi/."""
    names = set()
    for path in sources.files(root, "include", suffixes={".h"}):
        if "codelet_mpi" in str(path):
            continue
        text = sources.without_comments(path.read_text())
        own = re.findall(r"\bstatic inline\b[^(]*?\b(xylem_\w+)\s*\(", text)
        # A type before "(*name)" is a pointer's.
        names.update(set(re.findall(r"\b(xylem_\w+)\s*\((?!\*)", text)) - set(own))
    return names


def read_list(path):
    if not path.is_file():
        return set()
    return {line.strip() for line in path.read_text().split("\n")
            if line.strip() and not line.startswith("#")}


def shrink(path, missing):
    kept = [line for line in path.read_text().split("\n")
            if not line.strip() or line.startswith("#") or line.strip() in missing]
    path.write_text("\n".join(kept))


def main():
    root = Path(__file__).resolve().parents[2]
    library = sys.argv[1]
    list_path = Path(__file__).parent / "not_yet_exported.txt"
    promised = table((root / "src/abi/symbols.table").read_text())
    present = exported(library)
    if "--shrink" in sys.argv:
        shrink(list_path, promised - present)
    not_yet = read_list(list_path)
    print(f"{len(present)} symbols exported, {len(not_yet)} still to come:")
    for entry in sorted(not_yet):
        print(f"  {entry}")
    found = compare(promised, present, not_yet, declared_api(root))
    found += [f"the library needs {name}" for name in needed(library)
              if not ALLOWED_LIBRARIES.match(name)]
    for problem in found:
        print(f"PROBLEM {problem}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
