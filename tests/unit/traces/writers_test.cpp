// SPDX-License-Identifier: Apache-2.0
#include "traces/writers.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/catch2.h"

namespace gpuloom::traces {
namespace {

Timeline sample() {
  Timeline t;
  t.kernel = "k \"quoted\"";
  t.start_cycle = 1000;
  t.cycles = 50;
  t.reasons = {"selected", "wait"};
  t.operations = {{"LDG", 0}, {"FFMA", 1}};
  t.instructions = {"k.ptx:1", "k.ptx:2"};
  SmTimeline sm;
  sm.records = {{0, 5, RecordKind::kState, 1, 17, 0, 0},   {5, 40, RecordKind::kIssue, 0, 17, 0, 0},
                {6, 40, RecordKind::kState, 1, 17, 1, 0},  {40, 44, RecordKind::kIssue, 0, 17, 1, 0},
                {0, 48, RecordKind::kWarp, 0, 17, 1, 0},   {0, 49, RecordKind::kBlock, 0, 0, 7, 0},
                {5, 39, RecordKind::kCopy, 1, 17, 0, 2048}};
  t.sms.push_back(sm);
  t.counters = {{"DRAM read", "byte", {{10, 64}, {20, 128}}}};
  return t;
}

TEST_CASE("An issue slice of the Perfetto file names the operation and the line of its instruction") {
  Timeline t = sample();
  t.instructions = {"k.cu:3", "k.cu:7"};
  std::vector<std::string> names;
  const auto json = nlohmann::json::parse(perfetto_json({t}));
  for (const auto& e : json.at("traceEvents"))
    if (e.value("cat", "") == "issue") names.push_back(e.at("name"));
  CHECK(names == std::vector<std::string>{"LDG k.cu:3", "FFMA k.cu:7"});
}

TEST_CASE("The Perfetto file is JSON with a slice for each record and a value for each sample") {
  const auto json = nlohmann::json::parse(perfetto_json({sample()}));
  size_t slices = 0, begins = 0, ends = 0, values = 0;
  for (const auto& e : json.at("traceEvents")) {
    const std::string ph = e.at("ph");
    slices += ph == "X";
    begins += ph == "b";
    ends += ph == "e";
    values += ph == "C";
    if (ph == "X" && e.at("cat") == "block") {
      CHECK(e.at("name") == "block 7");
      CHECK(e.at("args").at("kernel") == "k \"quoted\"");
      CHECK(e.at("ts").get<double>() == 1.0);  // the launch began at cycle 1000
      CHECK(e.at("dur").get<double>() == 0.049);
    }
  }
  CHECK(slices == 6);
  CHECK(begins == 1);
  CHECK(ends == 1);
  CHECK(values == 2);
}

// Fill 0 is waited for and read, fill 1 takes its buffer, fill 2 lies in another.
Timeline pipeline() {
  Timeline t = sample();
  Fill first;
  first.block = 7;
  first.issued = 2;
  first.complete = 20;
  first.wait_begin = 10;
  first.wait_end = 21;
  first.first_use = 22;
  first.last_use = 30;
  first.warp = first.wait_warp = first.use_warp = 17;
  first.buffer = 4096;
  first.bytes = 2048;
  Fill second = first;
  second.number = 1;
  second.issued = 28;  // before the last load of what lies there
  second.complete = 40;
  second.wait_begin = second.wait_end = second.first_use = second.last_use = kNoCycle;
  Fill third = second;
  third.number = 2;
  third.buffer = 8192;
  t.sms[0].fills = {first, second, third};
  return t;
}

TEST_CASE("Fills have a track for each buffer, whose slices do not overlap, and arrows that end in slices") {
  const auto json = nlohmann::json::parse(perfetto_json({pipeline()}));
  std::map<int, std::vector<std::pair<double, double>>> tracks;
  std::map<std::string, std::vector<std::pair<int, double>>> arrows;
  for (const auto& e : json.at("traceEvents")) {
    const std::string ph = e.at("ph");
    if (ph == "X" && e.at("cat") == "pipeline")
      tracks[e.at("tid")].emplace_back(e.at("ts"), e.at("ts").get<double>() + e.at("dur").get<double>());
    if (ph == "s" || ph == "t" || ph == "f") arrows[ph].emplace_back(e.at("tid"), e.at("ts"));
  }
  REQUIRE(tracks.size() == 2);
  CHECK(tracks.begin()->second.size() == 4);  // fill, ready, use, and the next fill
  for (auto& [tid, slices] : tracks) {
    std::sort(slices.begin(), slices.end());
    for (size_t i = 1; i < slices.size(); ++i) CHECK(slices[i - 1].second <= slices[i].first + 1e-9);
  }
  REQUIRE(arrows["s"].size() == 1);
  CHECK(arrows["t"] == std::vector<std::pair<int, double>>{{17, 1.020}});
  CHECK(arrows["f"] == std::vector<std::pair<int, double>>{{17, 1.022}});
}

TEST_CASE("The Konata log gives each instruction its stages in order of time") {
  const Timeline t = sample();
  std::istringstream log(konata_log(t, t.sms[0]));
  std::vector<std::string> lines;
  for (std::string line; std::getline(log, line);) lines.push_back(line);
  REQUIRE(lines.size() > 4);
  CHECK(lines[0] == "Kanata\t0004");
  CHECK(lines[1] == "C=\t0");
  CHECK(lines[2] == "I\t0\t0\t17");
  CHECK(lines[3] == "L\t0\t0\tw17: LDG k.ptx:1");
  CHECK(lines[4] == "L\t0\t1\twait 5");
  const auto has = [&](const std::string& text) {
    return std::find(lines.begin(), lines.end(), text) != lines.end();
  };
  CHECK(has("S\t1\t0\tX"));
  CHECK(has("R\t0\t0\t0"));
  CHECK(has("R\t1\t1\t0"));
  uint64_t cycles = 0;
  for (const std::string& line : lines)
    if (line.starts_with("C\t")) cycles += std::stoull(line.substr(2));
  CHECK(cycles == 44);  // the last result
}

}  // namespace
}  // namespace gpuloom::traces
