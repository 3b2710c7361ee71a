"""Owns one boot: QEMU's process, what it needs on disk, and the frames that come back from it.

The protocol is that of lab/guest/relay.c. QEMU never outlives this process, and is killed as soon as
the command's exit code is here: everything a machine has is in its memory.
"""
import ctypes
import os
import select
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

from parts.archive import Archive, Missing, newer, replace

HERE = Path(__file__).resolve().parent.parent
# A boot in which the kernel has said nothing for so long hangs: rare, under emulation with several
# threads. Nothing of the command has begun then, so lab/run boots once more.
STALLED_SECONDS = 60
BOOT_SECONDS = 240  # a machine is up in some seconds; slower is a host with much else to do
TIMED_OUT = 124
BROKEN = 125
PORT = "/dev/vport0p1"
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/lab/bin"
_APPLETS_ELSEWHERE = {"sh": "/bin/sh"}  # where programs look for it by its whole name
_KERNEL_LINE = ("console=ttyS0 loglevel=6 panic=-1 oops=panic nokaslr mitigations=off nowatchdog "
                "tsc=reliable no_timer_check cryptomgr.notests rcupdate.rcu_cpu_stall_suppress=1 "
                "memhp_default_state=online_movable")  # pluggable memory can go only if movable
_PR_SET_PDEATHSIG = 1


def _build_relay(cache):
    relay, source = cache / "relay", HERE / "guest/relay.c"
    if not newer(relay, source):
        replace(relay, lambda unready: _compile(source, unready))
    return relay


def _compile(source, program):
    try:
        subprocess.run(["gcc", "-static", "-O2", "-o", program, source], check=True)
    except (FileNotFoundError, subprocess.CalledProcessError) as error:
        raise Missing(f"{source} cannot be built ({error}); install gcc and libc6-dev") from error


def applets(busybox):
    return subprocess.run([busybox, "--list"], text=True, capture_output=True,
                          check=True).stdout.split()


def base_archive(cache, busybox):
    """The part that is the same for every job: busybox, the first process, the modules."""
    base = cache / "base.cpio"
    relay = _build_relay(cache)
    modules = cache / "kernel/modules"
    init = HERE / "guest/init"
    if not newer(base, init, relay, busybox, modules / "order", __file__):
        replace(base, lambda file: _write_base(file, busybox, relay, modules, init))
    return base


def _write_base(file, busybox, relay, modules, init):
    with open(file, "wb") as stream:
        archive = Archive(stream)
        archive.text("/init", init.read_bytes(), 0o755)
        archive.text("/bin/busybox", Path(busybox).read_bytes(), 0o755)
        archive.text("/lab/relay", relay.read_bytes(), 0o755)
        for module in modules.iterdir():
            archive.text(f"/lab/modules/{module.name}", module.read_bytes())
        for applet in applets(busybox):
            archive.link(_APPLETS_ELSEWHERE.get(applet, f"/lab/bin/{applet}"), "/bin/busybox")
        archive.text("/etc/passwd", b"root:x:0:0:root:/tmp:/bin/sh\n")
        archive.close()


def kernel_line(autonuma, more):
    return f"{_KERNEL_LINE} numa_balancing={'enable' if autonuma else 'disable'} {more}"


def job_script(words, environment, folder):
    """What the first process becomes: the command, its environment and its folder."""
    lines = [f"export {name}={shlex.quote(value)}"
             for name, value in {"PATH": PATH, "HOME": "/tmp", **environment}.items()]
    lines.append(f"cd {shlex.quote(folder)} || exit 1")
    lines.append(f"exec /lab/relay {PORT} {' '.join(map(shlex.quote, words))}")
    return "\n".join(lines) + "\n"


class Stalled(Exception):
    """The kernel hangs before the command has begun."""


class Boot:
    """Runs QEMU once; run() returns the command's exit code."""

    def __init__(self, machine, kernel, image, console, line):
        self._console = console
        self._buffer = bytearray()
        self._code = None
        self._up_at = None
        self._console_length = -1
        self._grown_at = time.monotonic()
        self._frames, write_end = os.pipe()
        words = ["qemu-system-x86_64", "-nodefaults", "-no-user-config", "-display", "none",
                 "-no-reboot", "-machine", "pc", "-accel", "tcg,thread=multi", "-cpu", "max,-la57",
                 *machine.qemu_options(), "-kernel", kernel / "vmlinuz", "-initrd", image, "-append", line,
                 "-serial", f"file:{console}", "-device", "virtio-serial-pci,bus=pci.0,max_ports=2",
                 "-chardev", f"file,id=relay,path=/proc/self/fd/{write_end}",
                 "-device", "virtserialport,chardev=relay,nr=1"]
        self._started = time.monotonic()
        self._process = subprocess.Popen(
            words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
            pass_fds=[write_end], preexec_fn=_die_with(os.getpid()))
        os.close(write_end)

    @property
    def seconds_to_boot(self):
        return self._up_at - self._started if self._up_at else None

    def run(self, timeout):
        try:
            while self._code is None:
                left = self._patience(timeout)
                if left <= 0:
                    return self._too_late(timeout)
                ready = select.select([self._frames], [], [], min(left, 1))[0]
                if ready and not self._read():
                    return self._ended_early()
                if not self._up_at and self._stalled():
                    raise Stalled
            return self._code
        finally:
            self._process.kill()
            self._process.wait()
            os.close(self._frames)

    def _patience(self, timeout):
        """Seconds that the boot, or after it the command, still has."""
        begun, limit = (self._up_at, timeout) if self._up_at else (self._started, BOOT_SECONDS)
        return begun + limit - time.monotonic()

    def _stalled(self):
        """Whether the console has not grown for long; looked at again and again while booting."""
        length = os.path.getsize(self._console) if os.path.exists(self._console) else 0
        now = time.monotonic()
        if length != self._console_length:
            self._console_length, self._grown_at = length, now
        return now - self._grown_at > STALLED_SECONDS

    def _read(self):
        """Takes what there is; false at the end of the stream."""
        data = os.read(self._frames, 1 << 16)
        self._buffer += data
        while len(self._buffer) >= 5:
            length = int.from_bytes(self._buffer[1:5], "little")
            if len(self._buffer) < 5 + length:
                break
            self._frame(chr(self._buffer[0]), bytes(self._buffer[5:5 + length]))
            del self._buffer[:5 + length]
        return bool(data)

    def _frame(self, kind, data):
        if kind == "u":
            self._up_at = time.monotonic()
        elif kind == "x":
            self._code = int.from_bytes(data, "little")
        else:
            stream = sys.stdout.buffer if kind == "o" else sys.stderr.buffer
            stream.write(data)
            stream.flush()

    def _too_late(self, timeout):
        if self._up_at:
            complain(f"no end after {timeout:g} s; the machine was killed")
            return TIMED_OUT
        self.show_console(f"the machine was not up after {BOOT_SECONDS} s")
        return BROKEN

    def _ended_early(self):
        self._process.kill()
        said = os.fsdecode(self._process.stderr.read()).strip()
        what = "while the command ran" if self._up_at else "before the command began"
        self.show_console(f"the machine stopped {what}{': ' + said if said else ''}")
        return BROKEN

    def show_console(self, what):
        complain(f"{what}. The end of its console:")
        try:
            lines = Path(self._console).read_text(errors="replace").split("\n")[-60:]
        except FileNotFoundError:
            lines = ["(it has none)"]
        sys.stderr.write("\n".join(lines) + "\n")


def _die_with(parent):
    """For a child: be killed when the parent ends, however it ends."""
    prctl = ctypes.CDLL(None).prctl

    def prepare():
        prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:
            os._exit(BROKEN)
    return prepare


def complain(what):
    print(f"lab: {what}", file=sys.stderr, flush=True)

