"""`xylem` and `python3 -m xylem`: this process becomes the command."""
import os
import sys


def main():
    command = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bin", "xylem")
    os.execv(command, ["xylem", *sys.argv[1:]])


if __name__ == "__main__":
    main()
