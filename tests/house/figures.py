"""Figures in documents are those of docs/figures.json.

A document quotes a figure by a comment right behind it, which a reader does not see:

    regions take 0.64<!--=regions--> of the time

The last number before the comment is compared, as precise as it is written, with the figure's value. It may also
stand as the ratio the other way round: 0.090 is "1/11" and "11 times as fast". Each figure says what it is and which
run gave it; each run says its command and the kind of machine.
"""
import json
import re

import documents
import sources

MARK = re.compile(r"<!--=([\w-]+)-->")
LAST_NUMBER = re.compile(r"(\d[\d,]*(?:\.(\d+))?)[^\d]*$")
FILE = "docs/figures.json"


def problems(root):
    path = root / FILE
    if not path.is_file():
        return [f"{FILE}: missing"]
    told = json.loads(path.read_text())
    runs, figures = told["runs"], told["figures"]
    found = [problem for name, run in runs.items() for problem in _run(name, run, figures)]
    found += [f"{FILE}: {name}: it lacks {word}" for name, figure in figures.items()
              for word in ("is", "value", "run") if not figure.get(word)]
    found += [f"{FILE}: {name}: no run is called {figure['run']}" for name, figure in figures.items()
              if figure.get("run") and figure["run"] not in runs]
    seen = set()
    for document in documents.documents(root):
        for number, line in sources.numbered(document.read_text()):
            for mark in MARK.finditer(line):
                seen.add(mark.group(1))
                problem = _mention(line[:mark.start()], mark.group(1), figures)
                if problem:
                    found.append(f"{document.relative_to(root)}:{number}: {problem}")
    found += [f"{FILE}: no document quotes {name}" for name in figures if name not in seen]
    return found


def _run(name, run, figures):
    for word in ("command", "machine"):
        if not run.get(word):
            yield f"{FILE}: run {name}: it lacks {word}"
    if all(figure.get("run") != name for figure in figures.values()):
        yield f"{FILE}: run {name} gave no figure"


def _mention(text, name, figures):
    if name not in figures:
        return f"{FILE} has no figure {name}"
    number = LAST_NUMBER.search(MARK.sub("", text))
    if not number:
        return f"no number before the mark of {name}"
    value = float(figures[name]["value"])
    said = float(number.group(1).replace(",", ""))
    half = 0.5 * 10 ** -len(number.group(2) or "") * 1.0001
    if any(abs(said - right) <= half for right in (value, 1 / value)):
        return None
    return f"{number.group(1)} for {name}, which is {value:g} in {FILE}"
