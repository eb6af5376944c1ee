# Strings, arrays and hashes that come and go.
total = 0
6.times do |round|
  table = {}
  60_000.times do |i|
    table["key #{i}"] = [i, i.to_s * (i % 9), { round => i }]
  end
  table.delete_if { |_, v| v[0] % 3 == 0 }
  total += table.values.map { |v| v[1].reverse }.sort.join(",").length
end
puts total
