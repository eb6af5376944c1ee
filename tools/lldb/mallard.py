"""LLDB's view of Mallard's memory resources: what is in use, and from where.

    (lldb) command script import PREFIX/share/mallard/lldb/mallard.py
    (lldb) frame variable pool
    (mallard::multipool_resource) pool = {in_use_bytes = 112, ..., upstream = mallard::page_source at 0x...}

Resources with figures of their own (stats()) are asked for them, which runs a function of the program that changes
nothing; in a core dump, where none can run, the upstream alone is shown.
"""

import re

import lldb

# Resources that say what they hold, and where their figures come from.
WITH_STATS = {
    "monotonic_resource": ".store_",
    "buffered_resource": ".store_",
    "reserved_resource": ".store_",
    "multipool_resource": "",
    "adaptive_pool_resource": "",
    "heap_resource": "",
    "synchronized_multipool_resource": "",
    "synchronized_heap_resource": "",
}
UPSTREAMS = ("store_.upstream_", "upstream_", "pools_.context_")


def describe(pointer):
    """The vtable's word on the object behind a memory_resource*, and its address."""
    address = pointer.GetValueAsUnsigned()
    if address == 0:
        return "nothing"
    process, target = pointer.GetProcess(), pointer.GetTarget()
    vtable = process.ReadPointerFromMemory(address, lldb.SBError())
    symbol = target.ResolveLoadAddress(vtable).GetSymbol().GetName() or ""
    found = re.match(r"vtable for (.*)", symbol)
    kind = found.group(1).replace("mallard::v1::", "mallard::") if found else "a resource"
    return "%s at %#x" % (kind, address)


def figures(resource):
    name = re.sub(r"<.*", "", resource.GetType().GetUnqualifiedType().GetName()).split("::")[-1]
    if WITH_STATS.get(name):
        resource = resource.GetValueForExpressionPath(WITH_STATS[name])
    address = resource.GetLoadAddress()
    if address == lldb.LLDB_INVALID_ADDRESS:
        return []
    kind = resource.GetType().GetUnqualifiedType().GetName()
    options = lldb.SBExpressionOptions()
    options.SetTryAllThreads(False)
    stats = resource.GetTarget().EvaluateExpression("((%s*)%#x)->stats()" % (kind, address), options)
    if stats.GetError().Fail():
        return []  # no process, or the program has no such function
    return ["%s = %s" % (one.GetName(), one.GetValue()) for one in stats]


def summary(value, _):
    value = value.GetNonSyntheticValue()
    shown = figures(value)
    for path in UPSTREAMS:
        upstream = value.GetValueForExpressionPath("." + path)
        if upstream.IsValid() and upstream.GetError().Success():
            shown.append("upstream = " + describe(upstream))
            break
    return "{" + ", ".join(shown) + "}"


def __lldb_init_module(debugger, _):
    for name in WITH_STATS:
        debugger.HandleCommand("type summary add -w mallard -x -F %s.summary '^mallard::(v1::)?%s(<.*>)?$'"
                               % (__name__, name))
    debugger.HandleCommand("type category enable mallard")
