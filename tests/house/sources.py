"""Reads the tree for the house checks: which files there are, and their text without comments.

Every check is a module with `problems(root) -> list[str]`: a line for each rule that is broken.
"""
import re
from pathlib import Path

LAYERS = ["base", "wait", "os", "topo", "plan", "policy", "trace", "mem", "sched", "count", "hetero",
          "omp", "abi", "instrument", "arrays", "sim", "tool"]
RUNTIME_LAYERS = LAYERS[: LAYERS.index("sim")]
TOOL_LAYERS = LAYERS[LAYERS.index("sim"):]
CODE_SUFFIXES = {".hpp", ".cpp", ".h", ".c", ".S"}
TEXT_SUFFIXES = CODE_SUFFIXES | {".md", ".py", ".cmake", ".txt", ".in", ".json", ".table", ".case"}
SKIPPED_FOLDERS = {".git", "build", "install", "__pycache__"}


def files(root, *folders, suffixes=CODE_SUFFIXES):
    """The files below these folders of the tree (all of it if none is named), sorted."""
    found = []
    for folder in folders or ("",):
        for path in sorted((Path(root) / folder).rglob("*")):
            relative = path.relative_to(root)
            if path.is_file() and path.suffix in suffixes and not (
                    SKIPPED_FOLDERS & set(relative.parts)):
                found.append(path)
    return found


def layer_of(root, path):
    """The layer a file of src/ is in, or None."""
    parts = path.relative_to(root).parts
    return parts[1] if len(parts) > 2 and parts[0] == "src" else None


_TOKEN = re.compile(
    r'R"(?P<delimiter>[^()\\\s]{0,16})\((?:.|\n)*?\)(?P=delimiter)"'
    r'|"(?:\\.|[^"\\\n])*"'
    r"|'(?:\\.|[^'\\\n])'|'\\[^'\n]*'"
    r"|//(?:\\\n|[^\n])*|/\*(?:.|\n)*?\*/")


def without_comments(text, strings=True):
    """The text with comments blanked (and, if strings is false, what is in quotes); lines stay."""
    def blank(match):
        token = match.group(0)
        if token.startswith("/"):
            return re.sub(r"[^\n]", " ", token)
        if strings:
            return token
        return '"' + re.sub(r"[^\n]", " ", token[1:-1]) + '"'
    return _TOKEN.sub(blank, text)


def numbered(text):
    return enumerate(text.split("\n"), start=1)
