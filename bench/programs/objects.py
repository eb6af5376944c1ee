"""Parses, builds and drops the kinds of objects Python programs are made of."""
import ast
import collections
import io
import json
import re
import sys
import tokenize


def documents(count):
    return [{"id": i, "name": f"name {i}", "tags": [f"t{k}" for k in range(i % 7)],
             "nested": {"x": i * 0.5, "y": [i] * (i % 11)}} for i in range(count)]


def main(rounds):
    source = open(collections.__file__, encoding="utf-8").read()
    total = 0
    for _ in range(rounds):
        text = json.dumps(documents(4000))
        total += len(json.loads(text))
        total += sum(1 for _ in ast.walk(ast.parse(source)))
        total += sum(1 for _ in tokenize.generate_tokens(io.StringIO(source).readline))
        words = collections.Counter(re.findall(r"\w+", source))
        total += len(sorted(words.items(), key=lambda item: (-item[1], item[0])))
        big = [bytearray(n * 37) for n in range(1, 2000)]
        total += sum(map(len, big))
    print(total)


main(int(sys.argv[1]) if len(sys.argv) > 1 else 6)
