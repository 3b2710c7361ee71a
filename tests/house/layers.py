"""A layer includes only itself and layers above it in the list of src/README.md."""
import re

import sources

INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"')


def problems(root):
    found = _list_agrees(root)
    for path in sources.files(root, "src"):
        layer = sources.layer_of(root, path)
        name = path.relative_to(root)
        if layer is None or layer not in sources.LAYERS:
            found.append(f"{name}: lies in no known layer")
            continue
        text = sources.without_comments(path.read_text())
        for number, line in sources.numbered(text):
            match = INCLUDE.match(line)
            if match:
                problem = _direction(root, layer, match.group(1))
                if problem:
                    found.append(f"{name}:{number}: {problem}")
    return found


def _direction(root, layer, included):
    target = included.split("/")[0]
    if target == "xylem":
        return None
    if target not in sources.LAYERS:
        return f'include "{included}" is not written from src/ (a layer, then the file)'
    if not (root / "src" / included).is_file():
        return f'include "{included}": no such file in src/'
    if sources.LAYERS.index(target) > sources.LAYERS.index(layer):
        return f'layer {layer} includes "{included}", which is below it'
    if layer == "policy" and target in ("os", "fiber", "trace"):
        return f'a policy is pure and may not see "{included}"'
    return None


def _list_agrees(root):
    """src/README.md lists the layers in the order this check uses."""
    readme = root / "src" / "README.md"
    if not readme.is_file():
        return ["src/README.md: missing"]
    listed = re.findall(r"^\| `(\w+)/` \|", readme.read_text(), re.MULTILINE)
    if listed != sources.LAYERS:
        return [f"src/README.md: lists {listed}, the check has {sources.LAYERS}"]
    return []
