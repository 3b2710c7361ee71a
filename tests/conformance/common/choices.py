"""What a suite's options choose: its arguments, the configurations, the tests."""
import argparse
import os
import pathlib
import sys


def parser(description, work, configurations, default):
    """The arguments that every suite has. `configurations`: {name: environment}."""
    made = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    made.add_argument("--library", required=True, help="the folder of Xylem's libraries")
    made.add_argument("--work", default=work, type=pathlib.Path,
                      help=f"where binaries and results are kept [{work}]")
    made.add_argument("--configurations", default=default, metavar="LIST",
                      help=f"comma-separated, of {', '.join(configurations)}; or all [{default}]")
    made.add_argument("--repeat", default=1, type=int, metavar="N", help="run each test N times on Xylem [1]")
    made.add_argument("--subset", type=pathlib.Path, help="a file with names of tests, one a line")
    made.add_argument("--match", default="", help="only tests whose name contains this")
    made.add_argument("--jobs", default=os.cpu_count(), type=int, help="tests at a time [processors]")
    made.add_argument("--seconds", default=120, type=int, help="a program's time on a runtime [120]")
    made.add_argument("--stock-again", action="store_true", help="forget what the stock runtime did")
    made.add_argument("--show", action="store_true", help="print the output of tests that differ")
    return made


def read(made, library):
    """The arguments, with whole paths. Ends the program when the folder has no `library`."""
    options = made.parse_args()
    options.work = options.work.resolve()
    options.work.mkdir(parents=True, exist_ok=True)
    options.library = pathlib.Path(options.library).resolve()
    if not (options.library / library).exists():
        sys.exit(f"conformance: there is no {library} in {options.library}")
    return options


def configurations(words, known):
    """The names in a comma-separated list, or all that are known."""
    names = list(known) if words == "all" else words.split(",")
    unknown = [name for name in names if name not in known]
    if unknown:
        sys.exit(f"conformance: no configuration {unknown[0]} (there are: {', '.join(known)})")
    return names


def names_in(file):
    """The names in a file that has one a line; what follows # is a comment."""
    return {line.split("#")[0].strip() for line in file.read_text().splitlines()} - {""}


def chosen(names, options):
    """Of the tests' names those that --subset and --match leave."""
    names = list(names)
    if options.subset:
        wanted = names_in(options.subset)
        missing = wanted - set(names)
        if missing:
            sys.exit(f"conformance: {options.subset} names a test that does not exist: {sorted(missing)[0]}")
        names = [name for name in names if name in wanted]
    return [name for name in names if options.match in name]
