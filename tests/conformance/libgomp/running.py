"""Runs a test on a runtime and judges what it did."""
import dataclasses
import os
import pathlib
import re
import signal
import subprocess
import tempfile

import environments
import report


@dataclasses.dataclass(frozen=True)
class Runtime:
    name: str
    library_folder: str  # "" for the system's own

    def environment(self):
        return {"LD_LIBRARY_PATH": self.library_folder} if self.library_folder else {}


def run(binary, header, runtime, settings, seconds):
    """`settings` are a configuration's environment; the test's own come after them."""
    environment = environments.clean() | runtime.environment() | settings | header.environment
    if runtime.library_folder:
        environment["XYLEM_DUMP_AFTER"] = str(max(seconds - 5, 1))
    with tempfile.TemporaryDirectory(prefix="xylem-conformance-") as folder:
        with open(pathlib.Path(folder) / "xylem.output", "w+b") as output:
            code = _execute([str(binary)], folder, environment, output, seconds)
            output.seek(0)
            text = output.read().decode(errors="replace")
    return judge(header, code, text, seconds)


def _execute(command, folder, environment, output, seconds):
    """The exit code, minus the signal's number, or None when the time was over."""
    process = subprocess.Popen(command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=output,
                               stderr=subprocess.STDOUT, start_new_session=True)
    try:
        return process.wait(seconds)
    except subprocess.TimeoutExpired:
        return None
    finally:
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        process.wait()


def judge(header, code, text, seconds):
    if code is None:
        return report.Outcome(False, f"no end after {seconds} s", text)
    if header.should_fail and code == 0:
        return report.Outcome(False, "exit code 0, should fail", text)
    if not header.should_fail and code != 0:
        return report.Outcome(False, signal.Signals(-code).name if code < 0 else f"exit code {code}", text)
    if header.output and not re.search(header.output, text):
        return report.Outcome(False, "the output is not what its header expects", text)
    return report.Outcome(True, "", text)
