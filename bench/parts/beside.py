"""Two builds of Xylem in turn: which groups and lines are slower on the one under test."""
import dataclasses
import statistics
import sys

from parts.peers import XYLEM, Peer, loads
from parts.report import geometric_mean, groups_of, in_group, ratio

OTHER = "other"  # the build that it is compared with
GROUP_LIMIT = 1.02  # of the geometric mean of a group's ratios
LINE_LIMIT = 1.05


def found(library, other, program, soname):
    """Both builds; ends the process where the program would not run on them."""
    both = [Peer(XYLEM, library, "libxylem"), Peer(OTHER, other, "libxylem")]
    for peer in both:
        if loads(peer, program, soname) != str((peer.folder / "libxylem.so").resolve()):
            sys.exit(f"bench: {peer.folder} has no {soname} that is a link to a libxylem.so beside it")
    return both


def comparable(lines):
    """The lines that another library can change, each for both builds and as it is."""
    return [dataclasses.replace(line, only=(), variants=()) for line in lines if not line.sides]


def ratios(row):
    """Of each round, where both have a time."""
    return [mine / other for mine, other in zip(row[XYLEM].values, row[OTHER].values) if mine and other]


def is_slower(row):
    """Whether three rounds of four are beyond the limit: a line's own spread is no loss."""
    return bool(ratios(row)) and lower_quartile(ratios(row)) > LINE_LIMIT


def lower_quartile(values):
    return statistics.quantiles(values, n=4, method="inclusive")[0] if len(values) > 1 else values[0]


def print_losses(results):
    """True if no group and no line is slower."""
    kept = True
    print(f"\n{'geometric mean of ratios to the other build':<48}{'limit':>10}{'seen':>10}{'lines':>7}")
    for group in groups_of(results):
        known = [value for value in (ratio(row, OTHER) for row in in_group(results, group).values()) if value]
        if known:
            lost = geometric_mean(known) > GROUP_LIMIT
            kept &= not lost
            print(f"{group:<48}{GROUP_LIMIT:>10.3f}{geometric_mean(known):>10.3f}{len(known):>7}"
                  f"{'  slower' if lost else ''}")
    for line, row in results.items():
        if is_slower(row):
            kept = False
            print(f"slower: {line.group}, {line.name()}: {ratio(row, OTHER):.3f}, "
                  f"in three rounds of four above {lower_quartile(ratios(row)):.3f}")
    return kept
