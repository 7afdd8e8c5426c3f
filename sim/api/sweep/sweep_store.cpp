// SPDX-License-Identifier: Apache-2.0
#include "sim/api/sweep/sweep_store.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <unordered_set>

#include "base/text.h"
#include "base/version.h"
#include "sim/memory/files.h"

namespace gpuloom::sim {
namespace {

using Json = nlohmann::ordered_json;
constexpr int kSweepSchema = 1;

Json parse(const std::string& path) {
  try {
    return Json::parse(read_file(path));
  } catch (const nlohmann::json::exception& e) {
    throw Error(ErrorKind::kInput, std::string("not a file of gpuloom sweep: ") + e.what(), {path, 0, 0});
  }
}

void write_beside(const std::string& path, std::string_view data, bool flush) {
  char host[64] = {};
  gethostname(host, sizeof host - 1);
  const std::string beside = fmt::format("{}.{}.{}.part", path, host, getpid());
  const auto fail = [&](const char* what) {
    const int code = errno;
    unlink(beside.c_str());
    throw Error(ErrorKind::kInput, fmt::format("cannot {} '{}': {}", what, path, std::strerror(code)));
  };
  const int file = open(beside.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (file < 0) fail("write");
  size_t at = 0;
  while (at < data.size()) {
    const ssize_t n = write(file, data.data() + at, data.size() - at);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) {
      close(file);
      fail("write");
    }
    at += static_cast<size_t>(n);
  }
  const bool flushed = !flush || fsync(file) == 0;
  if (close(file) != 0 || !flushed) fail("flush");
  if (rename(beside.c_str(), path.c_str()) != 0) fail("rename to");
  if (!flush) return;
  // The new name has to reach the disk too. File systems that refuse to flush a directory do it by
  // themselves.
  const int folder =
      open(std::filesystem::path(path).parent_path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder >= 0) {
    fsync(folder);
    close(folder);
  }
}

// Complete or absent, but not flushed: whoever plans flushes everything at once.
void write_once(const std::string& path, std::string_view data) {
  if (!std::filesystem::exists(path)) write_beside(path, data, false);
}

void flush_file_system(const std::string& directory) {
  const int folder = open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return;
  syncfs(folder);
  close(folder);
}

// Names of the files of a folder without ".json".
std::unordered_set<std::string> names_in(const std::string& folder) {
  std::unordered_set<std::string> names;
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(folder, none))
    if (entry.path().extension() == ".json") names.insert(entry.path().stem().string());
  return names;
}

// Whether somebody holds the lock that run_point takes.
bool locked(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  const bool busy = flock(file, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  close(file);
  return busy;
}

Json manifest_json(const Sweep& sweep, const SweepPlan& plan) {
  Json j = {{"schema", kSweepSchema},   {"name", sweep.name},      {"file", sweep.path},
            {"version", version()},     {"sources", plan.sources}, {"repeats", sweep.repeats},
            {"metrics", sweep.metrics}, {"plots", sweep.plots}};
  Json& axes = j["axes"] = Json::array();
  for (const SweepAxis& axis : sweep.axes) axes.push_back(axis.name);
  Json& points = j["points"] = Json::array();
  for (const SweepPoint& p : plan.points) {
    Json labels = Json::array();
    for (size_t a = 0; a < p.values.size(); ++a) labels.push_back(sweep.axes[a].values[p.values[a]].label);
    points.push_back({{"id", p.id}, {"values", std::move(labels)}, {"repeat", p.repeat}});
  }
  return j;
}

}  // namespace

void write_durably(const std::string& path, std::string_view data) { write_beside(path, data, true); }

std::string tail_of_file(const std::string& path, size_t lines) {
  std::string text;
  try {
    text = read_file(path);
  } catch (const Error&) {
    return {};
  }
  while (!text.empty() && text.back() == '\n') text.pop_back();
  size_t begin = text.size();
  for (size_t n = 0; n < lines && begin != std::string::npos && begin != 0; ++n)
    begin = text.rfind('\n', begin - 1);
  return begin == std::string::npos ? text : text.substr(begin == 0 ? 0 : begin + 1);
}

std::string SweepManifest::text(const Point& point) const {
  std::vector<std::string> parts;
  for (size_t a = 0; a < axes.size(); ++a) parts.push_back(axes[a] + "=" + point.labels[a]);
  if (repeats > 1) parts.push_back(fmt::format("repeat {}", point.repeat));
  return join(parts, ", ");
}

std::string PointFailure::reason() const {
  if (timed_out) return fmt::format("timeout after {:.1f} s", seconds);
  if (signal != 0) return fmt::format("signal {} ({}) after {:.1f} s", signal, strsignal(signal), seconds);
  return fmt::format("exit code {} after {:.1f} s", exit_code, seconds);
}

bool SweepStore::exists() const { return std::filesystem::exists(directory_ + "/sweep.json"); }

void SweepStore::write_plan(const Sweep& sweep, const SweepPlan& plan) const {
  namespace fs = std::filesystem;
  if (exists()) {
    const SweepManifest there = manifest();
    if (there.name != sweep.name)
      throw Error(ErrorKind::kInput,
                  fmt::format("'{}' is the directory of another sweep, '{}' (from {}), not of '{}'",
                              directory_, there.name, there.file, sweep.name),
                  sweep.name_where, "give another directory with -d, or the sweep its name");
  } else if (fs::exists(directory_) && !fs::is_empty(directory_) && !fs::exists(directory_ + "/points")) {
    throw Error(ErrorKind::kInput, fmt::format("'{}' holds files that are not a sweep's", directory_),
                sweep.name_where, "give another directory with -d");
  }
  for (const char* folder : {"configs", "inputs", "points", "results", "failed", "logs"})
    make_folder(directory_ + "/" + folder);
  for (const auto& [digest, text] : plan.configs)
    write_once(directory_ + "/configs/" + digest + ".yaml", text);
  for (const auto& [name, data] : plan.inputs) {
    make_folder(fs::path(directory_ + "/inputs/" + name).parent_path().string());
    write_once(directory_ + "/inputs/" + name, data);
  }
  const std::string header = fmt::format("# A point of the sweep '{}'.\n", sweep.name);
  for (const SweepPoint& p : plan.points) {
    write_once(launch_path(p.id), header + p.launch);
    const Json j = {{"sources", plan.sources},
                    {"config", p.config},
                    {"mode", sweep.mode == Mode::kTimed ? "timed" : "functional"},
                    {"lowering", sweep.lowering == Lowering::kMachine ? "machine" : "none"},
                    {"values", point_text(sweep, p)}};
    write_once(directory_ + "/points/" + p.id + ".json", j.dump(1) + "\n");
  }
  flush_file_system(directory_);
  // Last: a directory with a plan has everything that the plan names.
  write_durably(directory_ + "/sweep.json", manifest_json(sweep, plan).dump(1) + "\n");
}

SweepManifest SweepStore::manifest() const {
  const std::string path = directory_ + "/sweep.json";
  if (!exists())
    throw Error(ErrorKind::kInput,
                fmt::format("'{}' is not a sweep directory: it has no sweep.json", directory_), {},
                "gpuloom sweep plan FILE -d " + directory_);
  const Json j = parse(path);
  SweepManifest m;
  try {
    if (j.at("schema").get<int>() != kSweepSchema)
      throw Error(ErrorKind::kInput, "the sweep was planned by another version of gpuloom", {path, 0, 0});
    m.name = j.at("name").get<std::string>();
    m.file = j.at("file").get<std::string>();
    m.version = j.at("version").get<std::string>();
    m.sources = j.value("sources", "");
    m.repeats = j.at("repeats").get<uint32_t>();
    m.axes = j.at("axes").get<std::vector<std::string>>();
    m.metrics = j.at("metrics").get<std::vector<std::string>>();
    m.plots = j.at("plots").get<std::vector<std::string>>();
    for (const Json& p : j.at("points"))
      m.points.push_back({p.at("id").get<std::string>(), p.at("values").get<std::vector<std::string>>(),
                          p.at("repeat").get<uint32_t>()});
  } catch (const nlohmann::json::exception& e) {
    throw Error(ErrorKind::kInput, std::string("not a plan of gpuloom sweep: ") + e.what(), {path, 0, 0});
  }
  return m;
}

PointState SweepStore::state(const std::string& id) const {
  if (std::filesystem::exists(result_path(id))) return PointState::kDone;
  if (locked(log_path(id))) return PointState::kRunning;
  if (std::filesystem::exists(directory_ + "/failed/" + id + ".json")) return PointState::kFailed;
  return PointState::kPending;
}

std::vector<PointState> SweepStore::states(const SweepManifest& manifest) const {
  const auto done = names_in(directory_ + "/results"), failed = names_in(directory_ + "/failed");
  std::vector<PointState> states;
  for (const SweepManifest::Point& p : manifest.points)
    states.push_back(done.count(p.id) != 0     ? PointState::kDone
                     : locked(log_path(p.id))  ? PointState::kRunning
                     : failed.count(p.id) != 0 ? PointState::kFailed
                                               : PointState::kPending);
  return states;
}

PointRecipe SweepStore::recipe(const std::string& id) const {
  const std::string path = directory_ + "/points/" + id + ".json";
  if (id.empty() || id.find_first_not_of("0123456789abcdef") != std::string::npos ||
      !std::filesystem::exists(path))
    throw Error(ErrorKind::kUsage, fmt::format("the sweep in '{}' has no point '{}'", directory_, id));
  const Json j = parse(path);
  PointRecipe recipe;
  recipe.sources = j.value("sources", "");
  recipe.config = directory_ + "/configs/" + j.at("config").get<std::string>() + ".yaml";
  recipe.launch = launch_path(id);
  recipe.mode = j.at("mode") == "timed" ? Mode::kTimed : Mode::kFunctional;
  recipe.lowering = j.at("lowering") == "machine" ? Lowering::kMachine : Lowering::kNone;
  return recipe;
}

void SweepStore::write_result(const std::string& id, std::string_view json) const {
  write_durably(result_path(id), json);
}

void SweepStore::write_failure(const std::string& id, const PointFailure& failure) const {
  const Json j = {{"exit_code", failure.exit_code},
                  {"signal", failure.signal},
                  {"timed_out", failure.timed_out},
                  {"seconds", failure.seconds}};
  write_durably(directory_ + "/failed/" + id + ".json", j.dump(1) + "\n");
}

std::optional<PointFailure> SweepStore::failure(const std::string& id) const {
  const std::string path = directory_ + "/failed/" + id + ".json";
  if (!std::filesystem::exists(path)) return {};
  const Json j = parse(path);
  PointFailure f;
  f.exit_code = j.value("exit_code", 0);
  f.signal = j.value("signal", 0);
  f.timed_out = j.value("timed_out", false);
  f.seconds = j.value("seconds", 0.0);
  f.tail = tail_of_file(log_path(id), 10);
  return f;
}

void SweepStore::forget_failure(const std::string& id) const {
  std::error_code none;
  std::filesystem::remove(directory_ + "/failed/" + id + ".json", none);
}

}  // namespace gpuloom::sim
