"""judge_times.py NAME RUNTIME FILE: how long a program takes on Xylem beside the other runtime.

FILE has a line a round: seconds on the other runtime and on Xylem. Exit code 1: Xylem takes more than 1.05
of the other's time by the median of the rounds' ratios, and the rounds agree: three quarters say 1.05 or more.
"""
import statistics
import sys

MOST = 1.05


def main():
    name, runtime, file = sys.argv[1:]
    with open(file, encoding="utf-8") as lines:
        pairs = [tuple(map(float, line.split())) for line in lines]
    ratios = [xylem / stock for stock, xylem in pairs]
    middle, lower = statistics.median(ratios), statistics.quantiles(ratios, n=4)[0]
    print(f"{name}: {middle:.2f} of {runtime}'s time ({min(ratios):.2f} to {max(ratios):.2f}); seconds: "
          f"{statistics.median(p[0] for p in pairs):.2f} and {statistics.median(p[1] for p in pairs):.2f}")
    sys.exit(middle > MOST and lower >= MOST)


if __name__ == "__main__":
    main()
