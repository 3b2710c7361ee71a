"""clang-format has nothing to change. Run as a check only where clang-format 14 is installed."""
import shutil
import subprocess

import sources

SKIP = 77
FOLDERS = ("src", "include", "tests", "examples")


def problems(root):
    if shutil.which("clang-format") is None:
        print("clang-format is not installed")
        raise SystemExit(SKIP)
    version = subprocess.run(["clang-format", "--version"], text=True, capture_output=True).stdout
    if "version 14." not in version:
        print(f"the house style is clang-format 14's; here is {version.strip()}")
        raise SystemExit(SKIP)
    paths = [str(path) for path in sources.files(root, *FOLDERS) if path.suffix != ".S"]
    if not paths:
        return []
    output = subprocess.run(["clang-format", "--dry-run", "--ferror-limit=1", *paths], text=True,
                            capture_output=True, cwd=root).stderr
    return sorted({line.split(":")[0].removeprefix(f"{root}/") + ": not in the house style (make format)"
                   for line in output.splitlines() if "clang-format-violations" in line})
