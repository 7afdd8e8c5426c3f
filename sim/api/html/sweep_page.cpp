// SPDX-License-Identifier: Apache-2.0
#include "sim/api/html/sweep_page.h"

#include "base/error.h"
#include "sim/api/sweep/sweep_store.h"
#include "sim/api/sweep/sweep_table.h"
#include "sim/memory/files.h"

namespace gpuloom::sim {

bool is_sweep(const std::string& path) { return file_exists(path + "/sweep.json"); }

SweepPage read_sweep_page(const std::string& directory, size_t most_bytes) {
  const SweepStore store(directory);
  const SweepManifest manifest = store.manifest();
  const SweepTable table = collect_sweep(store, {}, false);
  SweepPage page;
  page.table = {{"name", manifest.name},      {"head", table.head},
                {"rows", table.rows},         {"axes_begin", table.axes_begin},
                {"axes_end", table.axes_end}, {"metrics_begin", table.metrics_begin},
                {"units", table.units}};
  size_t bytes = 0;
  for (const SweepManifest::Point& point : manifest.points) {
    if (store.state(point.id) != PointState::kDone) continue;
    const std::string file = store.result_path(point.id);
    const size_t size = read_file(file).size();
    // Written without the blanks of result.json, a result is about half as long.
    if (!page.runs.empty() && bytes + size / 2 > most_bytes) break;
    bytes += size / 2;
    page.runs.push_back(read_page_run(file, store.recipe(point.id).config));
    page.runs.back().name = manifest.text(point);
  }
  if (page.runs.empty())
    throw Error(ErrorKind::kInput, "no point of this sweep has a result yet", {directory, 0, 0},
                "gpuloom sweep run, or sweep resume");
  return page;
}

}  // namespace gpuloom::sim
