"""The environment that tests begin with."""
import os


def clean():
    """This process's environment without what a runtime or the dynamic linker would read."""
    kept = {name: value for name, value in os.environ.items()
            if not name.startswith(("OMP_", "GOMP_", "KMP_", "LIBOMP_", "XYLEM_", "LD_"))}
    return kept | {"LC_ALL": "C"}
