"""Runs tests by lit on a runtime and says what became of each."""
import dataclasses
import json
import pathlib
import re
import subprocess
import sys

import environments
import report
import suite

HERE = pathlib.Path(__file__).resolve().parent
RESULT = re.compile(r"^[A-Z]+: libomp :: .* \(\d+ of \d+\)$")
PASSED = ("PASS", "XFAIL")
TIME_IS_OVER = "124"  # the exit code of timeout(1)
# What LLVM's own build would write into lit.site.cfg for Debian's libomp.
FACTS = {
    "test_compiler_features": ["clang", "clang-19", "clang-19.1", "clang-19.1.7"],
    "test_compiler_has_omp_h": True, "test_openmp_flags": "-fopenmp", "test_extra_flags": "",
    "test_filecheck": str(suite.LLVM / "bin/FileCheck"), "test_not": str(suite.LLVM / "bin/not"),
    "library_dir": str(suite.LLVM / "lib"), "omp_header_directory": str(suite.LLVM / "lib/clang/19/include"),
    "operating_system": "Linux", "target_arch": "x86_64", "using_hwloc": False, "hwloc_library_dir": "",
    "has_ompt": True, "has_ompx_taskgraph": False, "has_libm": True, "has_libatomic": True,
    "is_standalone_build": True, "has_omit_frame_pointer_flag": True,
}


@dataclasses.dataclass
class Lit:
    """LLVM's tests in `tests`, compiled and run in `work`; a program's time is `seconds`."""
    tests: pathlib.Path
    work: pathlib.Path
    jobs: int
    seconds: int

    def names(self):
        """{name: why it is not for this machine, or ""} of all tests."""
        return {name: text.strip() if code == "UNSUPPORTED" else ""
                for name, (code, text) in self._lit([], {}, "", "--no-execute").items()}

    def run(self, names, library, settings, title):
        """{name: report.Outcome} on the runtime in the folder `library`; `settings` are the environment."""
        settings = settings | {"LD_LIBRARY_PATH": str(library), "XYLEM_DUMP_AFTER": str(max(self.seconds - 5, 1))}
        return {name: judge(code, text, self.seconds)
                for name, (code, text) in self._lit(names, settings, title).items()}

    def _lit(self, names, settings, title, *options):
        """{name: (lit's code, output)}. Without names: all tests. Progress is shown under a title."""
        folder = self.work / "run"
        folder.mkdir(exist_ok=True)
        (folder / "lit.site.cfg").write_text(self.site(settings))
        results = self.work / "lit.json"
        results.unlink(missing_ok=True)
        paths = [str(folder / name) for name in names] or [str(folder)]
        _watch([sys.executable, str(suite.LIT), "-j", str(self.jobs), "--no-progress-bar", "-o", str(results),
                *options, *paths], title, len(names))
        tests = {test["name"].removeprefix("libomp :: "): (test["code"], test["output"])
                 for test in json.loads(results.read_text())["tests"]}
        return dict(sorted(tests.items()))

    def site(self, settings):
        """The text of lit.site.cfg: what LLVM's build would say, then ours."""
        once = f"{HERE / 'compile_once'} {self.work / 'bin'}"
        (self.work / "bin").mkdir(exist_ok=True)
        facts = FACTS | {"test_c_compiler": f"{once} {suite.LLVM / 'bin/clang'}",
                         "test_cxx_compiler": f"{once} {suite.LLVM / 'bin/clang++'}",
                         "libomp_obj_root": str(self.work / "run")}
        lines = [f"config.{name} = {value!r}" for name, value in facts.items()]
        return "\n".join([
            *lines, f"lit_config.load_config(config, {str(self.tests / 'lit.cfg')!r})",
            f"config.environment.update({settings!r})",
            f"limited = ('%libomp-run', 'timeout -k 2 {self.seconds} %t')",
            "config.substitutions = [limited if pair[0] == limited[0] else pair for pair in config.substitutions]", ""])


def _watch(command, title, total):
    """Runs lit and counts the tests that have ended. Ends the program when lit itself fails."""
    progress, said = report.Progress(title, total) if title else None, []
    with subprocess.Popen(command, env=environments.clean(), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, errors="replace") as process:
        for line in process.stdout:
            if progress and RESULT.match(line):
                progress.step()
            said.append(line)
    if process.returncode not in (0, 1):  # 1: tests failed
        sys.exit("conformance: lit failed:\n" + "".join(said[-40:]))
    if progress:
        progress.end()


def judge(code, text, seconds):
    if code in PASSED:
        return report.Outcome(True, "", text)
    failed = re.findall(r"command failed with exit status: (-?\d+)", text)
    if TIME_IS_OVER in failed:
        return report.Outcome(False, f"no end after {seconds} s", text)
    if not failed:
        return report.Outcome(False, code, text)
    return report.Outcome(False, f"exit code{'s' if len(failed) > 1 else ''} {', '.join(failed)}", text)
