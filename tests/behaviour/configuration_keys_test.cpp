// SPDX-License-Identifier: Apache-2.0
// Every leaf key of a configuration acts: the change that configuration_keys/shown_by.yaml names for it
// changes a metric, a result or what is refused on one small launch. Or configs/about/silent.yaml says why it
// cannot, or changing it is refused as information. Each machine is a ctest of its own
// (configuration_keys_*), and hidden from a plain run of this program.
#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <map>
#include <set>
#include <thread>

#include "base/config/key_meanings.h"
#include "base/error.h"
#include "base/text.h"
#include "sim/memory/scratch_folder.h"
#include "tests/behaviour/configuration_keys/leaves.h"
#include "tests/behaviour/configuration_keys/processes.h"
#include "tests/behaviour/configuration_keys/rows.h"
#include "tests/behaviour/configuration_keys/search.h"
#include "tests/catch2.h"

using namespace gpuloom;
using namespace gpuloom::tests::keys;

namespace {

constexpr const char* kMachines[] = {"h200", "rtx4090"};
const std::string kShows = "shows: ";
constexpr unsigned kMaxSeconds = 120;  // of one run: what takes longer hangs

unsigned processes() { return std::clamp(std::thread::hardware_concurrency(), 1u, 16u); }

// What to do about keys that do not show.
constexpr const char* kAdvice =
    "Look for a launch that shows the key. This prints the line to add to "
    "tests/behaviour/configuration_keys/shown_by.yaml:\n"
    "  GPULOOM_KEYS_FIND=KEY build/release/tests/gpuloom_tests '[keys_find]'\n"
    "If there is none, write a small launch beside it. If none can show it, remove the key, or say why in "
    "configs/about/silent.yaml.\n";

// What came of a row: what its change showed, or what is wrong with the row.
struct Verdict {
  std::string seen, problem;
};

// Runs rows.
class Showing {
 public:
  Showing(const std::vector<Launch>& launches, std::string machine) : machine_(std::move(machine)) {
    for (const Launch& l : launches) launches_[l.name] = &l;
  }
  Verdict check(const Row& row) {
    const auto launch = launches_.find(row.launch);
    if (launch == launches_.end()) return {{}, "there is no launch '" + row.launch + "'"};
    const Outcome& was = before(*launch->second, row.with);
    if (!was.refused.empty()) return {{}, "refused before the change: " + was.refused};
    if (was.text.starts_with("refused:")) return {{}, row.launch + " is " + was.text};
    Change all = row.with;
    all.insert(all.end(), row.change.begin(), row.change.end());
    const Outcome now = outcome_of(*launch->second, machine_, all);
    if (!now.refused.empty()) return {{}, join(all, " ") + " is refused: " + now.refused};
    if (now.text == was.text) return {{}, join(all, " ") + " changes nothing on " + row.launch};
    return {seen_of(was.text, now.text), {}};
  }

 private:
  const Outcome& before(const Launch& launch, const Change& with) {
    const auto [at, fresh] = before_.try_emplace(launch.name + " " + join(with, " "));
    if (fresh) at->second = outcome_of(launch, machine_, with);
    return at->second;
  }

  std::string machine_;
  std::map<std::string, const Launch*> launches_;
  std::map<std::string, Outcome> before_;
};

// Keys of a machine that have no row: "" where that is right.
std::string without_row(const Leaf& leaf, const Known& known, const std::string& machine) {
  std::string refused;
  const bool taken = !changes_of(leaf, machine, 1, refused).empty();
  if (!leaf.read.information.empty())
    return taken ? "is information, and a change is not refused"
           : refused.find(leaf.read.information) == std::string::npos
               ? "is information, and the refusal does not say why: " + refused
               : "";
  if (known.reason(machine, leaf.path) != nullptr) return "";
  return "has neither a row in shown_by.yaml nor a reason in silent.yaml";
}

// Reasons and rows for keys that are not there (any more), or that have both.
std::string stale(const Known& known, const std::string& machine, const std::vector<Leaf>& leaves) {
  std::set<std::string> keys, of_any;
  for (const Leaf& l : leaves) keys.insert(l.path);
  for (const char* m : kMachines)
    for (const Leaf& l : leaves_of(m)) of_any.insert(l.path);
  std::string text;
  for (const Row& r : known.rows)
    if ((r.machine == machine ? keys : of_any).count(r.key) == 0)
      text += "  shown_by.yaml: there is no key " + r.key + "\n";
  for (const Silent& s : known.silent) {
    const std::set<std::string>& of = s.machine == machine ? keys : of_any;
    if (std::none_of(of.begin(), of.end(), [&](const auto& k) { return key_matches(s.keys, k); }))
      text += "  silent.yaml: there is no key " + s.keys + "\n";
    if (s.machine == machine || s.machine.empty())
      for (const Row& r : known.rows)
        if (r.key == s.keys && (r.machine == machine || (r.machine.empty() && s.machine.empty())))
          text += "  silent.yaml: shown_by.yaml says what shows " + s.keys + "\n";
  }
  return text;
}

// With GPULOOM_KEYS_SHOWN=FILE, adds what each row showed to the file: `scripts/calibrate keys` makes
// configs/about/shown.yaml so.
void write_shown(const std::string& machine, const std::vector<const Row*>& rows,
                 const std::vector<std::string>& results) {
  const char* wanted = std::getenv("GPULOOM_KEYS_SHOWN");
  if (wanted == nullptr) return;
  std::map<std::string, std::string> lines;  // by key
  for (size_t i = 0; i < rows.size(); ++i)
    lines[rows[i]->key] = shown_text(*rows[i], machine, results[i].substr(kShows.size()));
  std::ofstream file(wanted, std::ios::app);
  for (const auto& [key, line] : lines) file << line;
}

void check_keys(const std::string& machine) {
  const sim::ScratchFolder scratch;
  const std::vector<Launch> launches = read_launches(scratch.path());
  const Known known = read_rows();
  std::vector<Leaf> leaves = leaves_of(machine);
  const std::string old = stale(known, machine, leaves);
  if (const char* only = std::getenv("GPULOOM_KEYS_ONLY"))  // while one works on some
    std::erase_if(leaves, [&](const Leaf& l) { return !key_matches(only, l.path); });
  std::string wrong;
  std::vector<const Row*> rows;
  for (const Leaf& leaf : leaves) {
    if (const Row* row = known.row(machine, leaf.path); row != nullptr) {
      rows.push_back(row);
      continue;
    }
    const std::string problem = without_row(leaf, known, machine);
    if (!problem.empty()) wrong += "  " + leaf.path + " " + problem + "\n";
  }
  // Keys of one launch come one after another, so that it seldom runs unchanged more than once a process.
  std::stable_sort(rows.begin(), rows.end(),
                   [](const Row* a, const Row* b) { return a->launch < b->launch; });
  Showing showing(launches, machine);
  const std::vector<std::string> results =
      run_in_processes(rows.size(), processes(), kMaxSeconds, scratch.path(), [&](size_t i) {
        const Verdict verdict = showing.check(*rows[i]);
        return verdict.problem.empty() ? kShows + verdict.seen : verdict.problem;
      });
  for (size_t i = 0; i < rows.size(); ++i)
    if (!results[i].starts_with(kShows)) wrong += "  " + rows[i]->key + ": " + results[i] + "\n";
  if (wrong.empty()) write_shown(machine, rows, results);
  // Not by INFO, which breaks lines where commands stand.
  if (!wrong.empty()) std::cerr << "Keys of " << machine << ":\n" << wrong << kAdvice;
  if (!old.empty()) std::cerr << "What is written about keys of " << machine << " and not so:\n" << old;
  CHECK(wrong.empty());
  CHECK(old.empty());
  CHECK_FALSE(leaves.empty());
}

// Prints a row for each key that matches and has none that shows it.
void find_rows(const std::string& machine, const std::string& pattern) {
  const sim::ScratchFolder scratch;
  const std::vector<Launch> launches = read_launches(scratch.path());
  const Known known = read_rows();
  std::vector<Leaf> leaves = leaves_of(machine);
  std::erase_if(leaves, [&](const Leaf& l) { return !key_matches(pattern, l.path); });
  Search search(launches, machine);
  Showing showing(launches, machine);
  const auto work = [&](size_t i) -> std::string {
    const Leaf& leaf = leaves[i];
    const Row* row = known.row(machine, leaf.path);
    if (!leaf.read.information.empty() || known.reason(machine, leaf.path) != nullptr) return " ";
    if (row != nullptr && showing.check(*row).problem.empty()) return " ";
    std::optional<Row> found = search.find(leaf, row);
    if (!found) return "# nothing shows " + leaf.path + " on " + machine + "\n";
    if (row != nullptr) found->machine = machine;
    return row_text(*found);
  };
  const char* wanted = std::getenv("GPULOOM_KEYS_FOUND");  // a file, which grows as rows are found
  const auto noted = [&](size_t i) {
    const std::string text = work(i);
    if (wanted != nullptr) std::ofstream(wanted, std::ios::app) << text;
    return text;
  };
  for (const std::string& text :
       run_in_processes(leaves.size(), processes(), 20 * kMaxSeconds, scratch.path(), noted))
    if (text != " ") std::fputs(text.c_str(), stdout);
}

}  // namespace

TEST_CASE("Every key of h200 acts, or is declared not to", "[.][keys_h200]") { check_keys(kMachines[0]); }

TEST_CASE("Every key of rtx4090 acts, or is declared not to", "[.][keys_rtx4090]") {
  check_keys(kMachines[1]);
}

// GPULOOM_KEYS_FIND='sm.l1.*', and GPULOOM_KEYS_MACHINE for another than h200.
TEST_CASE("Rows for keys without one are looked for", "[.][keys_find]") {
  const char* pattern = std::getenv("GPULOOM_KEYS_FIND");
  const char* machine = std::getenv("GPULOOM_KEYS_MACHINE");
  if (pattern == nullptr) {
    SUCCEED("set GPULOOM_KEYS_FIND to a key or a pattern");
    return;
  }
  find_rows(machine == nullptr ? "h200" : machine, pattern);
  SUCCEED();
}
