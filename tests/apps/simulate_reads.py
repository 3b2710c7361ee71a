"""simulate_reads.py GENOMES LENGTH COVERAGE SEED: reads of made-up genomes in FASTQ, on standard output.

The last genome shares its first half with the first one, so that an assembly has to branch. One base of
200 is read wrongly, and half of the reads are of the other strand.
"""
import random
import sys

READ = 100
OTHER_STRAND = str.maketrans("ACGT", "TGCA")


def some_bases(source, count):
    return "".join(source.choices("ACGT", k=count))


def one_read(source, genome):
    start = source.randrange(len(genome) - READ)
    read = "".join(source.choice("ACGT") if source.random() < 1 / 200 else base
                   for base in genome[start:start + READ])
    return read[::-1].translate(OTHER_STRAND) if source.random() < 0.5 else read


def main():
    count, length, coverage, seed = map(int, sys.argv[1:])
    source = random.Random(seed)
    genomes = [some_bases(source, length) for _ in range(count - 1)]
    genomes.append(genomes[0][:length // 2] + some_bases(source, length // 2))
    number = 0
    for genome in genomes:
        for _ in range(coverage * length // READ):
            print(f"@read{number}\n{one_read(source, genome)}\n+\n{'I' * READ}")
            number += 1


main()
