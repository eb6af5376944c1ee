#include <fmt/format.h>
#include <sqlite3.h>

#include <filesystem>
#include <memory>
#include <stdexcept>

#include "profile/export/blocks.hpp"

namespace mallard::profile {
namespace {

constexpr const char* schema = R"(
CREATE TABLE threads (id INTEGER PRIMARY KEY, tid INTEGER, name TEXT, started_ns INTEGER, ended_ns INTEGER);
CREATE TABLE stacks (id INTEGER PRIMARY KEY, caller INTEGER REFERENCES stacks, function TEXT, module TEXT,
                     file TEXT, line INTEGER);
CREATE TABLE blocks (address INTEGER, bytes INTEGER, allocated_ns INTEGER, thread INTEGER REFERENCES threads,
                     freed_ns INTEGER, freed_by INTEGER REFERENCES threads, stack INTEGER REFERENCES stacks);
CREATE VIEW sites AS SELECT ifnull(function, '(no stack)') AS function, file, line, count(*) AS blocks,
  sum(bytes) AS bytes, sum(freed_ns IS NULL) AS live_blocks FROM blocks LEFT JOIN stacks ON stacks.id = blocks.stack
  GROUP BY stacks.function, file, line ORDER BY sum(bytes) DESC;
)";

class database {
 public:
  explicit database(const process::replaced_file& out) : out_(out) {
    std::error_code ignored;
    if (std::filesystem::exists(out.path(), ignored) &&
        !std::filesystem::is_regular_file(out.path(), ignored)) {
      throw std::runtime_error(fmt::format("{}: is not a regular file", out.name().string()));
    }
    // An empty file becomes a database, and keeps its rights.
    std::filesystem::resize_file(out.path(), 0, ignored);
    // A name that begins with a colon would be one of SQLite's own.
    check(sqlite3_open(std::filesystem::absolute(out.path()).c_str(), &base_));
    // Half a file is useless, so no journal is kept.
    run("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; BEGIN;");
    run(schema);
  }
  ~database() { sqlite3_close(base_); }
  database(const database&) = delete;
  database& operator=(const database&) = delete;

  void run(const char* text) { check(sqlite3_exec(base_, text, nullptr, nullptr, nullptr)); }
  void check(int result) const {
    if (result == SQLITE_OK || result == SQLITE_DONE || result == SQLITE_ROW) return;
    throw std::runtime_error(fmt::format("{}: {}", out_.name().string(), sqlite3_errmsg(base_)));
  }
  sqlite3* get() const { return base_; }

 private:
  const process::replaced_file& out_;
  sqlite3* base_ = nullptr;
};

// Inserts rows into one table.
class inserter {
 public:
  inserter(const database& into, const char* text) : into_(into) {
    into.check(sqlite3_prepare_v2(into.get(), text, -1, &statement_, nullptr));
  }
  ~inserter() { sqlite3_finalize(statement_); }
  inserter(const inserter&) = delete;
  inserter& operator=(const inserter&) = delete;

  template <class... Values>
  void row(const Values&... values) {
    int at = 0;
    (bind(++at, values), ...);
    into_.check(sqlite3_step(statement_));
    sqlite3_reset(statement_);
  }

 private:
  void bind(int at, std::uint64_t value) {
    into_.check(sqlite3_bind_int64(statement_, at, static_cast<sqlite3_int64>(value)));
  }
  void bind(int at, const std::string& value) {
    into_.check(sqlite3_bind_text(statement_, at, value.data(), static_cast<int>(value.size()),
                                  SQLITE_TRANSIENT));
  }
  template <class Number>
  void bind(int at, const std::optional<Number>& value) {
    if (!value.has_value()) {
      into_.check(sqlite3_bind_null(statement_, at));
      return;
    }
    bind(at, std::uint64_t{value.value()});
  }

  const database& into_;
  sqlite3_stmt* statement_ = nullptr;
};

}  // namespace

std::uint64_t write_sqlite(trace_reader& trace, const function_table& functions,
                           const process::replaced_file& out) {
  database base(out);
  inserter threads(base, "INSERT INTO threads VALUES (?,?,?,?,?)");
  for (const auto& [id, one] : trace.facts().threads) {
    std::optional<std::uint64_t> ended;
    if (one.ended != UINT64_MAX) ended = one.ended;
    threads.row(id, one.tid, one.name, one.started, ended);
  }
  inserter stacks(base, "INSERT INTO stacks VALUES (?,?,?,?,?,?)");
  for (std::uint32_t id = 1; id < trace.stacks().size(); ++id) {
    const std::uint32_t caller = trace.stacks().parent(id);
    const source_line place = functions.line(id);
    stacks.row(id, caller == 0 ? std::nullopt : std::optional<std::uint32_t>(caller),
               place.function, functions.module_path(id), place.file, place.line);
  }
  inserter blocks(base, "INSERT INTO blocks VALUES (?,?,?,?,?,?,?)");
  std::uint64_t rows = 0;
  for_each_block(trace, [&](const block_row& one) {
    blocks.row(one.address, one.bytes, one.allocated_ns, one.thread, one.freed_ns, one.freed_by,
               one.stack == 0 ? std::nullopt : std::optional<std::uint32_t>(one.stack));
    ++rows;
  });
  base.run("COMMIT");
  return rows;
}

}  // namespace mallard::profile
