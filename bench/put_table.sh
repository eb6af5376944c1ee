#!/bin/sh
# Puts a generated table into a document, between its marks: put_table.sh DOCUMENT NAME FILE
set -eu
document=$1 name=$2 file=$3
grep -q "^<!-- $name: begin -->$" "$document"
awk -v name="$name" -v file="$file" '
  $0 == "<!-- " name ": end -->" { inside = 0 }
  !inside { print }
  $0 == "<!-- " name ": begin -->" {
    inside = 1
    while ((getline line < file) > 0) print line
  }' "$document" >"$file.document"
cat "$file.document" >"$document"
rm "$file.document"
