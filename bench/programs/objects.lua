-- Strings and tables that come and go.
local total = 0
for round = 1, 8 do
  local t = {}
  for i = 1, 60000 do t[i] = {name = "n" .. i, list = {i, i * 2, tostring(i)}} end
  local parts = {}
  for i = 1, #t, 3 do parts[#parts + 1] = t[i].name .. t[i].list[3] end
  total = total + #table.concat(parts, ",")
end
print(total)
