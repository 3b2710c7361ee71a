"""Tests of the harness itself: what it leaves out, compiles again, runs, and how it judges."""
import os
import pathlib
import subprocess
import sys
import tarfile
import tempfile
import types
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.append(str(HERE.parent / "common"))
import left_out
import running
import suite

PAGE = HERE.parents[2] / "docs/conformance.md"


class InFolder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, name, text, mode=0o644):
        file = self.folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        file.chmod(mode)
        return file


class LeftOut(InFolder):
    def test_a_reason_stands_above_its_tests(self):
        file = self.write("left", "# nothing\nprints locks:\n  a/one.c\n  a/two.c\n\nreads files:\n  b/three.c\n")
        self.assertEqual(left_out.read(file),
                         {"a/one.c": "prints locks", "a/two.c": "prints locks", "b/three.c": "reads files"})

    def test_a_test_without_a_reason_is_an_error(self):
        with self.assertRaises(ValueError):
            left_out.read(self.write("left", "  a/one.c\n"))

    def test_the_page_has_the_table(self):
        self.assertIn(left_out.table(left_out.read()), PAGE.read_text())


class CompileOnce(InFolder):
    """The compiler of these tests writes a line into `calls` and copies its source."""

    def setUp(self):
        super().setUp()
        self.compiler = self.write("cc", f'#!/bin/sh\necho >>{self.folder}/calls\ncp "$1" "$3"\n', 0o755)
        self.source = self.write("a.c", "one")
        (self.folder / "kept").mkdir()

    def compile(self, output):
        command = [str(HERE / "compile_once"), str(self.folder / "kept"), str(self.compiler), str(self.source),
                   "-o", str(self.folder / output)]
        code = subprocess.run(command, capture_output=True).returncode
        calls = self.folder / "calls"
        return code, len(calls.read_text().splitlines()) if calls.exists() else 0

    def test_the_same_source_is_compiled_once(self):
        self.assertEqual(self.compile("x"), (0, 1))
        self.assertEqual(self.compile("y"), (0, 1))
        self.assertEqual((self.folder / "y").read_text(), "one")

    def test_another_source_is_compiled_and_leaves_what_was_kept(self):
        self.compile("x")
        self.source.write_text("two")
        self.assertEqual(self.compile("x"), (0, 2))
        self.assertEqual((self.folder / "x").read_text(), "two")
        self.source.write_text("one")
        self.assertEqual(self.compile("x"), (0, 2))
        self.assertEqual((self.folder / "x").read_text(), "one")

    def test_what_does_not_compile_is_tried_again(self):
        self.source.unlink()
        self.assertNotEqual(self.compile("x")[0], 0)
        self.assertNotEqual(self.compile("x"), (0, 1))
        self.assertEqual(list((self.folder / "kept").iterdir()), [])


class Judgement(unittest.TestCase):
    def judge(self, code, *exit_codes):
        text = "".join(f"# error: command failed with exit status: {code}\n" for code in exit_codes)
        outcome = running.judge(code, text, 9)
        return outcome.passed, outcome.reason

    def test_codes_of_lit(self):
        self.assertEqual(self.judge("PASS"), (True, ""))
        self.assertEqual(self.judge("XFAIL", 1), (True, ""))
        self.assertEqual(self.judge("XPASS"), (False, "XPASS"))
        self.assertEqual(self.judge("UNRESOLVED"), (False, "UNRESOLVED"))

    def test_exit_codes(self):
        self.assertEqual(self.judge("FAIL", 1), (False, "exit code 1"))
        self.assertEqual(self.judge("FAIL", -11, 2), (False, "exit codes -11, 2"))
        self.assertEqual(self.judge("FAIL", 124, 1), (False, "no end after 9 s"))


class Site(InFolder):
    def test_settings_and_a_limit_come_after_what_the_suite_says(self):
        lit = running.Lit(self.folder, self.folder, jobs=1, seconds=7)
        config = types.SimpleNamespace(environment={}, substitutions=[("%t-run", "%t"), ("%libomp-run", "%t")])
        loaded = []
        exec(lit.site({"OMP_NUM_THREADS": "3"}),
             {"config": config, "lit_config": types.SimpleNamespace(load_config=lambda _, file: loaded.append(file))})
        self.assertEqual(loaded, [str(self.folder / "lit.cfg")])
        self.assertEqual(config.environment, {"OMP_NUM_THREADS": "3"})
        self.assertEqual(config.substitutions, [("%t-run", "%t"), ("%libomp-run", "timeout -k 2 7 %t")])


@unittest.skipUnless(suite.LIT.exists(), "llvm-19-tools is not installed")
class ByLit(InFolder):
    def test_lit_runs_them_and_says_what_became_of_them(self):
        self.write("tests/lit.cfg", "import lit.formats, os\nconfig.name = 'libomp'\nconfig.suffixes = ['.c']\n"
                   "config.test_source_root = os.path.dirname(__file__)\n"
                   "config.test_exec_root = config.libomp_obj_root\nconfig.test_format = lit.formats.ShTest()\n"
                   "config.substitutions.append(('%libomp-run', '%t'))\n")
        prepare = "// RUN: echo '%s' >%%t; chmod +x %%t\n// RUN: %%libomp-run\n"
        self.write("tests/a/library.c", prepare % 'test "$LD_LIBRARY_PATH" = /of/xylem')
        self.write("tests/a/fails.c", prepare % "exit 3")
        self.write("tests/b/hangs.c", prepare % "sleep 60")
        self.write("tests/b/elsewhere.c", "// REQUIRES: moon\n" + prepare % "true")
        lit = running.Lit(self.folder / "tests", self.folder / "work", jobs=2, seconds=1)
        lit.work.mkdir()
        names = lit.names()
        self.assertEqual([name for name in names if not names[name]], ["a/fails.c", "a/library.c", "b/hangs.c"])
        self.assertIn("moon", names["b/elsewhere.c"])
        outcomes = lit.run(["a/fails.c", "a/library.c", "b/hangs.c"], "/of/xylem", {}, "")
        self.assertEqual({name: outcome.reason for name, outcome in outcomes.items()},
                         {"a/fails.c": "exit code 3", "a/library.c": "", "b/hangs.c": "no end after 1 s"})


class Sources(InFolder):
    def test_the_tests_alone_are_unpacked(self):
        tree = "llvm-toolchain-19_19.1.7"
        wanted = ["openmp/LICENSE.TXT", "openmp/runtime/src/kmp_platform.h", "openmp/runtime/test/a/lit.cfg"]
        for name in (*wanted, "openmp/runtime/src/kmp.h", "clang/big.cpp"):
            self.write(f"{tree}/{name}", "")
        with tarfile.open(self.folder / "orig.tar.xz", "w:xz") as archive:
            archive.add(self.folder / tree, tree)
        place = self.folder / "place"
        place.mkdir()
        suite.unpack(self.folder / "orig.tar.xz", place)
        self.assertEqual([str(path.relative_to(place)) for path in sorted(place.rglob("*")) if path.is_file()],
                         wanted)

    def test_what_was_fetched_is_not_fetched_again(self):
        self.write("complete", "")
        self.assertEqual(suite.fetch(self.folder), self.folder / "openmp/runtime/test")

    def test_missing_packages_are_named(self):
        with self.assertRaisesRegex(suite.NoTests, "packages are missing: a b$"):
            suite.need_tools({self.folder: "c", self.folder / "x": "b", self.folder / "y": "a"})

    def test_the_cache_follows_the_users_choice(self):
        old = dict(os.environ)
        self.addCleanup(lambda: (os.environ.clear(), os.environ.update(old)))
        os.environ["XDG_CACHE_HOME"] = "/elsewhere"
        self.assertEqual(suite.cache(), pathlib.Path("/elsewhere/xylem/llvm-toolchain-19"))


if __name__ == "__main__":
    unittest.main()
