// SPDX-License-Identifier: Apache-2.0
// What a sweep file means: its points and their names, tables and plots. tests/cli/sweep_test.py runs sweeps
// and disturbs them.
#include <filesystem>
#include <set>
#include <string>

#include "sim/api/sweep/sweep_plan.h"
#include "sim/api/sweep/sweep_plot.h"
#include "sim/api/sweep/sweep_store.h"
#include "sim/api/sweep/sweep_table.h"
#include "sim/memory/files.h"
#include "sim/memory/scratch_folder.h"
#include "tests/catch2.h"

using namespace gpuloom;
using namespace gpuloom::sim;
using Catch::Matchers::ContainsSubstring;

namespace {

class Folder {
 public:
  Folder() { write_file(file("k.ptx"), ".version 8.0\n"); }
  std::string file(const std::string& name) const { return scratch_.file(name.c_str()); }
  SweepPlan plan(const std::string& rest) const {
    return plan_sweep(parse_sweep_file(
        "name: s\nconfig: test/tiny\nlaunch: {ptx: k.ptx, kernel: k, grid: 1, block: 32}\n" + rest,
        file("s.yaml")));
  }

 private:
  ScratchFolder scratch_;
};

std::set<std::string> ids(const SweepPlan& plan) {
  std::set<std::string> names;
  for (const SweepPoint& p : plan.points) names.insert(p.id);
  return names;
}

SweepTable table() {
  SweepTable t;
  t.head = {"point", "state", "exit_code", "x", "y", "repeat", "kernel", "launch", "cost", "gain"};
  t.axes_begin = 3;
  t.axes_end = 5;
  t.metrics_begin = 8;
  t.units = {{"cost", "cycle"}, {"gain", "%"}};
  t.rows = {{"a", "done", "0", "1", "4", "0", "k", "0", "10", "50"},
            {"b", "done", "0", "2", "4", "0", "k", "0", "20", "40"},
            {"c", "done", "0", "1", "8", "0", "k", "0", "30", "90"},
            {"d", "failed", "5", "2", "8", "0", "", "", "", ""}};
  return t;
}

}  // namespace

TEST_CASE("Points of a sweep come in order, without those that are excluded, and repeats are points") {
  const Folder folder;
  const SweepPlan plan = folder.plan(
      "axes:\n  banks: {key: sm.shared.banks, values: [16, 32]}\n  block: {launch: block, values: [32, 64]}\n"
      "exclude: [{banks: 16, block: 64}]\nrepeats: 2\n");
  REQUIRE(plan.points.size() == 6);
  CHECK(plan.excluded == 2);
  CHECK(plan.configs.size() == 2);
  CHECK(plan.points[1].repeat == 1);
  CHECK(plan.points[2].values == std::vector<size_t>{1, 0});
  CHECK(plan.points[5].values == std::vector<size_t>{1, 1});
  CHECK(ids(plan).size() == 6);
}

TEST_CASE("A point is named by what decides its result, and by nothing else") {
  const Folder folder;
  const auto small = ids(folder.plan("axes: {block: {launch: block, values: [32]}}\n"));
  // Another axis whose value is what was there, another order, another name: the same points.
  CHECK(ids(folder.plan(
            "axes: {b: {key: sm.shared.banks, values: [32]}, n: {launch: block, values: [32]}}\n")) == small);
  CHECK(ids(folder.plan("axes: {n: {launch: [block, kernel], values: [[32, k]]}}\n")) == small);
  CHECK(ids(folder.plan("about: words\naxes: {block: {launch: block, values: [32]}}\n")) == small);
  const auto grown = ids(folder.plan("axes: {block: {launch: block, values: [64, 32]}}\n"));
  CHECK(grown.size() == 2);
  CHECK(grown.count(*small.begin()) == 1);
  // Each of these decides a result.
  CHECK(ids(folder.plan("mode: functional\naxes: {block: {launch: block, values: [32]}}\n")) != small);
  CHECK(ids(folder.plan("lowering: none\naxes: {block: {launch: block, values: [32]}}\n")) != small);
  CHECK(ids(folder.plan("set: [l2.size=512KiB]\naxes: {block: {launch: block, values: [32]}}\n")) != small);
  CHECK(ids(folder.plan("axes: {block: {launch: config, values: [h200]}}\n")) != small);
  const Sweep sweep = parse_sweep_file(
      "name: s\nconfig: test/tiny\nlaunch: {ptx: k.ptx, kernel: k, grid: 1, block: 32}\n"
      "axes: {block: {launch: block, values: [32]}}\n",
      folder.file("s.yaml"));
  CHECK(ids(plan_sweep(sweep)) == ids(plan_sweep(sweep, source_digest())));
  CHECK(ids(plan_sweep(sweep)) != ids(plan_sweep(sweep, "another simulator")));
  write_file(folder.file("k.ptx"), ".version 8.1\n");
  CHECK(ids(folder.plan("axes: {block: {launch: block, values: [32]}}\n")) != small);
}

TEST_CASE("A directory of another sweep is refused, and its own takes a grown plan") {
  const Folder folder;
  const auto sweep = [&](const std::string& name, const std::string& values) {
    return parse_sweep_file("name: " + name +
                                "\nconfig: test/tiny\nlaunch: {ptx: k.ptx, kernel: k, grid: 1, block: 32}\n" +
                                "axes: {block: {launch: block, values: " + values + "}}\n",
                            folder.file("s.yaml"));
  };
  const SweepStore store(folder.file("d"));
  const Sweep first = sweep("one", "[32]"), more = sweep("one", "[32, 64]"), other = sweep("two", "[32]");
  store.write_plan(first, plan_sweep(first));
  store.write_result(plan_sweep(first).points[0].id, "{}");
  store.write_plan(more, plan_sweep(more));
  const SweepManifest manifest = store.manifest();
  REQUIRE(manifest.points.size() == 2);
  CHECK(store.states(manifest) == std::vector<PointState>{PointState::kDone, PointState::kPending});
  CHECK_THROWS_WITH(store.write_plan(other, plan_sweep(other)),
                    ContainsSubstring("s.yaml:1:7") && ContainsSubstring("another sweep, 'one'"));
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder.file("d")))
    CHECK(entry.path().extension() != ".part");
}

TEST_CASE("A front holds what nothing else beats, and more can be better") {
  const SweepPlot least = plot_sweep(table(), "pareto cost gain");
  CHECK(least.summary == "on the front: (x=1, y=4: 10, 50) (x=2, y=4: 20, 40)");
  const SweepPlot most = plot_sweep(table(), "pareto cost -gain");
  CHECK(most.summary == "on the front: (x=1, y=4: 10, 50) (x=1, y=8: 30, 90)");
  CHECK(most.name == "pareto_cost_gain.svg");
}

TEST_CASE("A heat map has a cell for each pair of values, grey where there is no number") {
  const SweepPlot plot = plot_sweep(table(), "heatmap x y cost");
  CHECK(plot.summary == "cost is least, 10, at x=1, y=4");
  CHECK_THAT(plot.svg, ContainsSubstring("#e0e0e0") && ContainsSubstring("cost (cycle)"));
}

TEST_CASE("A heat map has a map for each value of another axis, or says over what its cells are means") {
  SweepTable t = table();
  t.head.insert(t.head.begin() + 5, "gpu");
  for (size_t i = 0; i < t.rows.size(); ++i)
    t.rows[i].insert(t.rows[i].begin() + 5, i % 2 == 0 ? "h200" : "t4");
  ++t.axes_end;
  ++t.metrics_begin;
  const SweepPlot panels = plot_sweep(t, "heatmap x y cost");
  CHECK_THAT(panels.summary,
             ContainsSubstring(", gpu=h200; 2 maps with one scale") && !ContainsSubstring("mean"));
  CHECK_THAT(panels.svg, ContainsSubstring(">gpu=h200<") && ContainsSubstring(">gpu=t4<") &&
                             !ContainsSubstring("mean over"));
  const SweepPlot plot = plot_sweep(t, "heatmap x y cost mean");
  CHECK_THAT(plot.summary, ContainsSubstring("each cell is the mean over gpu (2 values)"));
  CHECK_THAT(plot.svg, ContainsSubstring("mean over gpu (2 values)"));
}

TEST_CASE("A plot of what the table does not have is refused with what it has") {
  CHECK_THROWS_WITH(plot_sweep(table(), "heatmap x z cost"), ContainsSubstring("no column 'z'"));
  CHECK_THROWS_WITH(plot_sweep(table(), "heatmap x cost gain"),
                    ContainsSubstring("'cost' is not an axis") && ContainsSubstring("x or y"));
  CHECK_THROWS_WITH(plot_sweep(table(), "pareto cost gane"), ContainsSubstring("did you mean 'gain'?"));
  CHECK_THROWS_WITH(plot_sweep(table(), "pie cost"), ContainsSubstring("is not a plot"));
}

TEST_CASE("The tail of a log is its last lines") {
  const Folder folder;
  write_file(folder.file("log"), "1\n2\n3\n\n");
  CHECK(tail_of_file(folder.file("log"), 2) == "2\n3");
  CHECK(tail_of_file(folder.file("log"), 9) == "1\n2\n3");
  CHECK(tail_of_file(folder.file("none"), 2).empty());
}
