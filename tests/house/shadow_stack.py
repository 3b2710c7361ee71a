"""shadow_stack.py BUILD-FOLDER: where a distribution builds everything for shadow stacks and landing
pads, the library is not marked for them, because the switch stands neither. Compiles the switch by
its own command behind such flags and reads the mark that the linker would join from all files.
"""
import os
import shlex
import subprocess
import sys
import tempfile

OBJECT = "src/CMakeFiles/xylem_objects.dir/sched/context/jump.cpp.o"
FLAGS = ["-fcf-protection=full"]


def command_of(build):
    done = subprocess.run(["ninja", "-C", build, "-t", "commands", OBJECT], capture_output=True,
                          text=True, check=False)
    lines = [line for line in done.stdout.splitlines() if "jump.cpp" in line]
    return shlex.split(lines[-1]) if done.returncode == 0 and lines else None


def mark_of(words, source, build):
    """What GNU calls the properties of the object that the command makes of `source`."""
    with tempfile.TemporaryDirectory(prefix="xylem-mark-") as folder:
        made = os.path.join(folder, "made.o")
        subprocess.run([*words, "-c", source, "-o", made], cwd=build, check=True)
        notes = subprocess.run(["readelf", "-nW", made], capture_output=True, text=True, check=True)
    return notes.stdout


def main():
    build = sys.argv[1]
    words = command_of(build)
    if words is None:
        return 77  # not built by ninja
    source = words[words.index("-c") + 1]
    while len(words) > 1 and "ccache" in os.path.basename(words[0]):
        words.pop(0)
    for option in ("-MD", "-MMD"):
        words = [word for word in words if word != option]
    for option in ("-MT", "-MF", "-o", "-c"):
        at = words.index(option)
        del words[at:at + 2]
    words[1:1] = FLAGS
    with tempfile.NamedTemporaryFile(suffix=".cpp") as empty:
        if "SHSTK" not in mark_of([words[0], *FLAGS], empty.name, build):
            return 77  # this compiler marks nothing
    if "SHSTK" in mark_of(words, source, build) or "IBT" in mark_of(words, source, build):
        print("the switch is marked as one that stands a shadow stack or landing pads")
        return 1
    return 0


sys.exit(main())
