"""A layer includes only itself and layers above it in the list of src/README.md.

A layer may have rooms, folders inside it. The rooms of an ordered layer include only rooms before
them, and those that share a place in the order; a file that lies directly in the layer's folder may
include all of them.
"""
import re

import sources

# Rooms in their order, from the one that knows least. Rooms in one tuple share a place: they are parts
# of one structure (a team has its tasks, loops and barriers, and these know their team).
ORDERED_ROOMS = {
    "mem": ["map", "touch", "move", "heap", "cost"],
    "sched": ["context", "queue", "worker", "group", "place", "live", "share"],
    "count": ["table", "iteration", "engine", "source", "saved", "live"],
    "hetero": ["data", "driver", "policy", "model", "tasks", "run"],
    "omp": ["env", ("team", "tasks", "loops", "sync", "tool"), "alloc", "target"],
}
# A layer whose rooms others see by one header only, and the names that none of them says.
DOORS = {"sched": "sched/sched.hpp"}
BEHIND_DOORS = re.compile(r"\b(Fiber|Worker|Pool|Engine)\b")

# Rooms whose files may include each other.
ROOMS = ORDERED_ROOMS | {
    "abi": ["gomp", "kmp", "loader", "omp", "ompt", "xylem"],
    "tool": ["command", "bench", "doctor", "manual", "models", "mpi", "pages", "run", "top", "topo", "trace"],
}

INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"')


def problems(root):
    found = _list_agrees(root)
    for path in sources.files(root, "src"):
        layer = sources.layer_of(root, path)
        name = path.relative_to(root)
        if layer is None or layer not in sources.LAYERS:
            found.append(f"{name}: lies in no known layer")
            continue
        room = _room_of(name)
        if room and _place_of(room, ROOMS.get(layer, [])) is None:
            found.append(f"{name}: {room}/ is no room of {layer}/")
        text = sources.without_comments(path.read_text())
        behind = layer != "sched" and layer not in sources.TOOL_LAYERS
        for number, line in sources.numbered(sources.without_comments(text, strings=False)):
            named = BEHIND_DOORS.search(line)
            if behind and named:
                found.append(f"{name}:{number}: names {named.group(0)}, which is behind sched/sched.hpp")
        for number, line in sources.numbered(text):
            match = INCLUDE.match(line)
            if match:
                problem = _direction(root, layer, match.group(1)) or _room_direction(
                    layer, room, match.group(1))
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
    if layer == "policy" and target in ("os", "trace", "mem", "sched"):
        return f'a policy is pure and may not see "{included}"'
    return None


def _room_of(name):
    """src/sched/queue/entity.hpp is in room queue; src/os/clock.hpp in none."""
    return name.parts[2] if len(name.parts) > 3 else None


def _place_of(room, rooms):
    """The place of a room in its layer's order; None: it is no room of it."""
    for place, entry in enumerate(rooms):
        if room == entry or (isinstance(entry, tuple) and room in entry):
            return place
    return None


def _room_direction(layer, room, included):
    rooms = ORDERED_ROOMS.get(layer)
    target = included.split("/")
    door = DOORS.get(target[0])
    if door and layer != target[0] and layer not in sources.TOOL_LAYERS and included != door:
        return f'include "{included}": of {target[0]}/ others include {door} alone'
    if not rooms or target[0] != layer or len(target) < 3 or room is None:
        return None
    of_target, of_room = _place_of(target[1], rooms), _place_of(room, rooms)
    if None not in (of_target, of_room) and of_target > of_room:
        return f'room {layer}/{room} includes "{included}", which is below it'
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
