"""Tests of the harness itself: what it reads in headers, and how it judges."""
import pathlib
import tarfile
import sys
import tempfile
import unittest

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "common"))
import headers
import running
import suite
import targets
import tcl


class Tcl(unittest.TestCase):
    def test_words_in_braces_and_quotes(self):
        self.assertEqual(tcl.words(r'dg-output "a\\\[\n" { target { c } } x'),
                         ["dg-output", "a\\[\n", " target { c } ", "x"])

    def test_a_brace_that_is_not_closed(self):
        with self.assertRaises(ValueError):
            tcl.words("{ a")


class Selectors(unittest.TestCase):
    def test_operators(self):
        c = targets.Targets("c")
        for selector, expected in (
                ("c", True), ("c++", False), ("! c++", True), ("c && lp64", True), ("c && { ! lp64 }", False),
                ("{ i?86-*-* x86_64-*-* } && lp64", True), ("ia32 || c", True), ("powerpc*-*-*", False),
                ("offload_target_nvptx || offload_target_amdgcn", False)):
            self.assertEqual(c.holds(selector), expected, selector)

    def test_what_is_not_known_is_an_error(self):
        with self.assertRaises(targets.Unknown):
            targets.Targets("c").holds("no_such_target")


def read(*lines, language="c"):
    return headers.read("\n".join(lines), language, [])


class Headers(unittest.TestCase):
    def test_without_directives_it_is_run(self):
        self.assertEqual(read("int main(void) { return 0; }"), headers.Header())

    def test_options_and_environment(self):
        header = read('/* { dg-options "-O0" } */', '/* { dg-additional-options "-std=c99" { target c } } */',
                      '/* { dg-additional-options "-std=c++11" { target c++ } } */',
                      '/* { dg-set-target-env-var OMP_NUM_THREADS "2" } */',
                      "/* { dg-additional-sources more.c } */")
        self.assertEqual(header.options, ["-O0", "-std=c99"])
        self.assertTrue(header.has_own_options)
        self.assertEqual(header.environment, {"OMP_NUM_THREADS": "2"})
        self.assertEqual(header.sources, ["more.c"])

    def test_what_is_not_for_this_host_is_skipped(self):
        self.assertTrue(read("/* { dg-require-effective-target offload_device } */").skip)
        self.assertTrue(read("! { dg-do run { target offload_target_nvptx } }", language="fortran").skip)
        self.assertTrue(read('/* { dg-skip-if "" { *-*-* } } */').skip)
        self.assertFalse(read("/* { dg-require-effective-target tls_runtime } */").skip)

    def test_errors_for_other_targets_do_not_count(self):
        self.assertTrue(read('x; /* { dg-error "expected" } */').should_not_compile)
        self.assertFalse(read('x; /* { dg-error "e" "" { target offload_target_nvptx } } */').should_not_compile)

    def test_a_directive_that_is_not_known_is_an_error(self):
        with self.assertRaises(ValueError):
            read("/* { dg-surprise 1 } */")


class Judgement(unittest.TestCase):
    def judge(self, code, text="", **header):
        return running.judge(headers.Header(**header), code, text, 9).passed

    def test_exit_codes(self):
        self.assertTrue(self.judge(0))
        self.assertFalse(self.judge(1))
        self.assertFalse(self.judge(-6))
        self.assertFalse(self.judge(None))
        self.assertTrue(self.judge(1, should_fail=True))
        self.assertFalse(self.judge(0, should_fail=True))

    def test_output(self):
        self.assertTrue(self.judge(0, "the answer is 42\n", output="answer is [0-9]+\n"))
        self.assertFalse(self.judge(0, "nothing", output="answer"))


class Sources(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def archive(self, folder):
        """An archive of GCC's sources in little, as the installed package has it."""
        libgomp = self.folder / "gcc-12.2.0/libgomp"
        tests = libgomp / "testsuite/libgomp.c"
        tests.mkdir(parents=True)
        (tests / "one.c").write_text("int main(void) { return 0; }\n")
        (libgomp / "omp_lib.h").write_text("")
        constants = libgomp.parent / "include/gomp-constants.h"
        constants.parent.mkdir()
        constants.write_text("")
        folder.mkdir(parents=True)
        with tarfile.open(folder / "gcc-12.2.0.tar.xz", "w:xz") as archive:
            archive.add(libgomp.parent, "gcc-12.2.0")

    def test_an_installed_package_is_unpacked_once(self):
        installed, work = self.folder / "installed", self.folder / "work"
        self.archive(installed)
        libgomp = suite.fetch(work, installed)
        self.assertEqual([test.name for test in suite.tests(libgomp)], ["c:libgomp.c/one.c"])
        self.assertTrue((libgomp / "config.h").exists())
        self.assertTrue((installed / "gcc-12.2.0.tar.xz").exists())
        (installed / "gcc-12.2.0.tar.xz").unlink()  # and not looked for again
        self.assertEqual(suite.fetch(work, installed), libgomp)


if __name__ == "__main__":
    unittest.main()
