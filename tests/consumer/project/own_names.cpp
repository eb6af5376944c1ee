// A program whose globals have names that the headers' parameters and members have, too. It is
// compiled with -Wshadow as an error.
int alignment, allocator, args, arena, base, block, blocks, bytes, chunk, count, end, first, from,
    heap, heaps, last, layout, list, loop, mark, mine, name, next, node, offset, old_bytes, options,
    other, p, page, pool, pools, request, resource, result, size, size_class, slab, slot, source,
    step, table, thread, to, upstream, value, word;

#include <mallard/mallard.hpp>
#include <mallard/memory/shared.hpp>
