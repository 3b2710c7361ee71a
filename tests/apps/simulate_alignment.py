"""Prints a made-up DNA alignment: sequences that evolved along a random tree.

Usage: simulate_alignment.py LEAVES SITES SEED. The same arguments give the same alignment on every
machine: only Random.random() is used, whose sequence Python promises to keep.
"""
import random
import sys

LETTERS = "ACGT"
SHORTEST, LONGEST = 0.02, 0.12  # expected changes a site along one branch


def mutated(sequence, rate, chance):
    return "".join(letter if chance.random() >= rate else LETTERS[int(4 * chance.random())]
                   for letter in sequence)


def alignment(leaves, sites, seed):
    """Starts with one sequence and replaces a random one by two changed copies until there are enough."""
    chance = random.Random(seed)
    tips = [mutated("A" * sites, 1.0, chance)]
    while len(tips) < leaves:
        parent = tips.pop(int(len(tips) * chance.random()))
        for _ in range(2):
            rate = SHORTEST + (LONGEST - SHORTEST) * chance.random()
            tips.append(mutated(parent, rate, chance))
    return tips


for number, sequence in enumerate(alignment(*map(int, sys.argv[1:4])), start=1):
    print(f">s{number}\n{sequence}")
