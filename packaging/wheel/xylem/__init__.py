"""Xylem, an OpenMP runtime: the command `xylem` and the library that it puts into programs."""
import os


def library_folder():
    """The folder that holds libxylem.so, and libgomp.so.1 and its like, which lead to it."""
    return os.path.join(os.path.dirname(os.path.abspath(__file__)), "lib")
