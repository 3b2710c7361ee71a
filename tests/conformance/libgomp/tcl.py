"""Just enough of Tcl to read a DejaGnu header: lists of words in braces, in quotes, or bare."""

ESCAPES = {"n": "\n", "r": "\r", "t": "\t"}


def words(text):
    """The words of a Tcl list. Quoted words have their backslashes substituted, braced ones do not."""
    found, at = [], 0
    while True:
        while at < len(text) and text[at].isspace():
            at += 1
        if at == len(text):
            return found
        reader = {"{": _braced, '"': _quoted}.get(text[at], _bare)
        word, at = reader(text, at)
        found.append(word)


def _braced(text, start):
    depth, at = 0, start
    while at < len(text):
        if text[at] == "\\":
            at += 1
        elif text[at] == "{":
            depth += 1
        elif text[at] == "}":
            depth -= 1
            if depth == 0:
                return text[start + 1:at], at + 1
        at += 1
    raise ValueError(f"a brace is not closed in {text!r}")


def _quoted(text, start):
    word, at = "", start + 1
    while at < len(text) and text[at] != '"':
        if text[at] == "\\" and at + 1 < len(text):
            at += 1
            word += ESCAPES.get(text[at], text[at])
        else:
            word += text[at]
        at += 1
    return word, at + 1


def _bare(text, start):
    at = start
    while at < len(text) and not text[at].isspace():
        at += 1
    return text[start:at], at
