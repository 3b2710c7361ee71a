"""The Fortran test programs call every routine that Fortran has a spelling of.

fortran_reach.py TABLE GFORTRAN PROGRAM...

TABLE is src/abi/symbols.table, of which the node VERSION is left out: it is what linkers record for
LLVM's runtime, and no program of gfortran's has it (tests/kmp). Of the others must be called, by their
version, by one of the programs:
  - each name that ends in _ (so those in _8_ too, which -fdefault-integer-8 asks for);
  - each omp_ name that has no such spelling: omp_lib declares it with bind(c).
What gfortran cannot reach:
  - names marked compat. The linker records the newest version of a name, so only programs linked
    long ago have these; one of the programs must call them all the same, from C, by version.
  - what omp_lib declares and the table lacks: a program that calls it cannot be linked. GCC's own
    runtime lacks the two below as well; a third one would be a gap in the table.
"""
import gzip
import re
import subprocess
import sys
from pathlib import Path

NOWHERE = {"omp_init_lock_with_hint_", "omp_init_nest_lock_with_hint_"}
LLVM_NODE = "VERSION"
COMPARED_GFORTRAN = 12  # later modules declare routines that GCC 12's runtime does not have


def entries(text):
    """{symbol@node: whether compat} of the table's lines."""
    found = {}
    for line in text.split("\n"):
        words = line.split("#")[0].split()
        if words and words[0] != "node":
            found[f"{words[0]}@{words[1]}"] = words[2:] == ["compat"]
    return found


def name_of(entry):
    return entry.split("@")[0]


def wanted(table):
    """The entries that Fortran has a spelling of, but LLVM's."""
    names = {name_of(entry) for entry in table}
    return {entry for entry in table
            if not entry.endswith("@" + LLVM_NODE)
            and (name_of(entry).endswith("_")
                 or (name_of(entry).startswith("omp_") and name_of(entry) + "_" not in names))}


def called(program):
    output = subprocess.run(["nm", "-D", "--undefined-only", program], check=True, text=True,
                            capture_output=True).stdout
    return {line.split()[-1] for line in output.splitlines()}


def declared(module):
    """The symbols of the procedures in the text of gfortran's module omp_lib."""
    procedures = re.findall(r"'(omp_\w+)' 'omp_lib' '(\w*)' \d+ \( ?\( ?PROCEDURE",
                            re.sub(r"\s+", " ", module))
    return {bound or name + "_" for name, bound in procedures}


def problems(table, calls, in_module):
    """`calls` is the union of what the programs call; `in_module` what omp_lib declares."""
    found = [f"{entry}: no Fortran program calls it" for entry in sorted(wanted(table) - calls)]
    names = {name_of(entry) for entry in table}
    found += [f"{name}: omp_lib declares it, but it is not in the table"
              for name in sorted(in_module - names - NOWHERE)]
    return found


def module_text(gfortran):
    """What gfortran 12's omp_lib says; nothing for a later one."""
    def answer(*options):
        return subprocess.run([gfortran, *options], check=True, text=True,
                              capture_output=True).stdout.strip()
    if int(answer("-dumpversion").split(".")[0]) > COMPARED_GFORTRAN:
        return ""
    return gzip.decompress(Path(answer("-print-file-name=finclude/omp_lib.mod")).read_bytes()).decode()


def main():
    table = entries(Path(sys.argv[1]).read_text())
    in_module = declared(module_text(sys.argv[2]))
    calls = set().union(*(called(program) for program in sys.argv[3:]))
    reached = wanted(table) & calls
    old = {entry for entry in reached if table[entry]}
    by_c_name = {entry for entry in reached if not name_of(entry).endswith("_")}
    print(f"{len(reached)} of {len(wanted(table))} entry points called: "
          f"{len(reached - old - by_c_name)} by Fortran's name, {len(by_c_name)} by bind(c), "
          f"{len(old)} of old versions from C; omp_lib declares {len(in_module)} procedures")
    for entry in sorted(old):
        print(f"  gfortran cannot reach {entry}: the linker records a newer version")
    for name in sorted(in_module & NOWHERE):
        print(f"  gfortran cannot reach {name}: no runtime of GCC's has it")
    found = problems(table, calls, in_module)
    for problem in found:
        print(f"PROBLEM {problem}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
