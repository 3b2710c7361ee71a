"""No file over 800 lines, no function over 80, unless a line near the top says `// size: why`."""
import re

import sources

FILE_LIMIT = 800
FUNCTION_LIMIT = 80
FOLDERS = ("src", "include", "tests", "examples")
EXCUSE = re.compile(r"^\s*(//|/\*|#) ?size: \S", re.MULTILINE)
SCOPE = re.compile(r"^(inline\s+|typedef\s+|export\s+)*(namespace|class|struct|union|enum|extern)\b")
ACCESS = re.compile(r"^\s*(public|private|protected)\s*$")
# What may stand between a parameter list and the body; cut off the end one at a time.
AFTER_PARAMETERS = re.compile(
    r"(?<=[\s)])(const|volatile|noexcept|override|final|mutable|try|&&?"
    r"|noexcept\s*\([^()]*\)|requires\b[^{]*|->[^{;]*"
    r"|__attribute__\s*\(\([^{]*\)\)|XYLEM_\w+(\([^()]*\))?)\s*$")


def functions(text):
    """(first line, lines, head) of each function body in the text. A reader of braces, not of C++."""
    text = _without_preprocessor(sources.without_comments(text, strings=False))
    stack, found, head, head_start = [], [], "", None
    line = 1
    for char in text:
        if char == "\n":
            line += 1
        inside_body = any(kind in ("function", "other") for kind, _, _ in stack)
        if char == "{":
            kind = "other" if inside_body else _kind(head)
            stack.append((kind, head_start or line, head.strip()))
            if kind == "scope":
                head, head_start = "", None
        elif char == "}" and stack:
            kind, first, what = stack.pop()
            if kind == "function":
                found.append((first, line - first + 1, " ".join(what.split())))
            if kind != "other":
                head, head_start = "", None
        elif not inside_body:
            if char == ";" or (char == ":" and ACCESS.match(head)):
                head, head_start = "", None
            else:
                if head_start is None and not char.isspace():
                    head_start = line
                head += char
    return found


def _kind(head):
    head = head.strip()
    head = re.sub(r"^(template\s*<[^{}]*?>\s*(?=[a-z_A-Z\[]))+", "", head)
    head = re.sub(r"^(\[\[[^\]]*\]\]\s*|alignas\s*\([^()]*\)\s*)+", "", head)
    bare = head
    while AFTER_PARAMETERS.search(bare):
        bare = AFTER_PARAMETERS.sub("", bare).rstrip()
    if bare.endswith(")"):
        return "function"
    if SCOPE.match(head):
        return "scope"
    if re.search(r"\)[\w\s]*:(?!:)", head):  # a constructor's list: m_{1} opens none, the body does
        return "other" if re.search(r"[\w>]\s*$", head) else "function"
    return "other"


def _without_preprocessor(text):
    return re.sub(r"^[ \t]*#(?:\\\n|[^\n])*", lambda m: re.sub(r"[^\n]", " ", m.group(0)), text,
                  flags=re.MULTILINE)


def measure(root):
    """(files, functions) as lists of (lines, where, excused), longest first."""
    long_files, long_functions = [], []
    for path in sources.files(root, *FOLDERS):
        text = path.read_text()
        name = str(path.relative_to(root))
        excused = bool(EXCUSE.search("\n".join(text.split("\n")[:20])))
        long_files.append((text.count("\n"), name, excused))
        if path.suffix == ".S":
            continue
        for first, lines, head in functions(text):
            long_functions.append((lines, f"{name}:{first}: {head[-60:]}", excused))
    return sorted(long_files, reverse=True), sorted(long_functions, reverse=True)


def problems(root):
    long_files, long_functions = measure(root)
    for title, table in (("files", long_files), ("functions", long_functions)):
        print(f"longest {title}:")
        for lines, where, _ in table[:10]:
            print(f"  {lines:5} {where}")
    found = [f"{where}: {lines} lines in a file (limit {FILE_LIMIT})"
             for lines, where, excused in long_files if lines > FILE_LIMIT and not excused]
    found += [f"{where}: {lines} lines in a function (limit {FUNCTION_LIMIT})"
              for lines, where, excused in long_functions
              if lines > FUNCTION_LIMIT and not excused]
    return found
