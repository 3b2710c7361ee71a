"""Compiles a test once. What was built is found again by a digest of all that went into it."""
import hashlib
import functools
import pathlib
import subprocess

COMPILE_SECONDS = 300
ALWAYS = ("-fopenmp", "-fmessage-length=0", "-fno-diagnostics-show-caret", "-fdiagnostics-color=never", "-w")


class Builder:
    def __init__(self, libgomp, folder):
        self.libgomp = libgomp
        self.folder = folder / "bin"
        self.folder.mkdir(parents=True, exist_ok=True)

    def command(self, test):
        header, language = test.header, test.language
        options = header.options if header.has_own_options else [*language.default_options, *header.options]
        includes = ["-I", str(self.libgomp.parent / "include"), "-I", str(self.libgomp),
                    "-I", str(test.path.parent)]
        sources = [str(test.path), *(str(test.path.parent / name) for name in header.sources)]
        stop = ["-S"] if header.action == "compile" else []
        return [*language.compiler, *stop, *sources, *_languages_end(language), *ALWAYS, *includes,
                *language.always, *options, *language.libraries]

    def build(self, test):
        """(binary, None), or (None, the compiler's words) when it does not compile."""
        command = self.command(test)
        parts = [_version(test.language.compiler[0]),
                 *(word.replace(str(self.libgomp.parent), "") for word in command)]
        key = hashlib.sha256("\0".join(parts).encode()).hexdigest()[:24]
        binary, failure = self.folder / key, self.folder / f"{key}.failed"
        if binary.exists():
            return binary, None
        if failure.exists():
            return None, failure.read_text()
        # A folder of its own: Fortran modules and dumps are written to the current one.
        place = self.folder / f"{key}.d"
        place.mkdir(exist_ok=True)
        made = subprocess.run([*command, "-o", str(place / "out")], cwd=place, capture_output=True, text=True,
                              errors="replace", timeout=COMPILE_SECONDS)
        if made.returncode == 0:
            (place / "out").rename(binary)
        else:
            failure.write_text(made.stderr)
        for left in place.iterdir():
            left.unlink()
        place.rmdir()
        return (binary, None) if made.returncode == 0 else (None, made.stderr)


def _languages_end(language):
    return ["-x", "none"] if "-x" in language.compiler else []


@functools.cache
def _version(compiler):
    return subprocess.run([compiler, "--version"], capture_output=True, text=True, check=True).stdout
