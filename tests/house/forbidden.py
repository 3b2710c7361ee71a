"""Things that belong to one place: environment, system calls, #if, heavy headers, machine paths."""
import re

import sources

HEAVY = ("string iostream ostream istream fstream sstream iomanip map set unordered_map "
         "unordered_set functional mutex shared_mutex thread condition_variable future regex format "
         "list deque stdexcept any").split()
KERNEL = re.compile(r"#\s*include\s*<(sys/(?!types|cdefs)[^>]*|linux/[^>]*|asm/[^>]*|unistd\.h|fcntl\.h"
                    r"|sched\.h)>")
CONDITIONAL = re.compile(r"^\s*#\s*(if|ifdef|ifndef|elif)\b")
ENVIRONMENT = re.compile(r"\b(secure_)?getenv\s*\(|\benviron\b")
RAW_CALL = re.compile(r"\bsyscall\s*\(")
HEAVY_INCLUDE = re.compile(r"#\s*include\s*<(" + "|".join(HEAVY) + r")>")
# An entry point or a flag of GCC's, and not the name of a variable in a string.
GCC_INTERFACE = re.compile(r"(?<![\w\"])GOMP_\w+")
FUNCTION_MACRO = re.compile(r"^\s*#\s*define\s+(\w+)\(")
# Folders of some machine's users; the text is cut so that this file does not break its own rule.
MACHINE_PATH = re.compile(r"(?<![\w.}-])/(" + "|".join(["wo" + "rk", "ho" + "me", "ro" + "ot"]) + r")/\w")


def problems(root):
    found = []
    for path in sources.files(root, "src"):
        found += _code(root, path, sources.layer_of(root, path))
    for path in sources.files(root, suffixes=sources.TEXT_SUFFIXES | {""}):
        found += _paths(root, path)
    return found


def _code(root, path, layer):
    name = path.relative_to(root)
    rules = list(_rules(layer, path))
    text = sources.without_comments(path.read_text(), strings=False)
    found = []
    for number, line in sources.numbered(text):
        found += [f"{name}:{number}: {reason}: {line.strip()}" for pattern, reason in rules
                  if pattern.search(line)]
    return found


def _rules(layer, path):
    """The patterns that are wrong in a file of this layer, each with the reason."""
    if layer not in ("base", "os") and path.suffix != ".S":
        yield CONDITIONAL, "#if outside base/, os/ and assembly"
    if layer not in ("base", "os"):
        yield RAW_CALL, "a system call outside os/"
    if layer in sources.RUNTIME_LAYERS and layer != "abi":
        yield GCC_INTERFACE, "GCC's interface outside abi/"
    if layer in sources.RUNTIME_LAYERS:
        if path.parent.parent.name != "driver":  # a plug-in is a library of its own
            yield HEAVY_INCLUDE, "a header the runtime library may not use"
        if layer != "base":
            yield FUNCTION_MACRO, "a function-like macro outside base/"
        if layer != "os":
            yield KERNEL, "a header of system calls outside os/"
        if layer != "os" and not (layer == "omp" and path.name.startswith("settings")):
            yield ENVIRONMENT, "the environment is read outside omp/settings"


def _paths(root, path):
    try:
        text = path.read_text()
    except UnicodeDecodeError:
        return []
    return [f"{path.relative_to(root)}:{number}: a path of one machine: {line.strip()[:80]}"
            for number, line in sources.numbered(text) if MACHINE_PATH.search(line)]
