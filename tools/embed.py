#!/usr/bin/env python3
"""Turns files into C, so that the program carries them inside itself.

embed.py bytes OUT.c NAME FILE     const unsigned char NAME[]; const size_t NAME_size;
embed.py sql   OUT.h FILE...       one `static const char sql_<name>[]` per `-- name: <name>` mark;
                                   {part} in it stands for what follows `-- part: <part>`
embed.py text  OUT.h NAME FILE...  static const char *const NAME[] with the whole of each file
"""
import re
import sys


def c_string(text):
    lines = text.split("\n")
    quoted = []
    for i, line in enumerate(lines):
        end = "\\n" if i + 1 < len(lines) else ""
        if line or end:
            quoted.append('    "' + line.replace("\\", "\\\\").replace('"', '\\"') + end + '"')
    return "\n".join(quoted) or '    ""'


def embed_bytes(out, name, path):
    with open(path, "rb") as f:
        data = f.read()
    rows = [", ".join(str(b) for b in data[i:i + 24]) for i in range(0, len(data), 24)]
    with open(out, "w") as f:
        f.write("#include <stddef.h>\n")
        f.write(f"extern const unsigned char {name}[];\nextern const size_t {name}_size;\n")
        f.write(f"const unsigned char {name}[] = {{\n" + ",\n".join(rows) + ", 0};\n")
        f.write(f"const size_t {name}_size = {len(data)};\n")


def read_sql(paths, mark):
    """(name, statement) of each `-- mark: name`, in one line and without comments."""
    for path in paths:
        pieces = re.split(r"^-- (name|part): (\w+)$", open(path).read(), flags=re.M)
        for kind, name, body in zip(pieces[1::3], pieces[2::3], pieces[3::3]):
            if kind == mark:
                sql = re.sub(r"--[^\n]*", "", body)
                yield name, re.sub(r"\s+", " ", sql).strip()


def embed_sql(out, paths):
    parts = dict(read_sql(paths, "part"))
    with open(out, "w") as f:
        for name, sql in read_sql(paths, "name"):
            sql = re.sub(r"\{(\w+)\}", lambda part: parts[part[1]], sql)
            f.write(f"static const char sql_{name}[] =\n{c_string(sql)};\n")


def embed_text(out, name, paths):
    with open(out, "w") as f:
        f.write(f"static const char *const {name}[] = {{\n")
        for path in paths:
            f.write(c_string(open(path).read()) + ",\n")
        f.write("};\n")


kind, out, *rest = sys.argv[1:]
if kind == "bytes":
    embed_bytes(out, *rest)
elif kind == "sql":
    embed_sql(out, rest)
elif kind == "text":
    embed_text(out, rest[0], rest[1:])
else:
    sys.exit(__doc__)
