"""Tests of what `xylem doctor` says of ranks and of processes that share the machine.

Each classic mistake is made on purpose, by the launchers that are here. Variables as in
command_test.py; each class is one ctest.
"""
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

from command_test import Case, XYLEM

CPUS = sorted(os.sched_getaffinity(0))
ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


def launchers():
    """Name in doctor's words: how to start so many ranks anywhere."""
    found = {}
    for name, program, words in (
            ("Open MPI 4", "mpirun.openmpi", ["--oversubscribe", "--bind-to", "none"]),
            ("MPICH's Hydra", "mpiexec.hydra", [])):
        if shutil.which(program):
            found[name] = [program, *words]
    return found


class Ranks(Case):
    def doctor(self, *words, variables=None):
        done = self.xylem("doctor", "--json", *words, variables=variables)
        self.assertIn(done.returncode, (0, 1), done.stderr)
        return json.loads(done.stdout)

    def start(self, words, variables):
        """Starts a launcher whose ranks sleep until the test's end."""
        process = subprocess.Popen(words, env=self.environment(**ROOT, **variables),
                                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)

        def end():
            process.send_signal(signal.SIGTERM)
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        self.addCleanup(end)
        return process

    def says_of(self, launcher, ranks, command, variables=None):
        """What doctor says, from outside, of ranks that run `command`: ids, by their starter."""
        for name, words in launchers().items():
            if name != launcher:
                continue
            process = self.start([*words, "-n", str(ranks), *command], variables or {})
            end = time.monotonic() + 60
            slept = []  # as doctor looked last: what they were as it looked before may be no rank yet
            while time.monotonic() < end:
                answer = self.doctor()
                for job in answer["jobs"]:
                    if not self.descends(job["started_by"], process.pid):
                        continue
                    pids = [rank["process"] for rank in job["ranks"]]
                    ready, slept = pids == slept, pids if self.all_sleep(job, ranks) else []
                    if ready and slept:
                        self.assertEqual(job["launcher"], launcher)
                        starter = "(process %d)" % job["started_by"]
                        return [finding for finding in answer["findings"]
                                if starter in finding["what"]], job
                time.sleep(0.1)
            self.fail("the ranks were not seen: %s" % answer["jobs"])
        self.skipTest("%s is not here" % launcher)

    @staticmethod
    def descends(process, ancestor):
        while process > 1 and process != ancestor:
            try:
                with open("/proc/%d/stat" % process) as file:
                    process = int(file.read().rsplit(")", 1)[1].split()[1])
            except OSError:
                return False
        return process == ancestor

    @staticmethod
    def all_sleep(job, ranks):
        """All ranks are there, and are the program that was asked for."""
        def command(process):
            try:
                with open("/proc/%d/cmdline" % process) as file:
                    return file.read()
            except OSError:
                return ""
        return len(job["ranks"]) == ranks and all(
            command(rank["process"]).startswith("sleep") for rank in job["ranks"])

    def ids(self, *arguments, **more):
        return {finding["id"] for finding in self.says_of(*arguments, **more)[0]}

    def test_every_rank_bound_to_one_core(self):
        if len(CPUS) < 2:
            self.skipTest("one processor")
        for launcher in launchers():
            with self.subTest(launcher):
                findings, job = self.says_of(launcher, 2, ["taskset", "-c", str(CPUS[0]), "sleep", "100"])
                self.assertEqual([finding["id"] for finding in findings], ["ranks-on-one-core"])
                self.assertIn("The 2 ranks", findings[0]["what"])
                self.assertEqual({rank["cpus"] for rank in job["ranks"]}, {str(CPUS[0])})

    def test_ranks_times_threads(self):
        for launcher in launchers():
            with self.subTest(launcher):
                threads = str(len(CPUS))
                self.assertEqual(self.ids(launcher, 2, ["sleep", "100"],
                                          variables={"OMP_NUM_THREADS": threads}),
                                 {"ranks-times-threads"})

    def test_ranks_of_one_thread_are_fine(self):
        if len(CPUS) < 2:
            self.skipTest("one processor")
        for launcher in launchers():
            with self.subTest(launcher):
                self.assertEqual(self.ids(launcher, 2, ["sleep", "100"],
                                          variables={"OMP_NUM_THREADS": "1"}), set())

    def ask_ranks(self, words, *command):
        """Two ranks with too many threads ask, as in a job script: mpirun xylem doctor."""
        done = subprocess.run(
            [*words, "-n", "2", *command], capture_output=True, text=True, timeout=100,
            env=self.environment(**ROOT, OMP_NUM_THREADS=str(len(CPUS))))
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    def answers(self, words):
        """What doctor answers to each of two ranks, by the rank's process."""
        folder = tempfile.mkdtemp(dir=self.folder)
        self.ask_ranks(words, "sh", "-c", 'exec "$0" doctor --json > "$1/$$"', XYLEM, folder)
        found = {}
        for process in os.listdir(folder):
            with open(os.path.join(folder, process)) as file:
                found[int(process)] = json.load(file)
        return found

    def test_the_ranks_ask_themselves(self):
        """Other jobs on the machine have findings of their own."""
        for launcher, words in launchers().items():
            with self.subTest(launcher):
                answers = self.answers(words)
                self.assertEqual(len(answers), 2)
                for process, answer in answers.items():
                    own = [job for job in answer["jobs"]
                           if process in [rank["process"] for rank in job["ranks"]]]
                    self.assertEqual(len(own), 1, answer["jobs"])
                    starter = "(process %d)" % own[0]["started_by"]
                    self.assertEqual([finding["id"] for finding in answer["findings"] if starter in finding["what"]],
                                     ["ranks-times-threads"])

    def test_each_rank_says_its_number(self):
        for launcher, words in launchers().items():
            with self.subTest(launcher):
                text = self.ask_ranks(words, XYLEM, "doctor")
                for rank in (0, 1):
                    self.assertIn("rank %d: hurts: " % rank, text)
                self.assertEqual([line for line in text.splitlines() if line and "rank " not in line], [])

    def test_the_options_are_the_launchers(self):
        """What doctor advises is accepted where the launcher is here."""
        for launcher, words in launchers().items():
            for threads in (1, len(CPUS)):
                with self.subTest(launcher, threads=threads):
                    command = ["taskset", "-c", str(CPUS[0]), "sleep", "100"] if threads == 1 else ["sleep", "100"]
                    findings, _ = self.says_of(launcher, 2, command,
                                               variables={"OMP_NUM_THREADS": str(threads)})
                    if not findings:
                        continue
                    option = [part for part in findings[0]["advice"].split("`") if part.startswith("mpi")][0]
                    more = ["--oversubscribe"] if launcher == "Open MPI 4" else []
                    done = subprocess.run([words[0], *option.split()[1:], *more, "-n", "1", "true"],
                                          capture_output=True, text=True, env=self.environment(**ROOT),
                                          timeout=100)
                    self.assertEqual(done.returncode, 0, (option, done.stderr))

    def sysroot(self, name, processes):
        """A made-up machine of four processors; `processes`: number: (parent, mask, variables)."""
        texts = {
            "proc/self/cgroup": "0::/job\n",
            "proc/self/status": "Name:\tx\nSeccomp:\t0\nCpus_allowed_list:\t0-3\n",
            "proc/self/limits": "Max stack size            8388608 unlimited bytes\n",
            "sys/devices/system/cpu/online": "0-3\n",
            "sys/devices/system/node/online": "0",
        }
        for process, (parent, mask, variables) in processes.items():
            texts["proc/%d/environ" % process] = "".join(
                "%s=%s\0" % variable for variable in variables.items())
            texts["proc/%d/status" % process] = (
                "Name:\tapp\nState:\tR (running)\nPPid:\t%d\nCpus_allowed_list:\t%s\n" % (parent, mask))
        for path, text in texts.items():
            self.write(os.path.join(name, path), text)
        return self.path(name)

    def said_below(self, name, processes, **variables):
        answer = self.doctor("--sysroot", self.sysroot(name, processes), variables=variables)
        return {finding["id"]: finding for finding in answer["findings"] if finding["hurts"]}, answer

    def test_slurm_and_prrte(self):
        """Neither is here: their variables, as their documents give them."""
        slurm = [{"SLURM_STEP_ID": "0", "SLURM_LOCALID": str(rank), "SLURM_NODEID": "0",
                  "SLURM_STEP_TASKS_PER_NODE": "2(x4)", "OMP_NUM_THREADS": "4"} for rank in range(2)]
        said, answer = self.said_below("slurm", {20 + rank: (9, "0-3", slurm[rank]) for rank in range(2)})
        self.assertEqual(set(said), {"ranks-times-threads"})
        self.assertEqual((answer["jobs"][0]["launcher"], answer["jobs"][0]["local_ranks"]), ("Slurm", 2))
        self.assertIn("srun --cpus-per-task=2", said["ranks-times-threads"]["advice"])
        prrte = [{"PMIX_RANK": str(rank), "PMIX_NAMESPACE": "x"} for rank in range(3)]
        said, answer = self.said_below("prrte", {20 + rank: (9, "0", prrte[rank]) for rank in range(3)})
        self.assertEqual(set(said), {"ranks-on-one-core"})
        self.assertEqual(answer["jobs"][0]["launcher"], "PRRTE")

    def test_one_rank_a_socket_without_a_mask(self):
        ranks = {20 + rank: (9, "0-3", {"OMPI_COMM_WORLD_LOCAL_RANK": str(rank),
                                        "OMPI_COMM_WORLD_LOCAL_SIZE": "2", "OMP_NUM_THREADS": "2"})
                 for rank in range(2)}
        sockets = {"XYLEM_MACHINE": "pack:2 [numa] core:2 pu:1"}
        said, _ = self.said_below("sockets", ranks, **sockets)
        self.assertEqual(set(said), {"ranks-without-mask"})
        said, _ = self.said_below("one", ranks, XYLEM_MACHINE="pack:1 [numa] core:4 pu:1")
        self.assertEqual(set(said), set())
        bound = {process: (parent, ("0-1", "2-3")[process - 20], variables)
                 for process, (parent, _, variables) in ranks.items()}
        said, _ = self.said_below("bound", bound, **sockets)
        self.assertEqual(set(said), set())


if __name__ == "__main__":
    part = sys.argv.pop(1) if len(sys.argv) > 1 and sys.argv[1] in globals() else None
    unittest.main(defaultTest=part)
