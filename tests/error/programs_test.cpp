// SPDX-License-Identifier: Apache-2.0
// Programs with one planted bug each, and some without: tests/error/programs. The first lines of each say how
// to run it and what must come:
//   // run: options of `gpuloom run`         // modes: functional, timed (default: both)
//   // exit: 5                               // expect: a part of the message, any number of these
// {bug} and {first} stand for the places of the lines that are marked so.
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/catch2.h"
#include "tests/places.h"

namespace {

namespace fs = std::filesystem;

struct Expectation {
  std::string run, modes = "functional timed";
  int exit_code = 0;
  std::vector<std::string> parts;
};

void replace(std::string& text, const std::string& word, const std::string& by) {
  for (size_t at = text.find(word); at != std::string::npos; at = text.find(word))
    text.replace(at, word.size(), by);
}

Expectation read(const fs::path& path) {
  Expectation e;
  std::ifstream in(path);
  std::string bug, first;
  unsigned number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    const auto rest = [&](const char* key) {
      const std::string mark = std::string("// ") + key + ": ";
      return line.rfind(mark, 0) == 0 ? line.substr(mark.size()) : std::string();
    };
    if (const std::string run = rest("run"); !run.empty()) e.run = run;
    if (const std::string modes = rest("modes"); !modes.empty()) e.modes = modes;
    if (const std::string code = rest("exit"); !code.empty()) e.exit_code = std::stoi(code);
    if (const std::string part = rest("expect"); !part.empty()) e.parts.push_back(part);
    const std::string place = path.filename().string() + ":" + std::to_string(number);
    if (line.ends_with("// BUG")) bug = place;
    if (line.ends_with("// FIRST")) first = place;
  }
  for (std::string& part : e.parts) replace(part, "{bug}", bug), replace(part, "{first}", first);
  return e;
}

struct Result {
  int exit_code = 0;
  std::string output;
};

Result run(const fs::path& program, const std::string& options) {
  const std::string command = std::string("cd ") + program.parent_path().string() + " && " +
                              gpuloom::tests::program() + " run " + program.filename().string() +
                              " -q --progress none " + options + " 2>&1";
  Result result;
  FILE* pipe = popen(command.c_str(), "r");
  REQUIRE(pipe != nullptr);
  std::array<char, 4096> buffer;
  while (const size_t n = fread(buffer.data(), 1, buffer.size(), pipe))
    result.output.append(buffer.data(), n);
  const int status = pclose(pipe);
  result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return result;
}

std::vector<fs::path> programs() {
  std::vector<fs::path> list;
  for (const auto& entry : fs::directory_iterator(gpuloom::tests::in_tree("/tests/error/programs")))
    if (entry.path().extension() == ".ptx") list.push_back(entry.path());
  std::sort(list.begin(), list.end());
  return list;
}

}  // namespace

TEST_CASE("Every planted bug is caught at its place, and clean programs give no report", "[faults]") {
  unsigned bugs = 0, clean = 0;
  for (const fs::path& program : programs()) {
    const Expectation e = read(program);
    ++(e.exit_code == 0 ? clean : bugs);
    for (const char* mode : {"functional", "timed"}) {
      if (e.modes.find(mode) == std::string::npos) continue;
      const Result result = run(program, e.run + (std::string(mode) == "functional" ? " --functional" : ""));
      INFO(program.filename().string() << ", " << mode << ":\n" << result.output);
      CHECK(result.exit_code == e.exit_code);
      if (e.exit_code == 0) CHECK(result.output.empty() == e.parts.empty());
      for (const std::string& part : e.parts) {
        INFO("expected: " << part);
        CHECK(result.output.find(part) != std::string::npos);
      }
    }
  }
  CHECK(bugs >= 40);
  CHECK(clean >= 5);
}
