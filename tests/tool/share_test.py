"""Tests of processes that share the machine: real programs at once, as `xylem top` shows them.

Variables as in command_test.py. Each class is one ctest. Each test has a folder of its own as
$XDG_RUNTIME_DIR, so that nothing else on the machine takes part.
"""
import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
import unittest

from command_test import Case, SANITIZE, XYLEM

# Barriers in regions until its input ends; then it says whether all was right. `pipe`: it says its
# number first. fork: a child does the same beside it. same: each member must be the same kernel
# thread region after region.
PROGRAM = r"""
#include <omp.h>
#include <stdio.h>
#include <string.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>
static _Atomic int over;
static void *watch_input(void *none) {
  char line[16];
  while (fgets(line, sizeof line, stdin)) {}
  over = 1;
  return none;
}
static double cells[512];
static pthread_t members[64];
static int members_are_the_same(void) {
  int same = 1;
#pragma omp parallel reduction(& : same)
  {
    const int number = omp_get_thread_num();
    if (members[number] == 0) members[number] = pthread_self();
    same = pthread_equal(members[number], pthread_self()) != 0;
  }
  return same;
}
static int steps_are_right(int steps) {
  long sum = 0;
#pragma omp parallel reduction(+ : sum)
  for (int step = 0; step < steps; step++) {
#pragma omp for schedule(static)
    for (int i = 0; i < 512; i++) cells[i] += i;
    sum++;
  }
  int threads = 0;
#pragma omp parallel reduction(+ : threads)
  threads++;
  return sum == (long)steps * threads;
}
int main(int count, char **words) {
  pid_t child = 0;
  if (count > 1 && strcmp(words[1], "fork") == 0) {
    if (!steps_are_right(20000)) return 3;  // the parent has a row by now
    child = fork();
  }
  int right = steps_are_right(1);  // from here on it can be watched
  pthread_t thread;
  pthread_create(&thread, NULL, watch_input, NULL);
  printf("%d\n", (int)getpid());
  fflush(stdout);
  const int same = count > 1 && strcmp(words[1], "same") == 0;
  while (!over) right &= steps_are_right(200) && (!same || members_are_the_same());
  pthread_join(thread, NULL);
  if (child > 0) {
    int status = 0;
    right &= waitpid(child, &status, 0) == child && status == 0;
  }
  return right ? 0 : 1;
}
"""
PUS = len(os.sched_getaffinity(0))
LONG = 60  # seconds; loaded machines are slow


class Sharing(Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        if PUS < 2:
            raise unittest.SkipTest("one processor cannot be divided")

    def setUp(self):
        self.program = self.compile("steps", PROGRAM, "-fopenmp", "-pthread", "-O1", *SANITIZE)
        self.home = tempfile.mkdtemp(dir=self.folder)
        self.running = []

    def tearDown(self):
        for process in self.running:
            process.kill()
            process.wait()
            process.stdin.close()
            process.stdout.close()

    def start(self, *words, options=(), **variables):
        environment = {name: value for name, value in os.environ.items()
                       if not name.startswith(("OMP_", "XYLEM_"))}
        # What else runs on the machine takes no part.
        environment |= {"XDG_RUNTIME_DIR": self.home, "XYLEM_SHARE_STRANGERS": "false"} | variables
        process = subprocess.Popen([XYLEM, "run", *options, "--", self.program, *words], text=True,
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment)
        self.running.append(process)
        process.stdout.readline()
        return process

    def lent(self, pid):
        """How many of its PUs the process has lent."""
        done = self.xylem("top", str(pid), "--once", "--json", "--interval", "0.1")
        self.assertEqual(done.returncode, 0, done.stderr)
        return sum(pu["state"] == "lent" for pu in json.loads(done.stdout)["pus"])

    def lent_by(self, *processes):
        return [self.lent(process.pid) for process in processes]

    def comes(self, wanted, *processes):
        """They lend so many, sooner or later, three times in a row."""
        end = time.monotonic() + LONG
        seen = []
        while time.monotonic() < end:
            seen.append(wanted(self.lent_by(*processes)))
            if seen[-3:] == [True] * 3:
                return
        self.fail("in %d looks: %s, last %s" % (len(seen), seen, self.lent_by(*processes)))

    def ends_well(self, *processes):
        for process in processes:
            process.stdin.close()
            self.assertEqual(process.wait(LONG), 0)

    def rows(self):
        folder = os.path.join(self.home, "xylem")
        names = os.listdir(folder) if os.path.isdir(folder) else []
        return [os.path.join(folder, name) for name in names]

    def keeps_its_own(self, *processes):
        """Nobody lends, over a second."""
        end = time.monotonic() + 1
        while time.monotonic() < end:
            self.assertEqual(self.lent_by(*processes), [0] * len(processes))


class Share(Sharing):
    def test_two_divide_the_processors(self):
        one = self.start()
        self.keeps_its_own(one)
        other = self.start()
        self.comes(lambda lent: sum(lent) == PUS, one, other)
        self.ends_well(other)
        self.comes(lambda lent: lent == [0], one)
        self.ends_well(one)

    def test_more_than_processors_keep_one_each(self):
        all_of_them = [self.start() for _ in range(PUS + 1)]
        self.comes(lambda lent: all(n >= PUS - 2 for n in lent) and PUS - 1 in lent, *all_of_them)
        self.ends_well(*all_of_them)

    def test_who_is_killed_gives_back_all(self):
        one, other = self.start(), self.start()
        self.comes(lambda lent: sum(lent) == PUS, one, other)
        other.kill()
        other.wait()
        self.comes(lambda lent: lent == [0], one)
        self.ends_well(one)

    def test_who_is_stopped_gives_back_all_and_comes_again(self):
        one, other = self.start(), self.start()
        self.comes(lambda lent: sum(lent) == PUS, one, other)
        other.send_signal(signal.SIGSTOP)
        self.comes(lambda lent: lent == [0], one)
        other.send_signal(signal.SIGCONT)
        self.comes(lambda lent: sum(lent) == PUS, one, other)
        self.ends_well(one, other)

    def test_a_forked_child_has_a_part_of_its_own(self):
        parent = self.start("fork")
        parent.stdout.readline()  # both have begun
        with open("/proc/%d/task/%d/children" % (parent.pid, parent.pid), encoding="ascii") as file:
            pids = [parent.pid, *map(int, file.read().split())]
        self.assertEqual(len(pids), 2)
        end = time.monotonic() + LONG
        while sum(self.lent(pid) for pid in pids) != PUS:
            self.assertLess(time.monotonic(), end)
        self.ends_well(parent)

    def test_off_by_a_setting_and_by_an_option(self):
        pair = self.start(XYLEM_SHARE="false"), self.start(options=["--no-share"])
        self.keeps_its_own(*pair)
        self.assertEqual(self.rows(), [])
        self.ends_well(*pair)


class ShareStrangers(Sharing):
    """Beside threads that compute all the time, as many as processors, and divide with nobody."""

    def setUp(self):
        super().setUp()
        self.strangers = [subprocess.Popen([sys.executable, "-c", "while True: pass"])
                          for _ in range(PUS)]

    def tearDown(self):
        for process in self.strangers:
            process.kill()
            process.wait()
        super().tearDown()

    def test_members_that_wait_for_each_other_have_fewer_workers(self):
        one = self.start(XYLEM_SHARE_STRANGERS="true")
        # It goes on trying: not each look finds fewer.
        end = time.monotonic() + LONG
        while self.lent(one.pid) == 0:
            self.assertLess(time.monotonic(), end)
        self.ends_well(one)

    def test_all_run_where_a_setting_says_so(self):
        one = self.start()
        self.keeps_its_own(one)
        self.ends_well(one)


class ShareThreads(Sharing):
    """Where each OpenMP thread is a kernel thread: nobody can stop it, and fibers make room."""

    def start(self, *words, **variables):
        return super().start(*(words or ("same",)), **{"XYLEM_TLS": "thread"} | variables)

    def test_two_lend_nothing(self):
        one, other = self.start(), self.start()
        self.comes(lambda lent: lent == [0, 0], one, other)
        self.ends_well(other)
        self.ends_well(one)

    def test_one_beside_fibers(self):
        one, other = self.start(), self.start("none", XYLEM_TLS="auto")
        self.comes(lambda lent: lent[0] == 0 and lent[1] in (PUS // 2, (PUS + 1) // 2), one, other)
        one.kill()
        one.wait()
        self.comes(lambda lent: lent == [0], other)
        self.ends_well(other)


class ShareSeen(Sharing):
    """What `xylem doctor` and `xylem top` say of it."""

    def doctor(self, **variables):
        done = self.xylem("doctor", "--json", variables={"XDG_RUNTIME_DIR": self.home} | variables)
        answer = json.loads(done.stdout)
        self.beside_ranks = self.ranks_run(answer)
        return answer["sharing"], {finding["id"]: finding for finding in answer["findings"]}

    def test_nobody_shares(self):
        sharing, findings = self.doctor()
        self.assertEqual((sharing["on"], sharing["works"], sharing["processes"]), (True, True, []))
        self.assertEqual(sharing["folder"], os.path.join(self.home, "xylem"))
        self.assertEqual({name for name in findings if name.startswith("shar")}, set())

    def test_what_keeps_processors(self):
        for variable, text in (("OMP_PROC_BIND", "close"), ("OMP_PLACES", "cores"), ("GOMP_CPU_AFFINITY", "0"),
                               ("KMP_AFFINITY", "compact"), ("XYLEM_POLICY", "gang"),
                               ("XYLEM_STEAL_PATIENCE", "-1")):
            finding = self.doctor(**{variable: text})[1]["sharing-kept"]
            self.assertIn(variable + "=" + text, finding["what"])
            self.assertEqual(finding["hurts"], self.beside_ranks)
        finding = self.doctor(OMP_PROC_BIND="close", OMP_PLACES="cores", XYLEM_STEAL_PATIENCE="-1")[1]["sharing-kept"]
        self.assertIn("XYLEM_STEAL_PATIENCE=-1, OMP_PROC_BIND=close, OMP_PLACES=cores:", finding["what"])
        self.assertIn("Unset them", finding["advice"])
        for variable, text in (("OMP_PROC_BIND", "false"), ("XYLEM_POLICY", "memory"), ("OMP_NUM_THREADS", "4")):
            self.assertNotIn("sharing-kept", self.doctor(**{variable: text})[1])

    def test_who_shares(self):
        pair = self.start(), self.start()
        self.comes(lambda lent: sum(lent) == PUS, *pair)
        pids = sorted(process.pid for process in pair)
        end = time.monotonic() + LONG
        while True:
            sharing, findings = self.doctor()
            found = {it["process"]: it for it in sharing["processes"]}
            if sorted(found) == pids and all(it["needs"] == PUS for it in found.values()):
                break
            self.assertLess(time.monotonic(), end, sharing)
        # As many each as there are.
        cpus = [cpu for it in found.values() for cpu in cpus_of(it["has"])]
        self.assertEqual(sorted(cpus), sorted(os.sched_getaffinity(0)))
        self.assertLessEqual(max(len(cpus_of(it["has"])) for it in found.values()), (PUS + 1) // 2)
        self.assertIn(self.program, found[pids[0]]["command"])
        self.assertFalse(findings["sharer"]["hurts"])
        sharing, findings = self.doctor(XYLEM_SHARE="false")
        self.assertFalse(sharing["on"])
        self.assertTrue(findings["sharing-off"]["hurts"])
        self.ends_well(*pair)
        self.assertEqual(self.doctor()[0]["processes"], [])

    def test_top_shows_who_has_what(self):
        pair = self.start(), self.start()
        self.comes(lambda lent: sum(lent) == PUS, *pair)
        pids = [process.pid for process in pair]
        for one, other in (pids, pids[::-1]):
            end = time.monotonic() + LONG
            while True:
                done = self.xylem("top", str(one), "--once", "--json", "--interval", "0.1")
                measure = json.loads(done.stdout)
                lent = [pu for pu in measure["pus"] if pu["state"] == "lent"]
                sharing = {it["process"]: it for it in measure["sharing"]}
                if lent and sorted(sharing) == sorted(pids) and all(
                        it["work_for"] == PUS for it in sharing.values()):
                    break
                self.assertLess(time.monotonic(), end, measure)
            self.assertEqual({pu["lent_to"] for pu in lent}, {other})
            self.assertEqual({pu["lent_to"] for pu in measure["pus"] if pu["state"] != "lent"}, {None})
            has = [cpus_of(sharing[pid]["has"]) for pid in pids]
            self.assertEqual(sorted(has[0] + has[1]), sorted(os.sched_getaffinity(0)))
            self.assertEqual([it["lends"] for it in sharing.values()], [[], []])
        end = time.monotonic() + LONG
        while True:
            text = self.xylem("top", str(pids[0]), "--once", "--interval", "0.1").stdout
            if "lent to %d" % pids[1] in text and "Processes that share the machine" in text:
                break
            self.assertLess(time.monotonic(), end, text)
        self.ends_well(*pair)

    def test_whether_it_works_here(self):
        for trouble, part in (
                (lambda folder: os.chmod(folder, 0o755), "open to others"),
                (lambda folder: (os.rmdir(folder), open(folder, "w").close()), "is no folder")):
            with tempfile.TemporaryDirectory(dir=self.folder) as home:
                folder = os.path.join(home, "xylem")
                os.mkdir(folder, 0o700)
                trouble(folder)
                sharing, findings = self.doctor(XDG_RUNTIME_DIR=home)
                self.assertEqual((sharing["works"], sharing["processes"]), (False, []))
                self.assertIn(part, findings["sharing-fails"]["what"])
                self.assertIn("XDG_RUNTIME_DIR", findings["sharing-fails"]["advice"])
        sharing, findings = self.doctor(XDG_RUNTIME_DIR=os.path.join(self.home, "gone", "too"))
        self.assertFalse(sharing["works"])
        self.assertIn("No such file", findings["sharing-fails"]["what"])


def cpus_of(text):
    """The numbers of "0-3,8"."""
    ranges = [part.split("-") for part in text.split(",") if part]
    return [cpu for ends in ranges for cpu in range(int(ends[0]), int(ends[-1]) + 1)]


class ShareTrouble(Sharing):
    """Whatever the table's place is: programs run, and nobody divides anything."""

    def runs_alone(self, **variables):
        pair = self.start(**variables), self.start(**variables)
        self.keeps_its_own(*pair)
        self.ends_well(*pair)

    def test_a_folder_that_others_may_write(self):
        os.mkdir(os.path.join(self.home, "xylem"))
        os.chmod(os.path.join(self.home, "xylem"), 0o777)
        self.runs_alone()
        self.assertEqual(self.rows(), [])

    def test_no_folder(self):
        self.runs_alone(XDG_RUNTIME_DIR=os.path.join(self.home, "gone", "too"))
        self.runs_alone(XDG_RUNTIME_DIR="/dev/null")

    def test_a_file_that_is_a_link(self):
        self.ends_well(self.shared_once())
        path, = self.rows()
        target = os.path.join(self.home, "target")
        os.rename(path, target)
        os.symlink(target, path)
        before = os.stat(target).st_mtime_ns
        self.runs_alone()
        self.assertEqual(os.stat(target).st_mtime_ns, before)

    def shared_once(self):
        one, other = self.start(), self.start()
        self.comes(lambda lent: sum(lent) == PUS, one, other)
        self.ends_well(one)
        return other

    def test_a_file_that_others_may_write(self):
        self.ends_well(self.shared_once())
        path, = self.rows()
        os.chmod(path, 0o666)
        before = os.stat(path).st_mtime_ns
        self.runs_alone()
        self.assertEqual(os.stat(path).st_mtime_ns, before)

    def test_no_room(self):
        """As on a full disk: who cannot say what it needs takes part no more, until it can."""
        pair = self.start(), self.start()
        self.comes(lambda lent: sum(lent) == PUS, *pair)
        limits = resource.getrlimit(resource.RLIMIT_FSIZE)
        for process in pair:
            resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (0, limits[1]))
        self.comes(lambda lent: lent == [0, 0], *pair)
        for process in pair:
            resource.prlimit(process.pid, resource.RLIMIT_FSIZE, limits)
        self.comes(lambda lent: sum(lent) == PUS, *pair)
        self.ends_well(*pair)

    def test_a_file_that_was_left_or_is_spoiled_while_they_run(self):
        one = self.shared_once()
        path, = self.rows()
        other = self.start()  # in a row that was left
        self.comes(lambda lent: sum(lent) == PUS, one, other)
        for bytes_ in b"", os.urandom(100), os.urandom(100_000):
            with open(path, "r+b") as file:
                file.truncate(len(bytes_))
                file.write(bytes_)
        self.comes(lambda lent: sum(lent) == PUS, one, other)
        os.remove(path)
        self.comes(lambda lent: sum(lent) == PUS, one, other)
        self.ends_well(one, other)


if __name__ == "__main__":
    part = sys.argv.pop(1) if len(sys.argv) > 1 and sys.argv[1] in globals() else None
    unittest.main(defaultTest=part)
