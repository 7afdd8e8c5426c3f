// SPDX-License-Identifier: Apache-2.0
// The only file that knows SQLite.
#include <fmt/core.h>
#include <sqlite3.h>

#include <charconv>
#include <filesystem>

#include "sim/api/sweep/sweep_table.h"
#include "sim/report/metric_table.h"

namespace gpuloom::sim {
namespace {

class Database {
 public:
  explicit Database(const std::string& path) : path_(path) {
    if (sqlite3_open(path.c_str(), &db_) != SQLITE_OK) fail();
  }
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;
  ~Database() { sqlite3_close(db_); }

  void run(const std::string& sql) {
    if (sqlite3_exec(db_, sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) fail();
  }

  // One row; a text that is a number becomes one, an empty one nothing.
  void insert(const std::string& into, const std::vector<std::string>& values, size_t texts) {
    std::string sql = "INSERT INTO " + into + " VALUES (";
    for (size_t i = 0; i < values.size(); ++i) sql += i == 0 ? "?" : ", ?";
    sqlite3_stmt* statement = nullptr;
    if (sqlite3_prepare_v2(db_, (sql + ")").c_str(), -1, &statement, nullptr) != SQLITE_OK) fail();
    for (size_t i = 0; i < values.size(); ++i)
      bind(statement, static_cast<int>(i) + 1, values[i], i >= texts);
    const int done = sqlite3_step(statement);
    sqlite3_finalize(statement);
    if (done != SQLITE_DONE) fail();
  }

 private:
  static void bind(sqlite3_stmt* statement, int at, const std::string& text, bool may_be_number) {
    const char *begin = text.data(), *end = begin + text.size();
    int64_t whole = 0;
    double real = 0;
    if (may_be_number && text.empty()) {
      sqlite3_bind_null(statement, at);
    } else if (const auto r = std::from_chars(begin, end, whole);
               may_be_number && r.ec == std::errc{} && r.ptr == end) {
      sqlite3_bind_int64(statement, at, whole);
    } else if (const auto d = std::from_chars(begin, end, real);
               may_be_number && d.ec == std::errc{} && d.ptr == end) {
      sqlite3_bind_double(statement, at, real);
    } else {
      sqlite3_bind_text(statement, at, begin, static_cast<int>(text.size()), SQLITE_TRANSIENT);
    }
  }

  [[noreturn]] void fail() const {
    throw Error(ErrorKind::kInput, fmt::format("cannot write '{}': {}", path_, sqlite3_errmsg(db_)));
  }

  std::string path_;
  sqlite3* db_ = nullptr;
};

std::string quoted(const std::string& name) {
  std::string text = "\"";
  for (const char c : name) text.append(c == '"' ? 2 : 1, c);
  return text + "\"";
}

}  // namespace

void write_sqlite(const SweepTable& table, const std::string& path) {
  const std::string beside = path + ".part";
  std::filesystem::remove(beside);
  {
    Database db(beside);
    std::string columns;
    for (const std::string& name : table.head) columns += (columns.empty() ? "" : ", ") + quoted(name);
    db.run("BEGIN");
    db.run("CREATE TABLE results (" + columns + ")");
    db.run("CREATE TABLE metrics (name TEXT PRIMARY KEY, unit TEXT, description TEXT)");
    for (const auto& row : table.rows) db.insert("results", row, 2);  // point and state are never numbers
    for (size_t i = table.metrics_begin; i < table.head.size(); ++i) {
      const MetricInfo* info = find_metric(table.head[i]);
      const auto unit = table.units.find(table.head[i]);
      db.insert("metrics",
                {table.head[i], unit == table.units.end() ? "s" : unit->second,
                 info == nullptr ? "" : std::string(info->description)},
                3);
    }
    db.run("COMMIT");
  }
  std::filesystem::rename(beside, path);
}

}  // namespace gpuloom::sim
