"""Reads what a test of GCC's says of itself in its header: the dg- directives of DejaGnu."""
import dataclasses
import fnmatch
import re

import tcl
import targets

DIRECTIVE = re.compile(r"\{[ \t]+(dg-[-a-z]+[ \t]+.*?)[ \t]*\}[^{}]*$")
# About the compiler's messages and files, not about what the program does.
COMPILERS_MATTER = {
    "dg-final", "dg-warning", "dg-bogus", "dg-prune-output", "dg-excess-errors", "dg-message",
    "dg-require-alias", "dg-timeout", "dg-timeout-factor", "dg-xfail-if", "dg-add-options",
}


@dataclasses.dataclass
class Header:
    """What to do with a test: `action` is run, link or compile; `skip` says why not at all."""
    action: str = "run"
    options: list = dataclasses.field(default_factory=list)
    has_own_options: bool = False
    sources: list = dataclasses.field(default_factory=list)
    environment: dict = dataclasses.field(default_factory=dict)
    output: str = ""  # a regular expression; consecutive pieces in one
    should_fail: bool = False  # its exit code is not 0
    should_not_compile: bool = False
    skip: str = ""


class _Reader:
    def __init__(self, language, mode_options):
        self.targets = targets.Targets(language)
        self.language = language
        self.mode_options = mode_options
        self.header = Header()
        self.own_options = None
        self.additional = []

    def applies(self, words, at):
        """Whether the selector that may stand at this word, { target ... }, holds."""
        for word in words[at:]:
            kind, _, selector = word.strip().partition(" ")
            if kind == "target" and not self.targets.holds(selector):
                return False
        return True

    def skip(self, reason):
        self.header.skip = self.header.skip or reason

    def do(self, words):
        self.header.action = words[1]
        if not self.applies(words, 2):
            self.skip("not for this target: " + " ".join(words[2:]))

    def set_options(self, words):
        if self.applies(words, 2):
            self.own_options = words[1].split()

    def add_options(self, words):
        if self.applies(words, 2):
            self.additional += words[1].split()

    def require(self, words):
        if not self.targets.holds(words[1]):
            self.skip("needs " + words[1])

    def skip_if(self, words):
        flags = self.mode_options + (self.own_options or []) + self.additional
        included = words[3].split() if len(words) > 3 else ["*"]
        excluded = words[4].split() if len(words) > 4 else []
        matches = lambda patterns: any(
            pattern.strip('"') == "*" or any(fnmatch.fnmatchcase(flag, pattern.strip('"')) for flag in flags)
            for pattern in patterns)
        if self.targets.holds(words[2]) and matches(included) and not matches(excluded):
            self.skip("skipped by its header" + (": " + words[1] if words[1] else ""))

    def obey(self, words):
        header = self.header
        name = words[0]
        simple = {"dg-do": self.do, "dg-options": self.set_options, "dg-additional-options": self.add_options,
                  "dg-require-effective-target": self.require, "dg-skip-if": self.skip_if}
        if name in simple:
            simple[name](words)
        elif name == "dg-additional-sources":
            header.sources += words[1].split()
        elif name == "dg-set-target-env-var":
            header.environment[words[1]] = words[2]
        elif name == "dg-output":
            header.output += words[1]
        elif name == "dg-shouldfail":
            header.should_fail = True
        elif name == "dg-xfail-run-if":
            header.should_fail |= self.targets.holds(words[2])
        elif name == "dg-error":
            header.should_not_compile |= self.applies(words, 2)
        elif name not in COMPILERS_MATTER:
            raise ValueError(f"this directive is not known: {name}")


def read(text, language, mode_options):
    """The Header of a test's text. `mode_options`: with what the harness compiles this language."""
    reader = _Reader(language, mode_options)
    for line in text.splitlines():
        match = DIRECTIVE.search(line)
        if match:
            reader.obey(tcl.words(match.group(1)))
    reader.header.has_own_options = reader.own_options is not None
    reader.header.options = (reader.own_options or []) + reader.additional
    return reader.header
