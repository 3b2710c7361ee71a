"""A source file includes the header of its own name first, so that every such header compiles alone."""
import re

import sources

INCLUDE = re.compile(r'^\s*#\s*include\s*["<]([^">]+)[">]', re.MULTILINE)


def problems(root):
    found = []
    for path in sources.files(root, "src", suffixes={".cpp"}):
        header = path.with_suffix(".hpp")
        if header.exists():
            own = str(header.relative_to(root / "src"))
            first = INCLUDE.search(sources.without_comments(path.read_text()))
            if first is None or first.group(1) != own:
                found.append(f'{path.relative_to(root)}: #include "{own}" does not come first')
    return found
