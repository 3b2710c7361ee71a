"""Answers the selectors of DejaGnu headers for a Linux x86-64 host without offload devices."""
import fnmatch
import functools
import os
import subprocess
import tempfile

import tcl

TRIPLET = "x86_64-pc-linux-gnu"
# What is so on every machine of that kind, or by the harness's own choice.
FACTS = {
    "lp64": True, "ia32": False, "tls": True, "tls_runtime": True, "sse2_runtime": True,
    "sync_int_long": True, "size32plus": True, "fd_truncate": True, "__float128": True,
    "large_long_double": True, "shared": True, "fpic": True, "alias": True, "vect_simd_clones": True,
    # `target` regions fall back to the host, which shares its memory with itself.
    "offload_device": False, "offload_device_shared_as": True, "offload_device_nonshared_as": False,
    "offload_device_any_intel_mic": False, "offload_target_nvptx": False, "offload_target_amdgcn": False,
    "run_expensive_tests": False, "skip-all-targets": False, "aarch64_tiny": False,
}


class Unknown(Exception):
    """A header asks for a target that this file has no answer for."""


class Targets:
    """Answers for one language: "c", "c++" or "fortran"."""

    def __init__(self, language):
        self.language = language

    def holds(self, selector):
        """Whether a selector's text holds, such as `{ i?86-*-* x86_64-*-* } && lp64`."""
        return self._all_of(tcl.words(selector))

    def _all_of(self, parts):
        if not parts:
            return True
        if parts[0] == "!":
            return not self._all_of(parts[1:])
        if len(parts) > 2 and parts[1] == "&&":
            return self.holds(parts[0]) and self._all_of(parts[2:])
        if len(parts) > 2 and parts[1] == "||":
            return self.holds(parts[0]) or self._all_of(parts[2:])
        if len(parts) > 1:
            return any(self.holds(part) for part in parts)
        return self.holds(parts[0]) if " " in parts[0].strip() else self._one(parts[0].strip())

    def _one(self, name):
        if name in ("c", "c++"):
            return name == self.language
        if name in FACTS:
            return FACTS[name]
        if name == "avx_runtime":
            return "avx" in _processor_flags()
        if name == "lto":
            return _compiles_with_lto()
        if "-" in name and ("*" in name or name.count("-") >= 2):
            return fnmatch.fnmatchcase(TRIPLET, name)
        raise Unknown(name)


@functools.cache
def _processor_flags():
    with open("/proc/cpuinfo") as info:
        return next((line.split() for line in info if line.startswith("flags")), [])


@functools.cache
def _compiles_with_lto():
    with tempfile.TemporaryDirectory() as folder:
        made = subprocess.run([os.environ.get("CC", "gcc"), "-flto", "-x", "c", "-", "-o", f"{folder}/a"],
                              input="int main(void) { return 0; }\n", text=True, capture_output=True)
    return made.returncode == 0
