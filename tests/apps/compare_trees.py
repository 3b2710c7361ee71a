"""Compares two phylogenetic trees as trees without a root, whatever order their text has.

Usage: compare_trees.py ONE OTHER (Newick files). Prints three numbers: the branches of the first
tree, the branches that only one of the trees has, and the largest difference between the lengths
of a branch that both have. Support values of inner branches are not looked at.
"""
import re
import sys

TOKEN = re.compile(r"[(),;]|[^(),;\s]+")


def read_node(tokens, lengths):
    """Takes a node with its length off the tokens; returns the leaves below it."""
    leaves = frozenset()
    if tokens[-1] == "(":
        while tokens.pop() in "(,":
            leaves |= read_node(tokens, lengths)
    label, _, length = tokens.pop().partition(":") if tokens[-1] not in "),;" else ("", "", "")
    leaves = leaves or frozenset([label])
    if length:
        lengths[leaves] = float(length)
    return leaves


def branches(path):
    """The length of each branch; a branch is the set of leaves on its side away from the first."""
    with open(path, encoding="ascii") as file:
        tokens = TOKEN.findall(file.read())[::-1]
    lengths = {}
    everything = read_node(tokens, lengths)
    first = min(everything)
    return {everything - side if first in side else side: length for side, length in lengths.items()}


one, other = branches(sys.argv[1]), branches(sys.argv[2])
differences = [abs(one[side] - other[side]) for side in one.keys() & other.keys()]
print(len(one), len(one.keys() ^ other.keys()), f"{max(differences, default=0):.3e}")
