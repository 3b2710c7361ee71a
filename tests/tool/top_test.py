"""Tests of `xylem top`: what it shows of running programs, and what it says where it cannot.

Variables as in command_test.py. Each class is one ctest. The programs run until they are told to
end; each waits for a line before every step and answers with one after it.
"""
import fcntl
import json
import os
import pty
import resource
import select
import signal
import struct
import subprocess
import sys
import termios
import time
import unittest

from command_test import Case, SANITIZE, XYLEM

MACHINE = "node:2 core:2 pu:1"

# Each word is a step; the program reads a line before the next one.
STEPS = r"""
#define _GNU_SOURCE
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <omp.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
static _Atomic int over;
static void work(int n) {
  volatile double s = 0;
  for (int i = 0; i < n * 1000; i++) s += i * 0.5;
}
static void wait_for_line(void) {
  char line[16];
  if (!fgets(line, sizeof line, stdin)) _exit(0);
}
static void *watch_input(void *none) {
  wait_for_line();
  over = 1;
  return none;
}
static void region(void) {
#pragma omp parallel num_threads(3)
  {
#pragma omp barrier
  }
}
static void tell(void) { printf("%d\n", (int)getpid()); }
// Six on four PUs: who has a PU alone waits at the barrier, and its worker steals.
static void nested(void) {
  int go = 1;
#pragma omp parallel num_threads(6)
  for (int turn = 0; go; turn++) {
    if (omp_get_thread_num() == 0 && turn == 0) tell();
    for (int i = 0; i < 20; i++) {
#pragma omp parallel num_threads(4)
      work(20);
    }
#pragma omp barrier
#pragma omp single
    go = !over;
  }
}
static void crowded(void) {
  int go = 1;
#pragma omp parallel num_threads(64)
  for (int turn = 0; go; turn++) {
    if (omp_get_thread_num() == 0 && turn == 0) tell();
    work(5);
#pragma omp barrier
#pragma omp single
    go = !over;
  }
}
static void no_memfd(void) {
  struct sock_filter code[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_memfd_create, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
  struct sock_fprog filter = {4, code};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter))
    exit(77);
}
int main(int count, char **words) {
  setvbuf(stdout, NULL, _IOLBF, 0);
  omp_set_max_active_levels(3);
  for (int at = 1; at < count; at++) {
    const char *step = words[at];
    pthread_t thread;
    int child = 0;
    if (!strcmp(step, "region")) region();
    if (!strcmp(step, "close")) for (int file = 3; file < 4096; file++) close(file);
    if (!strcmp(step, "no_memfd")) no_memfd();
    if (!strcmp(step, "fork")) child = fork();
    if (!strcmp(step, "raw_fork")) child = (int)syscall(SYS_fork);
    if (!strcmp(step, "exec")) {
      puts("ready");
      execlp("sleep", "sleep", "100", NULL);
    }
    if (child > 0) {
      waitpid(child, NULL, 0);
      return 0;
    }
    over = 0;
    void (*endless)(void) = !strcmp(step, "nested") ? nested : !strcmp(step, "crowded") ? crowded : 0;
    if (!endless) {
      tell();
      wait_for_line();
      continue;
    }
    pthread_create(&thread, NULL, watch_input, NULL);
    endless();
    pthread_join(thread, NULL);
  }
  return 0;
}
"""


class Watched(Case):
    """Starts programs, and ends them."""

    def start(self, *steps, machine=MACHINE, options=(), prepare=None):
        program = self.compile("steps", STEPS, "-fopenmp", "-O1", "-pthread", *SANITIZE)
        environment = {name: value for name, value in os.environ.items()
                       if not name.startswith(("OMP_", "XYLEM_", "GOMP_", "KMP_", "LD_"))}
        process = subprocess.Popen(
            [XYLEM, "run", "--machine", machine, *options, "--", program, *steps],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment,
            preexec_fn=prepare)
        self.addCleanup(self.finish, process)
        self.pid_of(process)
        return process

    def pid_of(self, process):
        """Who answers that a step was made: the program, or its child."""
        line = process.stdout.readline()
        if not line and process.wait() == 77:
            self.skipTest("the program cannot be set up here")
        return line.strip()

    def next_step(self, process):
        process.stdin.write("\n")
        process.stdin.flush()
        return self.pid_of(process)

    def finish(self, process):
        process.kill()
        process.stdin.close()
        process.stdout.close()
        process.wait()

    def measure(self, pid, *options, interval="0.5"):
        done = self.xylem("top", str(pid), "--once", "--json", "--interval", interval, *options)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return json.loads(done.stdout)

    def measure_until(self, pid, holds, tries=40):
        """A measure of which `holds`; others may come before, as a machine may be slow."""
        for _ in range(tries):
            measure = self.measure(pid, interval="0.3")
            if holds(measure):
                return measure
        self.fail("in no measure: %s" % json.dumps(measure))

    def watch(self, *words, **how):
        process = subprocess.Popen([XYLEM, "top", *[str(word) for word in words]],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **how)

        def end():
            process.kill()
            process.communicate()
        self.addCleanup(end)
        return process


    def read_line(self, watcher, holds):
        """Reads on to a line of which `holds`."""
        while True:
            line = watcher.stdout.readline()
            if holds(line):
                return
            self.assertTrue(line, "it ended, and said " + watcher.stderr.read() if not line else "")


class Top(Watched):
    def test_nested_regions(self):
        program = self.start("nested", options=("--policy", "steal"))
        measure = self.measure_until(
            program.pid, lambda measure: measure["steals_per_s"] > 0 and measure["turns_per_s"] > 0)
        self.assertEqual(measure["process"], program.pid)
        self.assertIn("steps nested", measure["command"])
        self.assertEqual((measure["policy"], measure["machine"]), ("steal", MACHINE))
        self.assertEqual(measure["activity"], "running")
        self.assertEqual(measure["open_regions"], 1)
        self.assertGreaterEqual(measure["measured_s"], 0.3)
        self.assertGreaterEqual(measure["kernel_threads"], 4)
        self.assertEqual([level["name"] for level in measure["levels"]],
                         ["machine", "node0", "node1", "pu0", "pu1", "pu2", "pu3"])
        self.assertEqual(measure["levels"][2], {"name": "node1", "kind": "node", "parent": 0,
                                                "first_pu": 2, "pus": 2,
                                                "waiting": measure["levels"][2]["waiting"]})
        self.assertEqual([pu["node"] for pu in measure["pus"]], [0, 0, 1, 1])
        self.assertEqual([node["pus"] for node in measure["nodes"]], [[0, 1], [2, 3]])

    def test_sums(self):
        program = self.start("nested", options=("--policy", "steal"))
        measure = self.measure_until(program.pid, lambda measure: measure["steals_per_s"] > 0)
        for rate in ("turns_per_s", "steals_per_s"):
            for rows in ("nodes", "pus"):
                self.assertAlmostEqual(measure[rate], sum(row[rate] for row in measure[rows]),
                                       delta=0.01)
        for row in measure["pus"] + measure["nodes"]:
            self.assertAlmostEqual(row["steals_per_s"], sum(row["steals_from"].values()), delta=0.01)
            self.assertLessEqual(set(row["steals_from"]), {"node", "machine"})
            self.assertTrue(0 <= row["awake"] <= 1, row)
        for pu in measure["pus"]:
            self.assertIn(pu["state"], ("absent", "awake", "searching", "parked"))
        self.assertEqual(measure["waiting"], sum(level["waiting"] for level in measure["levels"]))
        self.assertTrue(any(pu["awake"] > 0 for pu in measure["pus"]))

    def test_more_threads_than_pus_wait(self):
        program = self.start("crowded")
        measure = self.measure_until(program.pid, lambda measure: measure["waiting"] > 0)
        self.assertLess(measure["waiting"], 64)
        self.assertTrue(any(pu["waiting"] > 0 for pu in measure["pus"])
                        or measure["levels"][0]["waiting"] > 0)

    def test_nothing_is_stolen_where_nobody_may(self):
        program = self.start("crowded", options=("--policy", "places"))
        measure = self.measure_until(program.pid, lambda measure: measure["turns_per_s"] > 0)
        self.assertEqual(measure["steals_per_s"], 0)

    def test_no_region_open(self):
        program = self.start("region")
        measure = self.measure_until(program.pid,
                                     lambda measure: measure["activity"] == "no region open")
        self.assertEqual({pu["state"] for pu in measure["pus"]}, {"idle"})
        self.assertEqual(len(measure["levels"]), 7)
        for number in ("waiting", "turns_per_s", "steals_per_s", "regions_per_s", "open_regions"):
            self.assertEqual(measure[number], 0, number)
        done = self.xylem("top", str(program.pid), "--once", "--interval", "0.1")
        self.assertIn("\nno region open; 0 regions/s", done.stdout)

    def test_a_region_after_rest(self):
        program = self.start("region", "nested")
        self.measure_until(program.pid, lambda measure: measure["activity"] == "no region open")
        watcher = self.watch(program.pid, "--interval", "0.2")
        self.read_line(watcher, lambda line: line.startswith("no region open"))
        self.next_step(program)
        self.read_line(watcher, lambda line: line.startswith("1 region open"))

    def test_stopped(self):
        program = self.start("nested")
        os.kill(program.pid, signal.SIGSTOP)
        self.assertEqual(self.measure(program.pid)["activity"], "stopped")
        os.kill(program.pid, signal.SIGCONT)
        self.measure_until(program.pid, lambda measure: measure["activity"] == "running")

    def test_two_watchers(self):
        program = self.start("nested")
        watchers = [self.watch(program.pid, "--once", "--json", "--interval", "0.3")
                    for _ in range(3)]
        for watcher in watchers:
            out, complaint = watcher.communicate(timeout=60)
            self.assertEqual((watcher.returncode, complaint), (0, ""))
            self.assertEqual(json.loads(out)["process"], program.pid)

    def test_text(self):
        program = self.start("nested", options=("--policy", "steal"))
        done = self.xylem("top", str(program.pid), "--once", "--interval", "0.3")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        lines = done.stdout.splitlines()
        self.assertRegex(lines[0], r"^process %d: .*steps nested$" % program.pid)
        self.assertRegex(lines[1], r'^up .* s, \d+ kernel threads; policy steal; '
                                   r'machine "%s": 4 PUs, 2 memory nodes$' % MACHINE)
        self.assertRegex(lines[2], r"^1 region open; .* regions/s, \d+ waiting, .* turns/s, "
                                   r".* steals/s$")
        self.assertRegex(lines[4], r"^level +state +awake +waiting +extra +bubble +turns/s +steals/s")
        self.assertEqual([line.split()[0] for line in lines[5:11]],
                         ["node0", "pu0", "pu1", "node1", "pu2", "pu3"])

    def test_list(self):
        programs = [self.start("region"), self.start("nested")]
        done = self.xylem("top")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        for program in programs:
            self.assertRegex(done.stdout, r"(?m)^ *%d +\d+  .*steps " % program.pid)
        self.complains(2, "processes run on Xylem: write `xylem top PID`", "top", "--once", "--json")


class TopTrouble(Watched):
    def test_wrong_words(self):
        self.complains(2, "--json needs --once", "top", "--json")
        self.complains(2, "--interval takes", "top", "--interval", "0")
        self.complains(2, "--interval takes", "top", "--interval", "nan")
        self.complains(2, "'x' is no number of a process", "top", "x")
        self.complains(2, "'-4' is no number of a process", "top", "--", "-4")
        self.complains(2, "no argument '2'", "top", "1", "2")

    def test_no_such_process(self):
        ended = subprocess.Popen(["true"])
        ended.wait()
        self.complains(2, "there is no process %d" % ended.pid, "top", str(ended.pid))

    def test_a_zombie(self):
        process = subprocess.Popen(["true"])
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        self.complains(2, "process %d has ended" % process.pid, "top", str(process.pid))
        process.wait()

    def test_not_on_xylem(self):
        self.complains(2, "does not run on Xylem", "top", str(os.getpid()))

    def test_another_user(self):
        program = self.start("region")
        if os.geteuid() != 0:
            self.skipTest("only root can become another user")
        done = subprocess.run(["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups",
                               XYLEM, "top", str(program.pid), "--once"],
                              capture_output=True, text=True, timeout=60)
        if done.returncode in (126, 127):
            self.skipTest("another user cannot start the command: " + done.stderr)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertRegex(done.stderr, r"^xylem: process %d belongs to another user.*\n$" % program.pid)

    def test_nothing_to_show_yet(self):
        program = self.start("nothing", "region")
        self.complains(2, "has not opened a parallel region", "top", str(program.pid))
        self.next_step(program)
        self.assertEqual(self.measure(program.pid)["process"], program.pid)

    def test_a_closed_page(self):
        program = self.start("region", "close")
        self.next_step(program)
        self.complains(2, "has closed the descriptor", "top", str(program.pid))

    def test_no_such_memory(self):
        program = self.start("no_memfd", "region", "nested")
        self.next_step(program)
        self.complains(2, "its system makes no such memory", "top", str(program.pid))
        self.next_step(program)
        self.complains(2, "its system makes no such memory", "top", str(program.pid))

    def test_short_files(self):
        """The page counts as a file: a program that may write none goes on without."""
        program = self.start("region", "region", prepare=lambda: resource.setrlimit(
            resource.RLIMIT_FSIZE, (4096, 4096)))
        self.complains(2, "its system makes no such memory", "top", str(program.pid))
        self.next_step(program)
        self.assertIsNone(program.poll())

    def test_it_ends_while_watched(self):
        program = self.start("nested")
        watcher = self.watch(program.pid, "--interval", "0.2")
        self.read_line(watcher, lambda line: line.startswith("node1"))
        program.kill()
        program.wait()
        _, complaint = watcher.communicate(timeout=60)
        self.assertEqual((watcher.returncode, complaint),
                         (0, "xylem: process %d has ended\n" % program.pid))

    def wait_for_its_eyes(self, watcher):
        """Returns when it has mapped the page of what it watches."""
        while watcher.poll() is None:
            with open("/proc/%d/maps" % watcher.pid, encoding="utf-8", errors="replace") as maps:
                if "/memfd:" in maps.read():
                    return
            time.sleep(0.01)

    def test_it_ends_before_anything_was_measured(self):
        program = self.start("nested")
        watcher = self.watch(program.pid, "--once", "--interval", "1000")
        self.wait_for_its_eyes(watcher)
        program.kill()
        program.wait()
        out, complaint = watcher.communicate(timeout=60)
        self.assertEqual((watcher.returncode, out, complaint),
                         (1, "", "xylem: process %d has ended\n" % program.pid))

    def test_it_becomes_another_program(self):
        program = self.start("region", "exec")
        watcher = self.watch(program.pid, "--interval", "0.2")
        self.read_line(watcher, lambda line: line.startswith("node1"))
        self.next_step(program)
        _, complaint = watcher.communicate(timeout=60)
        self.assertEqual((watcher.returncode, complaint),
                         (0, "xylem: process %d runs another program now\n" % program.pid))
        # The other program inherits the preloaded library, but under libasan, where none is.
        preloaded = not any("address" in word for word in SANITIZE)
        self.complains(2, "has not opened a parallel region" if preloaded else
                       "does not run on Xylem", "top", str(program.pid))

    def test_a_forked_child(self):
        program = self.start("region", "fork", "region")
        child = self.next_step(program)
        self.assertNotEqual(int(child), program.pid)
        self.complains(2, "has not opened a parallel region", "top", child)
        self.assertEqual(self.measure(program.pid)["process"], program.pid)
        self.next_step(program)
        measure = self.measure(child)
        self.assertEqual((measure["process"], measure["activity"]), (int(child), "no region open"))
        self.assertEqual(self.measure(program.pid)["process"], program.pid)

    def test_a_child_by_the_bare_system_call_has_no_page_of_its_own(self):
        program = self.start("region", "raw_fork")
        child = self.next_step(program)
        self.complains(2, "its page is that of process %d" % program.pid, "top", child)


class TopTerminal(Watched):
    """In a pseudo-terminal of 30 rows."""

    def open(self, pid, *options):
        self.mine, theirs = pty.openpty()
        self.addCleanup(os.close, self.mine)
        self.addCleanup(os.close, theirs)
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 30, 100, 0, 0))
        self.theirs = theirs
        self.before = termios.tcgetattr(theirs)
        watcher = subprocess.Popen([XYLEM, "top", str(pid), "--interval", "0.2", *options],
                                   stdin=theirs, stdout=theirs, stderr=subprocess.PIPE, text=True)
        self.addCleanup(watcher.stderr.close)
        self.addCleanup(watcher.kill)
        self.seen = ""
        return watcher

    def read_until(self, text, watcher):
        while text not in self.seen:
            ready, _, _ = select.select([self.mine], [], [], 60)
            self.assertTrue(ready, "no %r in %r" % (text, self.seen))
            self.seen += os.read(self.mine, 65536).decode()

    def ends_well(self, watcher, code=0, complaint=""):
        # What it restores it also writes: it must be read, or it waits.
        self.read_until("\033[?1049l", watcher)
        self.assertEqual((watcher.wait(60), watcher.stderr.read()), (code, complaint))
        self.assertTrue(self.seen.endswith("\033[?25h\033[?1049l"), self.seen[-80:])
        self.assertEqual(termios.tcgetattr(self.theirs), self.before)

    def test_q_ends_it(self):
        program = self.start("nested")
        watcher = self.open(program.pid)
        self.read_until("pu3", watcher)
        self.assertTrue(self.seen.startswith("\033[?1049h\033[?25l\033[H"), self.seen[:40])
        self.assertIn("process %d: " % program.pid, self.seen)
        self.assertNotEqual(termios.tcgetattr(self.theirs), self.before)
        os.write(self.mine, b"x")
        self.seen = ""
        self.read_until("pu3", watcher)  # another key: it goes on
        os.write(self.mine, b"q")
        self.ends_well(watcher)

    def test_interrupts_end_it(self):
        program = self.start("region")
        for end in (lambda watcher: os.write(self.mine, b"\3"),
                    lambda watcher: watcher.send_signal(signal.SIGTERM),
                    lambda watcher: watcher.send_signal(signal.SIGINT)):
            watcher = self.open(program.pid)
            self.read_until("no region open", watcher)
            end(watcher)
            self.ends_well(watcher)

    def test_the_process_ends(self):
        program = self.start("nested")
        watcher = self.open(program.pid)
        self.read_until("pu3", watcher)
        program.kill()
        program.wait()
        self.ends_well(watcher, 0, "xylem: process %d has ended\n" % program.pid)

    def test_a_large_machine_is_folded(self):
        program = self.start("region", machine="node:4 core:16 pu:2")
        watcher = self.open(program.pid)
        self.read_until("node3", watcher)
        self.assertNotIn("\n  ", self.seen)
        os.write(self.mine, b"q")
        self.ends_well(watcher)
        watcher = self.open(program.pid, "--all")
        self.read_until("more lines", watcher)
        self.assertIn("pu0 ", self.seen)
        os.write(self.mine, b"q")
        self.ends_well(watcher)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[1:]])
