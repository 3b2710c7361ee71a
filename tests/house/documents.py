"""What the documents name exists: links, paths, symbols, C++ names and make's targets."""
import re

import sources

LINK = re.compile(r"\[[^\]]*\]\(([^)#\s]+)(#[^)]*)?\)")
QUOTED = re.compile(r"`([^`\n]+)`")
SYMBOL = re.compile(r"\b(?:xylem|XYLEM|GOMP|omp|OMP)_\w+\b")
MAKE = re.compile(r"^make ([a-z-]+)$")
CXX_NAME = re.compile(r"^(?:xylem::)?(\w+)::(?:\w+::)*(\w+)(?:\(.*\))?$")
PATH = re.compile(r"^[\w.*{},+-]+(/[\w.*{},+-]*)+$")
TOP = ("src", "include", "tests", "docs", "scripts", "cmake", "examples", "bindings", ".ci")


def documents(root):
    return ([root / name for name in ("README.md", "CONTRIBUTING.md", "src/README.md") if (root / name).is_file()]
            + sorted((root / "docs").rglob("*.md")))


def problems(root):
    words = _words(root)
    targets = _make_targets(root)
    found = []
    for document in documents(root):
        for number, line in sources.numbered(document.read_text()):
            where = f"{document.relative_to(root)}:{number}"
            found += [f"{where}: {problem}"
                      for problem in _line(root, document, line, words, targets)]
    return found


def _line(root, document, line, words, targets):
    for target, _ in LINK.findall(line):
        if "://" not in target and not (document.parent / target).exists():
            yield f"the link to {target} leads nowhere"
    for symbol in SYMBOL.findall(line):
        if symbol not in words and not symbol.endswith("_"):
            yield f"nothing is called {symbol}"
    for text in QUOTED.findall(line):
        problem = _quoted(root, text.strip(), words, targets)
        if problem:
            yield problem


def _quoted(root, text, words, targets):
    make = MAKE.match(text)
    if make and targets and make.group(1) not in targets:
        return f"make has no target {make.group(1)}"
    name = CXX_NAME.match(text)
    if name and name.group(1) in sources.LAYERS and name.group(2) not in words:
        return f"nothing is called {text}"
    if PATH.match(text) and not _path_exists(root, text):
        return f"there is no {text}"
    return None


def _path_exists(root, text):
    first = text.split("/")[0]
    if first in TOP:
        bases = [root]
    elif first in sources.LAYERS:
        bases = [root / "src"]
        if text.rstrip("/") == first:
            return True  # a layer may still be empty
    else:
        return True  # not one of ours: build/..., /proc/..., a/b
    if re.search(r"[*{]", text):
        pattern = re.sub(r"\{[^}]*\}", "*", text)
        return any(any(base.glob(pattern)) for base in bases)
    return any((base / text).exists() for base in bases)


def _words(root):
    """Every identifier in the sources, the build and the scripts."""
    words = set()
    folders = ("src", "include", "tests", "examples", "cmake", "scripts", "bindings")
    suffixes = sources.TEXT_SUFFIXES - {".md"} | {"", ".sh"}
    paths = sources.files(root, *folders, suffixes=suffixes)
    paths += [root / name for name in ("CMakeLists.txt", "CMakePresets.json", "Makefile")
              if (root / name).is_file()]
    for path in paths:
        words.update(re.findall(r"\w+", path.read_text(errors="replace")))
    return words


def _make_targets(root):
    makefile = root / "Makefile"
    if not makefile.is_file():
        return set()
    return set(re.findall(r"^([a-z-]+):", makefile.read_text(), re.MULTILINE))
