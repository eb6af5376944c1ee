"""GDB pretty-printers for Mallard's memory resources: what is in use, and from where.

    (gdb) source mallard.py          # or by itself, where gdb finds libmallard.so-gdb.py
    (gdb) print pool
    $1 = multipool_resource {in_use_bytes = 4080, reserved_bytes = 16384, ..., upstream = ...}

Resources with figures of their own (stats()) are asked for them, which runs a function of the
program that changes nothing; in a core dump, where none can run, only the upstream is shown.
"""

import re

import gdb
import gdb.printing

# Resources that say what they hold, and where their figures come from.
WITH_STATS = {
    "monotonic_resource": "store_",
    "buffered_resource": "store_",
    "reserved_resource": "store_",
    "multipool_resource": None,
    "adaptive_pool_resource": None,
    "heap_resource": None,
    "synchronized_multipool_resource": None,
    "synchronized_heap_resource": None,
}
UPSTREAMS = (("store_", "upstream_"), ("upstream_",), ("pools_", "context_"))


def member(value, path):
    for name in path:
        value = value[name]
    return value


def ask_for_stats(value, inside):
    asked = value if inside is None else value[inside]
    kind = asked.type.strip_typedefs().unqualified()
    figures = gdb.parse_and_eval("((%s*)%#x)->stats()" % (kind, int(asked.address)))
    return [(field.name, figures[field.name]) for field in figures.type.fields()]


def describe(pointer):
    """The vtable's word on the object behind a memory_resource*, and its address."""
    address = int(pointer)
    if address == 0:
        return "nothing"
    kind = "a resource"
    try:
        vtable = int(gdb.parse_and_eval("*(unsigned long*)%#x" % address))
        symbol = gdb.execute("info symbol %#x" % vtable, to_string=True)
        found = re.match(r"vtable for (.*) \+ ", symbol)
        if found:
            kind = found.group(1).replace("mallard::v1::", "mallard::")
    except gdb.error:
        pass
    return "%s at %#x" % (kind, address)


def tally(value):
    return int(value["value_"]["value_"])


class ResourcePrinter:
    def __init__(self, value, name):
        self.value = value
        self.name = name

    def to_string(self):
        return self.name

    def children(self):
        for name, figure in self.figures():
            yield name, figure
        upstream = self.upstream()
        if upstream is not None:
            yield "upstream", upstream

    def figures(self):
        try:
            return ask_for_stats(self.value, WITH_STATS[self.name])
        except gdb.error:
            return []  # no process, or the program has no such function

    def upstream(self):
        for path in UPSTREAMS:
            try:
                return describe(member(self.value, path))
            except gdb.error:
                continue
        return None


class CountingPrinter(ResourcePrinter):
    def figures(self):
        cell = self.value["cell_"]
        name = self.value["counted_"]["name_"]
        if int(name) != 0:
            yield "name", name
        for figure in ("in_use_blocks", "in_use_bytes", "peak_blocks", "peak_bytes", "total_bytes"):
            yield figure, tally(cell[figure])


class LimitPrinter(ResourcePrinter):
    def figures(self):
        yield "in_use_bytes", int(self.value["bytes_"]["value_"])
        yield "in_use_blocks", int(self.value["blocks_"]["value_"])
        yield "limits", self.value["limits_"]


class TestPrinter(ResourcePrinter):
    """A part that the library keeps to itself: shown where the library has debug information."""

    def figures(self):
        try:
            state = self.value["state_"].dereference()
            name = state["options"]["name"]
            counts = state["counts"]
        except gdb.error:
            return
        if int(name) != 0:
            yield "name", name
        for figure in ("in_use_blocks", "in_use_bytes", "peak_bytes", "allocations"):
            yield figure, counts[figure]

    def upstream(self):
        try:
            return describe(self.value["state_"].dereference()["upstream"]["to_"])
        except gdb.error:
            return None


SPECIAL = {
    "counting_resource": CountingPrinter,
    "limit_resource": LimitPrinter,
    "test_resource": TestPrinter,
}


class ResourceRef:
    def __init__(self, value):
        self.value = value

    def to_string(self):
        return "resource_ref to " + describe(self.value["resource_"])


def find(value):
    kind = value.type.strip_typedefs().unqualified()
    name = str(kind)
    if not name.startswith("mallard::v1::"):
        return None
    short = name[len("mallard::v1::"):].split("<")[0]
    if short == "resource_ref":
        return ResourceRef(value)
    if short in SPECIAL:
        return SPECIAL[short](value, short)
    if short in WITH_STATS:
        return ResourcePrinter(value, short)
    return None


find.name = "mallard"
find.enabled = True
gdb.printing.register_pretty_printer(gdb.current_objfile(), find, replace=True)
