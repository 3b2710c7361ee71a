"""Drives the film's page in a headless Chromium by Selenium.

What the page says of a thread is compared with Model, which computes the same from the same events.
FILM_PAGE names the page (default: the one in the sources), CHROMIUM the browser. With FILM_PICTURES
set to a folder the screenshots stay there. Exit 77: no browser, no chromedriver or no Selenium.
"""
import bisect
import json
import os
import random
import shutil
import sys
import tempfile
import time
import unittest

import film_data
import film_devices
import film_turns

try:
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service
    from selenium.webdriver.common.by import By
except ImportError:
    webdriver = None

HERE = os.path.dirname(os.path.abspath(__file__))
PAGE = os.environ.get("FILM_PAGE", os.path.join(HERE, "../../src/tool/trace/film.html"))
CHROMIUM = (os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
            or shutil.which("google-chrome"))
DRIVER = shutil.which("chromedriver")
TOKEN = "/*XYLEM_FILM_DATA*/null"
PATIENCE = 180  # seconds for one script in the page
WIDTH, HEIGHT = 1280, 800


class Browser:
    """A browser with one tab, driven by Selenium."""

    def __init__(self, folder):
        options = webdriver.ChromeOptions()
        options.binary_location = CHROMIUM
        for word in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                     "--hide-scrollbars", "--user-data-dir=" + os.path.join(folder, "profile")):
            options.add_argument(word)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        self.driver = webdriver.Chrome(service=Service(DRIVER), options=options)
        self.driver.set_script_timeout(PATIENCE)
        self.call("Emulation.setDeviceMetricsOverride", width=WIDTH, height=HEIGHT,
                  deviceScaleFactor=1, mobile=False)

    def call(self, method, **parameters):
        return self.driver.execute_cdp_cmd(method, parameters)

    def complaints(self):
        """Whatever the page has complained of since the last call: errors, warnings, failed loads."""
        return [entry["message"] for entry in self.driver.get_log("browser")
                if entry["level"] in ("SEVERE", "WARNING")]

    def load(self, path):
        self.driver.get("file://" + path)

    def js(self, expression):
        """Its value; of a promise, what it resolves to."""
        return self.driver.execute_script("return (%s)" % expression)

    def click(self, x, y):
        for kind in ("mouseMoved", "mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def key(self, name, text=""):
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=name, text=text if kind == "keyDown" else "")

    def picture(self):
        self.frame()
        return self.driver.get_screenshot_as_png()

    def frame(self):
        self.js("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")

    def close(self):
        self.driver.quit()


class Model:
    """Where every thread is after some events, by the rules of docs/film.md and nothing else."""

    def __init__(self, film):
        self.maker = {b["id"]: (b["parent"], b["member"]) for b in film["bubbles"]}
        self.pu_level = {level["first_pu"]: i for i, level in enumerate(film["levels"])
                         if level["pus"] == 1}
        self.now = {}      # thread -> (state, level or pu)
        self.running = {}  # pu -> thread
        self.under = {}    # thread -> the one that goes on when it has ended
        self.turners = {e[2] for e in film["events"] if e[1] in ("attached", "suspended")}
        self.attached_to = {}     # bubble -> the level on which it was attached, or "suspended"
        self.over = set()  # bubbles whose member 0 has ended

    def keeper(self, bubble):
        """The bubble whose turns this one takes part in."""
        while bubble not in self.turners and bubble in self.maker:
            bubble = self.maker[bubble][0]
        return bubble if bubble in self.turners else None

    def lay(self, bubble, where):
        if bubble in self.over:
            return
        before = self.attached_to.get(bubble)
        for thread, (state, place) in list(self.now.items()):
            mine = thread[0] == bubble if before is None else place == before and self.keeper(thread[0]) == bubble
            if mine and state in ("queued", "ready"):
                self.now[thread] = (state, where)
        self.attached_to[bubble] = where

    def enqueue(self, thread, state, level):
        suspended = self.turners and self.attached_to.get(self.keeper(thread[0])) == "suspended"
        self.set(thread, state, "suspended" if suspended else level)

    def set(self, thread, state, where):
        if self.now.get(thread, ("",))[0] == "running":
            self.running.pop(self.now[thread][1], None)
        self.now[thread] = (state, where)
        if state == "running":
            self.running[where] = thread

    def run(self, thread, pu):
        below = self.running.get(pu)
        if below is not None and below != thread:
            self.set(below, "inside", pu)
            self.under[self.chain(thread)[-1]] = below
        self.set(thread, "running", pu)
        for other in self.chain(thread)[1:]:
            if self.now[other][0] == "inside":
                self.set(other, "inside", pu)

    def chain(self, thread):
        found = [thread]
        while found[-1] in self.under:
            found.append(self.under[found[-1]])
        return found

    def finish(self, thread, pu):
        self.set(thread, "ended", -1)
        below = self.under.pop(thread, None)
        if below is not None and self.now[below][0] == "inside":
            self.set(below, "running", pu)
        if thread[1] == 0:
            self.over.add(thread[0])
            self.attached_to.pop(thread[0], None)

    def apply(self, event):
        _, kind, bubble, low, high, place, _, _ = event
        thread = (bubble, low)
        if kind in ("queued", "stolen"):
            for member in range(low, high):
                ready = self.now.get((bubble, member), ("",))[0] == "ready"
                self.enqueue((bubble, member), "ready" if ready else "queued", place)
        elif kind in ("attached", "suspended"):
            self.lay(bubble, place if kind == "attached" else "suspended")
        elif kind in ("started", "resumed"):
            self.run(thread, place)
        elif kind == "slept":
            self.set(thread, "asleep", place)
        elif kind == "woken":
            self.enqueue(thread, "ready", place)
        elif kind == "ended":
            self.finish(thread, place)
        elif kind == "region_begin":
            if self.maker[bubble] not in self.now:
                self.run(self.maker[bubble], place)
            self.run((bubble, 0), place)
        elif kind == "region_end":
            self.finish((bubble, 0), place)

    def where_is(self, bubble, member):
        state, where = self.now.get((bubble, member), ("unborn", -1))
        suspended = where == "suspended"
        if state in ("queued", "ready"):
            return {"state": state, "level": -1 if suspended else where, "pu": -1, "suspended": suspended}
        if state in ("running", "asleep", "inside"):
            return {"state": state, "level": self.pu_level[where], "pu": where, "suspended": suspended}
        return {"state": state, "level": -1, "pu": -1, "suspended": suspended}


def model_at(film, when):
    model = Model(film)
    for event in film["events"]:
        if event[0] > when:
            break
        model.apply(event)
    return model


def busiest(film):
    """The time, in the middle of the run, at which the most threads stand in queues."""
    model, events, most, when = Model(film), film["events"], 0, 0
    for i, event in enumerate(events[:len(events) * 3 // 5]):
        model.apply(event)
        if i > len(events) // 2 and i % 7 == 0:
            queued = sum(1 for state, _ in model.now.values() if state == "queued")
            if queued > most:
                most, when = queued, event[0]
    return when


class FilmCase(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="xylem-film-")
        cls.pictures = os.environ.get("FILM_PICTURES") or cls.folder
        os.makedirs(cls.pictures, exist_ok=True)
        cls.browser = Browser(cls.folder)

    @classmethod
    def tearDownClass(cls):
        cls.browser.close()
        shutil.rmtree(cls.folder, ignore_errors=True)

    def setUp(self):
        self.browser.complaints()

    def tearDown(self):
        self.assertEqual(self.browser.complaints(), [])

    def open(self, film, name="film.html"):
        """Makes the page as `xylem trace` does, and opens it; returns the seconds it took."""
        with open(PAGE) as file:
            page = file.read()
        self.assertEqual(page.count(TOKEN), 1)
        path = os.path.join(self.folder, name)
        with open(path, "w") as file:
            file.write(page.replace(TOKEN, json.dumps(film, separators=(",", ":"))))
        start = time.monotonic()
        self.browser.load(path)
        return time.monotonic() - start

    def keep(self, name):
        picture = self.browser.picture()
        self.assertEqual(picture[:8], b"\x89PNG\r\n\x1a\n")
        self.assertGreater(len(picture), 15000, "an empty picture")
        with open(os.path.join(self.pictures, name), "wb") as file:
            file.write(picture)

    def play(self, seconds):
        """Plays; returns the milliseconds between frames."""
        return self.browser.js("""new Promise(done => {
            const gaps = [], begin = performance.now(); let last = begin;
            film.play();
            const frame = () => {
                const now = performance.now();
                gaps.push(now - last); last = now;
                if (now - begin < %d) requestAnimationFrame(frame); else { film.pause(); done(gaps); }
            };
            requestAnimationFrame(frame);
        })""" % (seconds * 1000))

    def report_frames(self, what, gaps):
        gaps = sorted(gaps)
        print("%s: %d frames, median %.1f ms, 95%% under %.1f ms"
              % (what, len(gaps), gaps[len(gaps) // 2], gaps[len(gaps) * 95 // 100]))

    def where(self, bubble, member):
        return self.browser.js("film.whereIs(%d, %d)" % (bubble, member))


class Film(FilmCase):
    """A machine of 16 PUs, 100,000 events."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.film = film_data.make(100000)

    def setUp(self):
        super().setUp()
        print("%s: loaded in %.1f s" % (self._testMethodName, self.open(self.film)))

    def time_with(self, kind, after=0.3):
        """A time at which something of this kind happened, and its event."""
        events = self.film["events"]
        return next(e for e in events[int(len(events) * after):] if e[1] == kind)

    def test_it_opens_where_something_runs(self):
        first = next(e for e in self.film["events"] if e[1] in ("started", "resumed", "region_begin"))
        self.assertEqual(self.browser.js("film.now()"), first[0])
        member = 0 if first[1] == "region_begin" else first[3]
        self.assertEqual(self.where(first[2], member)["state"], "running")
        self.browser.key("Home")
        self.assertEqual(self.browser.js("film.now()"), 0)

    def test_threads_are_where_the_events_say(self):
        self.assertEqual(self.browser.js("film.events.length"), 100000)
        duration = self.film["duration_ns"]
        for part in (0.31, 0.93, 0.02, 0.5, 1.0, 0.499):  # forth and back
            when = int(duration * part)
            self.browser.js("film.goTo(%d)" % when)
            self.assertEqual(self.browser.js("film.now()"), when)
            self.compare(when)

    def compare(self, when):
        model = model_at(self.film, when)
        index = bisect.bisect_right([b["made"] for b in self.film["bubbles"]], when)
        near = self.film["bubbles"][max(0, index - 60):index + 3]
        threads = [(0, 0)] + [(b["id"], m) for b in near for m in range(b["threads"])]
        states = set()
        for bubble, member in threads:
            want = model.where_is(bubble, member)
            states.add(want["state"])
            self.assertEqual(self.where(bubble, member), want, "thread %d.%d at %d ns" % (bubble, member, when))
        self.assertTrue(states - {"unborn", "ended"})

    def test_every_event_can_be_stepped_to_and_back(self):
        when = self.time_with("stolen")[0]
        self.browser.js("film.goTo(%d)" % when)
        for key, count in (("ArrowRight", 40), ("ArrowLeft", 70)):
            for _ in range(count):
                self.browser.key(key)
        before = self.browser.js("film.now()")
        index = bisect.bisect_right([e[0] for e in self.film["events"]], when) - 1 - 30
        self.assertEqual(before, self.film["events"][index][0])

    def test_playing_moves_time_and_draws(self):
        self.browser.js("film.goTo(%d)" % (self.film["duration_ns"] // 3))
        before, frames = self.browser.js("[film.now(), film.frames()]")
        gaps = self.play(3)
        after, drawn = self.browser.js("[film.now(), film.frames()]")
        self.report_frames("play", gaps)
        self.assertGreater(after, before)
        self.assertGreater(drawn, frames + 5)
        self.browser.js("film.setSpeed(10)")
        self.play(1)
        self.assertEqual(self.browser.js("film.now()"), self.film["duration_ns"])

    def test_a_thread_tells_its_story(self):
        event = self.time_with("slept", 0.4)
        self.browser.js("film.goTo(%d)" % event[0])
        spot = self.browser.js("film.spotOf(%d, %d)" % (event[2], event[3]))
        self.assertIsNotNone(spot, "the sleeper is not drawn")
        self.browser.click(spot["x"], spot["y"])
        self.browser.frame()
        title = self.browser.js("document.querySelector('#story-title').textContent")
        self.assertEqual(title, "Thread %d.%d" % (event[2], event[3]))
        self.assertIn(event[7], self.browser.js("document.querySelector('#story-state').textContent"))
        rows = self.browser.js("[...document.querySelectorAll('#story-list .row span')].map(r => r.textContent)")
        self.assertIn("sleeps: %s (PU %d)" % (event[7], event[5]), rows)
        self.go_to_the_first_row()

    def go_to_the_first_row(self):
        box = self.browser.js("""(() => { const list = document.querySelector('#story-list'); list.scrollTop = 0;
            return new Promise(done => requestAnimationFrame(() => {
                const r = list.querySelector('.row').getBoundingClientRect();
                done({x: r.x + 20, y: r.y + 8, t: film.events.at(+list.querySelector('.row').dataset.event)[0]}); })); })()""")
        self.browser.click(box["x"], box["y"])
        self.assertEqual(self.browser.js("film.now()"), box["t"])

    def test_the_timeline_and_the_scrub_go_to_a_time(self):
        self.browser.key("0")  # the timeline shows all
        for name in ("scrub", "gantt"):
            box = self.browser.js("(r => [r.x, r.y, r.width, r.height])(document.getElementById('%s').getBoundingClientRect())" % name)
            self.browser.click(box[0] + 62 + (box[2] - 62) * 0.25, box[1] + 8)
            part = self.browser.js("film.now()") / self.film["duration_ns"]
            self.assertAlmostEqual(part, 0.25, delta=0.01)
            self.compare(self.browser.js("film.now()"))

    def test_search(self):
        middle = self.film["bubbles"][len(self.film["bubbles"]) // 2]
        for words, title in (("%d.1" % middle["id"], "Thread %d.1" % middle["id"]),
                             ("%d" % middle["id"], "Bubble %d" % middle["id"])):
            self.browser.js("document.getElementById('search').focus(), document.getElementById('search').value = '%s', 0" % words)
            self.browser.key("Enter", "\r")
            self.assertEqual(self.browser.js("document.querySelector('#story-title').textContent"), title)
            self.assertNotEqual(self.where(middle["id"], 1)["state"], "unborn")
        self.assertFalse(self.browser.js("film.find('999999.1')"))

    def is_far(self, event):
        """Whether something was stolen from another node."""
        levels = self.film["levels"]
        half = levels[0]["pus"] // 2
        return event[1] == "stolen" and event[6] > 0 and (
            (levels[event[5]]["first_pu"] < half) != (levels[event[6]]["first_pu"] < half))

    def step_to(self, index):
        events = self.film["events"]
        self.browser.js("film.goTo(%d)" % (events[index][0] - 1))
        for event in events[:index + 1][::-1]:
            if event[0] < events[index][0]:
                break
            self.browser.key("ArrowRight")

    def test_pictures(self):
        when = busiest(self.film)
        self.step_to(next(i for i, e in enumerate(self.film["events"]) if e[0] > when and self.is_far(e)))
        self.keep("film-light.png")
        outer = [b["id"] for b in self.film["bubbles"] if b["nesting"] == 1 and b["made"] <= when][-1]
        self.browser.js("film.goTo(%d), film.find('%d.5'), film.setSpeed(0.00001)" % (when, outer))
        self.play(0.4)
        self.keep("film-story.png")
        self.browser.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark"}])
        self.keep("film-dark.png")
        self.browser.call("Emulation.setEmulatedMedia", features=[])
        self.browser.key("?", "?")
        self.keep("film-help.png")
        self.browser.call("Emulation.setDeviceMetricsOverride", width=1920, height=1080, deviceScaleFactor=1, mobile=False)
        self.browser.key("Escape")
        self.browser.key("Escape")
        self.keep("film-large.png")
        self.browser.call("Emulation.setDeviceMetricsOverride", width=WIDTH, height=HEIGHT, deviceScaleFactor=1, mobile=False)


class FilmScale(FilmCase):
    """Many PUs, a million events, strange machines."""

    def test_256_pus(self):
        film = film_data.make(60000, film_data.read_shape("node*8,cache*4,core*4,pu*2"), 3)
        self.open(film)
        self.browser.js("film.goTo(%d)" % (film["duration_ns"] * 2 // 3))
        self.keep("film-256.png")
        self.report_frames("256 PUs", self.play(2))
        self.assertTrue(self.browser.js("film.find('cache5')"))
        self.keep("film-256-zoomed.png")

    def test_a_million_events(self):
        film = film_data.make(1000000)
        seconds = self.open(film)
        print("a million events: loaded in %.1f s" % seconds)
        self.report_frames("a million events", self.play(2))
        when = film["duration_ns"] * 3 // 4
        took = self.browser.js("(() => { const t = performance.now(); film.goTo(%d); return performance.now() - t; })()" % when)
        print("a million events: to a time in %.1f ms, %d checkpoints" % (took, self.browser.js("film.checkpoints()")))
        bubble = [b["id"] for b in film["bubbles"] if b["made"] <= when <= b["ended"]][0]
        self.assertEqual(self.where(bubble, 0), model_at(film, when).where_is(bubble, 0))

    def test_machines_of_any_shape(self):
        for number, shape in enumerate(("pu*1", "pu*2", "package*2,node*2,pu*3", "node*3,core*5,pu*1", "pu*96")):
            film = film_data.make(3000, film_data.read_shape(shape), number)
            self.open(film)
            self.browser.js("film.goTo(%d)" % (film["duration_ns"] // 2))
            self.keep("film-shape%d.png" % number)

    def test_events_may_be_missing(self):
        film, draw = film_data.make(20000, seed=5), random.Random(5)
        film["events"] = [e for e in film["events"] if draw.random() > 0.1]
        film["events"] += [[film["duration_ns"], kind, 1, 0, -1, -1, -1, None] for kind in ("slept", "queued", "new kind")]
        film["dropped"] = 2000
        self.open(film)
        for part in (0.9, 0.2, 1.0, 0.6):
            self.browser.js("film.goTo(%d)" % (film["duration_ns"] * part))
            self.browser.frame()
        self.assertIn("2,000 events were dropped", self.browser.js("document.getElementById('facts').textContent"))

    def test_a_crowded_queue(self):
        film = film_data.make(2000)
        team = {"parent": 0, "member": 0, "threads": 500, "nesting": 1, "made": 1, "ended": film["duration_ns"]}
        crowd = [dict(team, id=100000 + i, nesting=1 + i % 3) for i in range(300)]
        film["bubbles"] += crowd
        film["events"][:0] = [[0, "queued", b["id"], 1, 500, i % 4, -1, None] for i, b in enumerate(crowd)]
        self.open(film)
        self.browser.js("film.goTo(%d)" % (film["duration_ns"] // 2))
        self.assertEqual(self.where(100005, 499), {"state": "queued", "level": 1, "pu": -1, "suspended": False})
        self.keep("film-crowd.png")
        self.report_frames("150,000 threads in 4 queues", self.play(1))

    def test_a_page_without_a_run_asks_for_one(self):
        self.open(None)
        self.assertEqual(self.browser.js("getComputedStyle(document.getElementById('load')).display"), "grid")
        path = os.path.join(self.folder, "run.json")
        with open(path, "w") as file:
            json.dump(film_data.make(5000), file)
        self.browser.driver.find_element(By.ID, "file").send_keys(path)
        for _ in range(100):
            if self.browser.js("!!window.film"):
                break
            time.sleep(0.1)
        self.assertEqual(self.browser.js("film.events.length"), 5000)


    def test_gangs_take_turns(self):
        film = film_turns.make()
        self.open(film)
        draw = random.Random(7)
        for when in [draw.randrange(film["duration_ns"]) for _ in range(60)] + [film["duration_ns"]]:
            self.browser.js("film.goTo(%d)" % when)
            model = model_at(film, when)
            for bubble in (1, 2, 3, 4):
                place = {None: None, 0: "machine"}.get(model.attached_to.get(bubble), "suspended")
                self.assertEqual(self.browser.js("film.attachedTo(%d)" % bubble), place, "bubble %d at %d ns" % (bubble, when))
                for member in range(3):
                    self.assertEqual(self.where(bubble, member), model.where_is(bubble, member),
                                     "thread %d.%d at %d ns" % (bubble, member, when))
        self.see_a_turn(film)

    def see_a_turn(self, film):
        """Gang 2 is attached to the machine; is suspended while two of its threads run; comes back."""
        turns = [e for e in film["events"] if e[1] in ("attached", "suspended")]
        last = max(i for i in range(len(turns) // 2) if turns[i][1:3] == ["suspended", 2])
        over, back = turns[last][0], next(e[0] for e in turns[last:] if e[1:3] == ["attached", 2])
        self.see(over - 1, "machine", ["ready", "running", "running"], "attached to machine; ")
        on_machine = self.spots()
        self.see(over, "suspended", ["ready", "running", "running"], "suspended until its turn; ")
        self.browser.key("ArrowLeft")
        self.assertEqual(self.browser.js("film.attachedTo(2)"), "machine")
        self.browser.key("ArrowRight")
        self.assertEqual(self.browser.js("film.attachedTo(2)"), "suspended")
        self.see((over + back) // 2, "suspended", ["ready", "ready", "ready"], "suspended until its turn; ")
        suspended = self.spots()
        self.assertEqual(len(suspended), 3)
        box = self.browser.js("(r => r.bottom)(document.getElementById('machine').getBoundingClientRect())")
        self.assertTrue(all(box - 70 < y < box for y in suspended), (suspended, box))
        self.assertTrue(all(y < box - 70 for y in on_machine), (on_machine, box))
        self.keep("film-turns.png")
        self.assertTrue(self.browser.js("film.find('suspended')"))
        self.stories(film, over)
        self.browser.js("film.goTo(%d)" % (over - 1))
        self.play(0.3)
        self.assertGreater(self.browser.js("film.now()"), over)

    def see(self, when, place, states, words):
        self.browser.js("film.goTo(%d)" % when)
        self.assertEqual(self.browser.js("film.attachedTo(2)"), place)
        found = [self.where(2, member) for member in range(3)]
        self.assertEqual(sorted(thread["state"] for thread in found), states)
        for thread in found:
            self.assertEqual(thread["suspended"], place == "suspended" and thread["state"] == "ready")
        self.browser.js("film.find('2')")
        self.browser.frame()
        self.assertTrue(self.text("story-state").startswith(words), self.text("story-state"))

    def text(self, name):
        return self.browser.js("document.getElementById('%s').textContent" % name)

    def spots(self):
        """Heights at which the threads of gang 2 are drawn."""
        found = [self.browser.js("film.spotOf(2, %d)" % member) for member in range(3)]
        return [spot["y"] for spot in found if spot]

    def rows(self):
        self.browser.frame()
        return self.browser.js("[...document.querySelectorAll('#story-list .row span')].map(r => r.textContent)")

    def stories(self, film, over):
        stop = next(e for e in film["events"] if e[0] > over and e[1] == "slept" and e[2] == 2)
        self.assertEqual(stop[7], "turn")
        self.browser.js("film.goTo(%d)" % (stop[0] - 1))
        self.browser.js("film.find('2.%d')" % stop[3])
        rows = self.rows()
        self.assertIn("its bubble is suspended until its turn", rows)
        self.assertIn("stops: its bubble's turn is over (PU %d)" % stop[5], rows)
        self.assertIn("stops soon", self.text("story-state"))
        back = next(e[0] for e in film["events"] if e[0] > over and e[1:3] == ["attached", 2])
        self.browser.js("film.goTo(%d)" % back)
        self.assertIn("its bubble's turn begins, on machine", self.rows())
        self.browser.js("film.find('2')")
        rows = self.rows()
        self.assertIn("suspended until its turn", rows)
        self.assertIn("its turn begins: attached to machine", rows)

    def test_a_share_stolen_from_a_gang_stays_with_it(self):
        """But for its first thread; and what is told of a gang's turns after its end moves nothing."""
        film = film_turns.make(1)
        team = {"id": 9, "parent": 1, "member": 0, "threads": 6, "nesting": 2, "made": 1, "ended": 50}
        film["bubbles"].append(team)
        film["events"] = [[1, "queued", 9, 1, 6, 0, -1, 0], [2, "suspended", 9, -1, -1, -1, -1, 0],
                          [3, "attached", 9, -1, -1, 1, -1, 0], [4, "stolen", 9, 3, 6, 2, 1, 0],
                          [5, "started", 9, 3, -1, 1, -1, 0], [6, "suspended", 9, -1, -1, -1, -1, 0],
                          [7, "ended", 9, 3, -1, 1, -1, 0], [8, "attached", 9, -1, -1, 0, -1, 0],
                          [9, "started", 9, 0, -1, 0, -1, 0], [10, "ended", 9, 0, -1, 0, -1, 0],
                          [11, "suspended", 9, -1, -1, -1, -1, 0], [20, "awake", 0, -1, -1, 0, -1, 0]]
        self.open(film)
        for when, place, places in ((1, None, [0] * 5), (2, "suspended", [None] * 5), (3, "pu0", [1] * 5),
                                   (4, "pu0", [1, 1, 2, 1, 1]), (6, "suspended", [None, None, 2, None, None]),
                                   (8, "machine", [0, 0, -1, 0, 0]), (20, None, [0, 0, -1, 0, 0])):
            self.browser.js("film.goTo(%d)" % when)
            self.assertEqual(self.browser.js("film.attachedTo(9)"), place, when)
            found = [self.where(9, member) for member in range(1, 6)]
            self.assertEqual([None if thread["suspended"] else thread["level"] for thread in found], places, when)


class DeviceModel:
    """What devices and processors do after some events, by the rules of docs/film.md and nothing else."""

    def __init__(self, film):
        self.names = film["codelets"]
        self.devices = {d["number"]: {"name": d["name"], "given": [], "used": 0, "capacity": film_devices.CAPACITY}
                        for d in film["devices"]}
        self.copies, self.on_pu = [], {}

    def name(self, codelet):
        return self.names.get(str(codelet), "codelet %d" % codelet)

    def apply(self, event):
        _, kind, _, _, _, pu, _, words = event
        if kind == "kernel_begin":
            self.devices[words[0]]["given"].append(self.name(words[1]))
        elif kind == "kernel_end":
            self.devices[words[0]]["given"].pop(0)
        elif kind == "device_memory":
            self.devices[words[0]]["used"] = words[1]
        elif kind == "copy_begin":
            self.copies.append(words)
        elif kind == "copy_end":
            self.copies.remove(next(copy for copy in self.copies if copy[:2] == words))
        elif kind == "codelet_begin":
            self.on_pu[pu] = self.name(words[1])
        elif kind == "codelet_end":
            self.on_pu[pu] = None

    def device(self, number):
        of = self.devices[number]
        return {"name": of["name"], "running": of["given"][0] if of["given"] else None,
                "waiting": max(0, len(of["given"]) - 1), "used": of["used"], "capacity": of["capacity"]}


class FilmDevices(FilmCase):
    """Codelets on processors and devices, and the copies for them."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.film = film_devices.make()

    def model(self, when):
        model = DeviceModel(self.film)
        for event in self.film["events"]:
            if event[0] <= when:
                model.apply(event)
        return model

    def test_devices_do_what_the_events_say(self):
        self.open(self.film)
        draw, seen = random.Random(3), set()
        for when in [draw.randrange(self.film["duration_ns"]) for _ in range(60)] + [self.film["duration_ns"], 0]:
            self.browser.js("film.goTo(%d)" % when)
            model = self.model(when)
            for number in film_devices.DEVICE:
                want, found = model.device(number), self.browser.js("film.device(%d)" % number)
                found.pop("box")
                self.assertEqual(found, want, "device %d at %d ns" % (number, when))
                seen.add((want["running"], want["waiting"]))
            self.assertEqual(sorted(self.browser.js("film.copies()")), sorted(model.copies))
            for pu in range(film_devices.PUS):
                self.assertEqual(self.browser.js("film.codeletOn(%d)" % pu), model.on_pu.get(pu))
        self.assertGreater(len(seen), 5)
        self.assertIsNone(self.browser.js("film.device(9)"))

    def test_they_are_drawn_as_leaves_of_the_machine(self):
        self.open(self.film)
        index = next(i for i, e in enumerate(self.film["events"]) if i > 900 and len(self.model(e[0]).copies) == 3
                     and all(self.model(e[0]).device(n)["running"] for n in film_devices.DEVICE))
        when = self.film["events"][index][0]
        self.browser.js("film.goTo(%d)" % when)
        boxes = [self.browser.js("film.device(%d).box" % number) for number in film_devices.DEVICE]
        stage = self.browser.js("(r => [r.x, r.y, r.right, r.bottom])(document.getElementById('machine').getBoundingClientRect())")
        for box in boxes:
            self.assertTrue(stage[0] < box["x"] and box["x"] + box["w"] < stage[2])
            self.assertTrue(stage[1] < box["y"] and box["y"] + box["h"] < stage[3])
        self.assertGreaterEqual(boxes[1]["x"], boxes[0]["x"] + boxes[0]["w"])
        self.keep("film-devices.png")
        busy = self.pixels(boxes[0])
        self.assertEqual(self.tip(boxes[0])[:2], ["Device 1: card 1", "runs " + self.model(when).device(1)["running"]
                         + (", 1 more given to it" if self.model(when).device(1)["waiting"] else "")])
        idle = next(e[0] for e in self.film["events"] if self.model(e[0]).device(1)["running"] is None)
        self.browser.js("film.goTo(%d)" % idle)
        self.assertNotEqual(self.pixels(boxes[0]), busy)
        self.assertIn("runs nothing", self.tip(boxes[0]))
        self.assertIn("2 devices", self.browser.js("document.getElementById('facts').textContent"))
        self.browser.js("film.find('core1')")
        self.assertIsNone(self.browser.js("film.device(1)")["box"])
        self.assertTrue(self.browser.js("film.find('device 2')"))
        self.assertIsNotNone(self.browser.js("film.device(1)")["box"])

    def test_they_stand_at_their_memory_nodes(self):
        film = film_devices.make(400)
        film["levels"] = film_data.draw_machine((("node", 4), ("core", 2), ("pu", 1)))
        number_of = {level["name"]: number for number, level in enumerate(film["levels"])}
        for device, node in zip(film["devices"], ("node1", "node3")):
            device["level"] = number_of[node]
        self.open(film)
        self.browser.frame()
        self.keep("film-devices-nodes.png")
        for number, node in ((1, "node1"), (2, "node3")):
            box = self.browser.js("film.device(%d).box" % number)
            self.browser.call("Input.dispatchMouseEvent", type="mouseMoved", x=box["x"] + box["w"] / 2, y=box["y"] - 3)
            self.browser.frame()
            self.assertIn(node, self.browser.js("document.getElementById('tip').textContent"))
        self.browser.js("film.find('node3')")
        self.assertIsNone(self.browser.js("film.device(1)")["box"])
        self.assertIsNotNone(self.browser.js("film.device(2)")["box"])

    def pixels(self, box):
        """The colours in the box's middle row, as drawn."""
        self.browser.frame()
        return self.browser.js("""(() => { const c = document.getElementById('machine'), r = c.getBoundingClientRect(), k = devicePixelRatio;
            const copy = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
            copy.drawImage(c, (%f - r.x) * k, (%f - r.y) * k, 40, 1, 0, 0, 40, 1);
            return Array.from(copy.getImageData(0, 0, 40, 1).data).join(); })()"""
                               % (box["x"] + 8, box["y"] + 28))

    def tip(self, box):
        self.browser.call("Input.dispatchMouseEvent", type="mouseMoved", x=box["x"] + 9, y=box["y"] + 9)
        self.browser.frame()
        return self.browser.js("document.getElementById('tip').textContent").split("\n")

    def test_stepping_and_playing_pass_them(self):
        self.open(self.film)
        index = next(i for i, e in enumerate(self.film["events"]) if i > 500 and e[1] == "kernel_begin")
        event = self.film["events"][index]
        self.browser.js("film.goTo(%d)" % (event[0] - 1))
        self.browser.key("ArrowRight")
        self.browser.frame()
        self.assertEqual(self.browser.js("film.now()"), event[0])
        self.assertIn("device %d is given " % event[7][0], self.browser.js("document.getElementById('count').textContent"))
        self.play(1)
        self.assertGreater(self.browser.js("film.now()"), event[0])

    def test_a_run_on_one_pu_and_missing_events(self):
        film, draw = film_devices.make(400, 2), random.Random(2)
        film["levels"] = film_data.draw_machine((("pu", 1),))[:1]
        film["events"] = [e for e in film["events"] if draw.random() > 0.2]
        self.open(film)
        for part in (0.9, 0.2, 1.0, 0.6):
            self.browser.js("film.goTo(%d)" % (film["duration_ns"] * part))
            self.browser.frame()
        self.keep("film-devices-one-pu.png")


class Data(unittest.TestCase):
    """The synthetic run is the same each time, and nothing in it is impossible."""

    def test_same_seed_same_run(self):
        self.assertEqual(film_data.make(3000), film_data.make(3000))
        self.assertNotEqual(film_data.make(3000, seed=2)["events"], film_data.make(3000)["events"])

    def test_consistent(self):
        self.check(film_data.make(20000))
        self.check(film_turns.make())

    def test_turns(self):
        """One gang is attached to the machine at a time; none goes on while it is suspended."""
        laid = None
        for event in film_turns.make()["events"]:
            if event[1] == "attached":
                self.assertIsNone(laid, event)
            if event[1] in ("attached", "suspended"):
                laid = event[2] if event[1] == "attached" else None if event[2] == laid else laid
            if event[1] == "resumed" and event[2] > 1:
                self.assertEqual(event[2], laid, event)

    def check(self, film):
        model, last = Model(film), 0
        allowed = {"started": ("queued",), "resumed": ("ready",), "slept": ("running",), "ended": ("running",),
                   "woken": ("asleep",), "stolen": ("queued", "ready"), "barrier_in": ("running",), "barrier_out": ("running",)}
        for event in film["events"]:
            self.assertGreaterEqual(event[0], last)
            last = event[0]
            state = model.where_is(event[2], event[3])["state"]
            if event[1] in allowed and (event[1], event[3], state) != ("started", 0, "unborn"):
                self.assertIn(state, allowed[event[1]], event)
            if event[1] == "stolen":
                self.assertEqual(model.where_is(event[2], event[3])["level"], event[6], event)
            if event[1] in ("slept", "ended"):
                self.assertEqual(model.where_is(event[2], event[3])["pu"], event[5], event)
            model.apply(event)


if __name__ == "__main__":
    if None in (CHROMIUM, DRIVER, webdriver) and sys.argv[1:2] != ["Data"]:
        print("there is no chromium here, no chromedriver, or no selenium for this python3")
        sys.exit(77)
    unittest.main(verbosity=2)
