"""xylem-gdb.py: commands for gdb that show Xylem's fibers, the waiting ones among them.

  xylem fibers          one line for each: its number, where it runs or that it waits, which OpenMP
                        thread it is, and the innermost function of the program in it
  xylem fiber N         selects fiber N: bt, up, frame, info locals and print are about it from then
                        on, until the program goes on
  xylem fiber           says which fiber is selected; `xylem fiber off` goes back to the kernel thread
  xylem apply COMMAND   runs a command of gdb in every fiber, as `thread apply all` does in threads

Nothing in the process is changed, so all of it works on core files as well. A fiber that waits is
shown by an unwinder: below the innermost frame of the selected kernel thread it shows the frames of
the fiber, from what the switch left on the fiber's stack (src/sched/context/jump.cpp).
Invariant: the unwinder answers only while a fiber is selected, for the kernel thread that was
selected with it, and for its innermost frame.
"""
import os
import re

import gdb
import gdb.frames
import gdb.unwinder

REGISTERS = ("r12", "r13", "r14", "r15", "rbx", "rbp")
LIBRARY = re.compile(r"^lib(xylem|gomp|omp|iomp5)\.so")
MOST_FRAMES = 200  # that are looked at for the innermost function of the program


class Trouble(Exception):
    """What the user is told in one line."""


# --- what the library keeps -------------------------------------------------------------------------


def type_named(name):
    try:
        return gdb.lookup_type(name)
    except gdb.error:
        raise Trouble(f"no type {name}: libxylem.so is not loaded, or has no debug information") from None


def pool():
    """The pool of workers, or None before the first region."""
    type_named("xylem::sched::Pool")
    symbol = gdb.lookup_static_symbol("xylem::sched::(anonymous namespace)::installed_pool")
    if symbol is None:
        raise Trouble("no variable installed_pool: libxylem.so has no debug information")
    address = plain(symbol.value())
    return address.dereference() if int(address) else None


def plain(value):
    """What a std::atomic holds; other values are themselves."""
    while "atomic" in str(value.type.strip_typedefs()):
        fields = value.type.strip_typedefs().fields()
        inner = [field for field in fields if field.is_base_class or field.name in ("_M_b", "_M_i", "_M_p")]
        value = value[inner[0]]
    return value


def stacks(of_pool):
    """The stacks that loops and fibers run on."""
    slab = of_pool["stacks_"]["slabs_"]
    while int(slab):
        for index in range(int(slab["slots"])):
            stack = slab["stacks"][index]
            if stack["in_use"]:
                yield stack
        slab = slab["next"]


class Registers:
    """What a context at rest has in its registers, from the frame that the switch left."""

    def __init__(self, stack_pointer):
        frame = type_named("xylem::sched::(anonymous namespace)::Frame")
        offset = {field.name: field.bitpos // 8 for field in frame.fields()}
        self.value = {name: read_word(stack_pointer + offset[name]) for name in REGISTERS}
        self.value["rip"] = read_word(stack_pointer + offset["resumes_at"])
        self.value["rsp"] = stack_pointer + offset["resumes_at"] + 8


def read_word(address):
    memory = gdb.selected_inferior().read_memory(address, 8)
    return int.from_bytes(bytes(memory), "little")


# --- fibers -----------------------------------------------------------------------------------------


class Fiber:
    """A fiber as it is now. `thread` is the kernel thread that is on its stack, or None."""

    def __init__(self, value, low, high, thread_at):
        self.value = value
        inside = [thread for pointer, thread in thread_at if low <= pointer < high]
        self.thread = inside[0] if inside else None
        self.stack_pointer = int(value["context"]["sp"])
        self.at_rest = not inside and low <= self.stack_pointer < high
        self.external = bool(int(value["external"]))

    def registers(self):
        if not self.at_rest:
            raise Trouble("this fiber is just being switched")
        return Registers(self.stack_pointer)

    def state(self):
        if self.thread is not None:
            return f"on thread {self.thread.num}"
        if not self.at_rest:
            return "is switched"
        return "is ready" if int(plain(self.value["queue"])) else "waits"

    def role(self):
        """Which OpenMP thread it is."""
        member = self.value["user"]
        if not int(member):
            return "between teams"
        member = member.cast(type_named("xylem::omp::Member").pointer())
        team = member["team"]
        level = int(team["level"])
        whose = "external thread, " if self.external else ""
        if level == 0:
            return f"{whose}outside of regions"
        return f"{whose}member {int(member['num'])} of {int(team['n'])}, level {level}"


def stack_pointers():
    """(stack pointer, thread) of every kernel thread. The selection is as before afterwards."""
    before = gdb.selected_thread()
    found = []
    for thread in gdb.selected_inferior().threads():
        thread.switch()
        found.append((int(gdb.newest_frame().read_register("rsp")), thread))
    if before is not None:
        before.switch()
    return found


def all_fibers():
    """Every fiber: the external threads' first, in the order of their addresses."""
    the_pool = pool()
    if the_pool is None:
        return []
    if the_pool["a_thread_each_"]:
        raise Trouble("each OpenMP thread is a kernel thread here: `info threads` shows them all")
    with view.set_aside():
        thread_at = stack_pointers()
    fibers, externals = [], {}
    for external in externals_in_regions(the_pool):
        externals[int(external)] = external
    for stack in stacks(the_pool):
        member = stack["fiber"]
        if not int(member):
            continue
        fibers.append(Fiber(member.dereference(), int(stack["low"]), int(stack["high"]), thread_at))
        initial = member["initial"]
        if int(initial):
            externals[int(initial)] = initial
    externals = [of_external(externals[address], thread_at) for address in sorted(externals)]
    fibers.sort(key=lambda fiber: int(fiber.value.address))
    return externals + fibers


def of_external(external, thread_at):
    native = external["native"]
    return Fiber(external["fiber"], int(native["low"]), int(native["high"]), thread_at)


def externals_in_regions(the_pool):
    """The external threads that have a region open, as far as the pool knows them."""
    with_slot = slot_external(the_pool)
    if with_slot is not None and int(with_slot):
        yield with_slot
    worker = the_pool["solo_"]
    while int(worker):
        yield worker["external"]
        worker = worker["next_in_list"]


def slot_external(the_pool):
    """Who has PU 0's slot as an external thread: its Worker knows."""
    worker = plain(first_slot(the_pool)["worker"])
    return worker["external"] if int(worker) else None


def first_slot(the_pool):
    pointer = the_pool["slots_"]  # a std::unique_ptr, which is a pointer in memory
    slot = type_named("xylem::sched::Slot").pointer()
    return pointer.address.cast(slot.pointer()).dereference().dereference()


# --- the view: which fiber is selected -----------------------------------------------------------------


class View(gdb.unwinder.Unwinder):
    """The fiber at rest whose frames are shown in place of a kernel thread's."""

    def __init__(self):
        super().__init__("xylem-fiber")
        self.registers = None

    def select(self, fiber, number):
        self.clear()
        frame = gdb.newest_frame()
        self.number = number
        self.thread = gdb.selected_thread().ptid
        self.newest = (int(frame.read_register("rsp")), int(frame.read_register("rip")))
        self.registers = fiber.registers().value
        gdb.invalidate_cached_frames()
        self.frame().select()

    def clear(self):
        if self.registers is None:
            return
        self.registers = None
        gdb.invalidate_cached_frames()
        if gdb.selected_thread() is not None:
            gdb.newest_frame().select()

    def set_aside(self):
        return SetAside(self)

    def is_on(self):
        thread = gdb.selected_thread()
        return self.registers is not None and thread is not None and thread.ptid == self.thread

    def frame(self):
        """The innermost frame of the selected fiber."""
        frame = gdb.newest_frame()
        while frame is not None and int(frame.read_register("rsp")) != self.registers["rsp"]:
            frame = frame.older()
        if frame is None:
            raise Trouble("gdb does not show this fiber's frames")
        return frame

    def __call__(self, pending):
        if not self.is_on():
            return None
        here = (int(pending.read_register("rsp")), int(pending.read_register("rip")))
        if here != self.newest:
            return None
        # Lower than any frame of the fiber, as gdb wants outer frames at higher addresses.
        word = gdb.lookup_type("unsigned long")
        below = gdb.Value(self.registers["rsp"] - 64).cast(word)
        info = pending.create_unwind_info(FrameId(below, gdb.Value(here[1]).cast(word)))
        for name, value in self.registers.items():
            info.add_saved_register(name, gdb.Value(value).cast(word))
        return info


class FrameId:
    def __init__(self, sp, pc):
        self.sp = sp
        self.pc = pc


class SetAside:
    """The view is off inside."""

    def __init__(self, of_view):
        self.view = of_view

    def __enter__(self):
        self.registers, self.view.registers = self.view.registers, None
        if self.registers is not None:
            gdb.invalidate_cached_frames()

    def __exit__(self, *_):
        self.view.registers = self.registers
        if self.registers is not None:
            gdb.invalidate_cached_frames()


class OnlyTheFiber:
    """A frame filter: of a selected fiber, not the kernel thread's own frames above it; and of no
    stack the end, where nothing is."""

    def __init__(self):
        self.name, self.enabled, self.priority = "xylem-fiber", True, 1000
        gdb.frame_filters[self.name] = self

    def filter(self, frames):
        wanted = view.registers["rsp"] if view.is_on() else None
        return self.some_of(frames, wanted)

    @staticmethod
    def some_of(frames, wanted):
        """From the frame with that stack pointer on; None: all."""
        reached = wanted is None
        for decorator in frames:
            frame = decorator.inferior_frame()
            reached = reached or int(frame.read_register("rsp")) == wanted
            if reached and frame.pc() != 0:
                yield decorator


view = View()


# --- commands -----------------------------------------------------------------------------------------


def programs_frame():
    """The innermost frame from the selected one on that is not the runtime's."""
    frame = gdb.selected_frame()
    for _ in range(MOST_FRAMES):
        older = frame.older()
        if older is None or not in_library(frame):
            return frame
        frame = older
    return frame


def in_library(frame):
    name = gdb.solib_name(frame.pc())
    if name is None:
        return False
    return bool(LIBRARY.match(os.path.basename(os.path.realpath(name)))) or \
        bool(LIBRARY.match(os.path.basename(name)))


def place(frame):
    function = frame.name() or hex(frame.pc())
    line = frame.find_sal()
    if line.symtab is None:
        return function
    return f"{function} at {os.path.basename(line.symtab.filename)}:{line.line}"


def in_fiber(fiber, number, action):
    """The action with the fiber selected; the selection is as before afterwards."""
    before = gdb.selected_thread()
    with view.set_aside():
        try:
            select(fiber, number)
            return action()
        finally:
            view.clear()
            before.switch()


def select(fiber, number):
    if fiber.thread is not None:
        view.clear()
        fiber.thread.switch()
        gdb.newest_frame().select()
    else:
        view.select(fiber, number)


def where(fiber, number):
    try:
        return in_fiber(fiber, number, lambda: place(programs_frame()))
    except (Trouble, gdb.error) as trouble:
        return str(trouble)


def role_or_trouble(fiber):
    """A fiber that cannot be read does not hide those behind it."""
    try:
        return fiber.role()
    except gdb.error as trouble:
        return str(trouble)


def by_number(text):
    fibers = all_fibers()
    if not text.isdigit() or not 1 <= int(text) <= len(fibers):
        raise Trouble(f"there is no fiber {text}: `xylem fibers` lists {len(fibers)}")
    return fibers[int(text) - 1], int(text)


def list_fibers():
    fibers = all_fibers()
    if not fibers:
        print("No fibers: no region is open.")
    for number, fiber in enumerate(fibers, start=1):
        mark = "*" if view.is_on() and view.number == number else " "
        print(f"{mark} {number:4}  {fiber.state():12}  {role_or_trouble(fiber):42}  {where(fiber, number)}")


class Xylem(gdb.Command):
    """Commands about Xylem's fibers: xylem fibers, xylem fiber, xylem apply."""

    def __init__(self):
        super().__init__("xylem", gdb.COMMAND_STACK, prefix=True)


class Said(gdb.Command):
    """A command whose trouble is said in one line."""

    def invoke(self, argument, from_tty):
        if gdb.selected_thread() is None:
            raise gdb.GdbError("xylem: there is no process")
        try:
            self.run(argument.strip(), from_tty)
        except Trouble as trouble:
            raise gdb.GdbError(f"xylem: {trouble}") from None


class Fibers(Said):
    """xylem fibers: lists the fibers of all open regions, those that wait as well."""

    def __init__(self):
        super().__init__("xylem fibers", gdb.COMMAND_STACK)

    def run(self, _argument, _from_tty):
        list_fibers()


class SelectFiber(Said):
    """xylem fiber N: selects a fiber of `xylem fibers`. xylem fiber off: the kernel thread again."""

    def __init__(self):
        super().__init__("xylem fiber", gdb.COMMAND_STACK)

    def run(self, argument, from_tty):
        if argument == "off":
            view.clear()
        elif argument:
            fiber, number = by_number(argument)
            select(fiber, number)
            print(f"[Fiber {number}: {fiber.state()}, {fiber.role()}]")
            gdb.execute("frame", from_tty)
        elif view.is_on():
            print(f"[Fiber {view.number} is selected]")
        else:
            print("[No fiber is selected]")


class Apply(Said):
    """xylem apply COMMAND: runs a command of gdb in every fiber, one after the other."""

    def __init__(self):
        super().__init__("xylem apply", gdb.COMMAND_STACK)

    def run(self, argument, from_tty):
        if not argument:
            raise Trouble("which command? e.g. `xylem apply bt`")
        for number, fiber in enumerate(all_fibers(), start=1):
            print(f"\nFiber {number} ({fiber.state()}, {fiber.role()}):")
            try:
                in_fiber(fiber, number, lambda: gdb.execute(argument, from_tty))
            except (Trouble, gdb.error) as trouble:
                print(trouble)


gdb.unwinder.register_unwinder(None, view, replace=True)
OnlyTheFiber()
gdb.events.cont.connect(lambda _: view.clear())
for command in (Xylem, Fibers, SelectFiber, Apply):
    command()
