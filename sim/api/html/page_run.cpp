// SPDX-License-Identifier: Apache-2.0
#include "sim/api/html/page_run.h"

#include <fmt/core.h>

#include <filesystem>

#include "base/config/config.h"
#include "base/error.h"
#include "base/hash.h"
#include "sim/api/html/program_page.h"
#include "sim/frontend/ptx_source.h"
#include "sim/memory/files.h"
#include "sim/report/writers.h"

namespace gpuloom::sim {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr size_t kMostDetailBytes = 2 << 20;  // of launches of a program

std::string text_of(const std::string& path) { return file_exists(path) ? read_file(path) : std::string(); }

// The configuration that ran: as it was written beside the result, else by its name where nothing was
// changed.
void read_gpu(PageRun& run, const Json& provenance, const std::string& config) {
  const std::string beside = config.empty() ? run.folder + "/resolved.yaml" : config;
  const bool there = file_exists(beside);
  const std::string name = there ? beside : provenance.value("config", "");
  if (!there && (provenance.contains("changes") || name.empty())) {
    run.missing.push_back(
        "resolved.yaml is not beside this result, so the page does not know the peaks of its configuration.");
    return;
  }
  try {
    const Config loaded = Config::load(name);
    run.gpu = arch::load_gpu_config(loaded.root());
    run.config_file = name;
  } catch (const Error& e) {
    run.missing.push_back(
        fmt::format("The configuration cannot be read any more, so there are no peaks: {}", e.message()));
  }
}

// The PTX that ran, known by its hash.
void read_ptx_text(PageRun& run, const Json& provenance) {
  const std::string hash = provenance.value("ptx_sha256", ""), path = provenance.value("ptx", "");
  if (hash.empty()) return;
  for (const std::string& file : {run.folder + "/module.ptx", path}) {
    if (file.empty() || !file_exists(file)) continue;
    std::string text = read_file(file);
    if (sha256_hex(text) != hash) continue;
    run.ptx = std::move(text);
    return;
  }
  run.missing.push_back(fmt::format(
      "The PTX that ran ('{}') was not found with the same contents: the page shows the operations "
      "of result.json without their operands.",
      path));
}

}  // namespace

PageRun read_page_run(const std::string& path, const std::string& config) {
  PageRun run;
  const bool folder = fs::is_directory(path);
  const std::string file = folder ? path + "/result.json" : path;
  run.folder = folder ? path : fs::path(path).parent_path().string();
  if (run.folder.empty()) run.folder = ".";
  run.name = (fs::path(folder ? path : run.folder) / "").lexically_normal().parent_path().string();
  const std::string text = read_file(file);
  run.result = page_result(text, file, kMostDetailBytes);
  if (!run.result.contains("launch_table")) run.text = summary_text(parse_result_json(text, file), {"basic"});
  const Json& provenance = run.result.at("provenance");
  read_gpu(run, provenance, config);
  read_ptx_text(run, provenance);
  run.explain = text_of(run.folder + "/explain.json");
  run.pipeline = text_of(run.folder + "/pipeline.json");
  run.intervals = text_of(run.folder + "/intervals.json");
  return run;
}

PageRun page_run_of(const RunReport& report, const Device& device) {
  PageRun run;
  run.name = report.provenance.launch;
  run.folder = ".";
  run.result = Json::parse(result_json(report));
  run.text = summary_text(report, {"basic"});
  run.gpu = device.gpu();
  run.ptx = report.made_ptx;
  if (run.ptx.empty()) read_ptx_text(run, run.result.at("provenance"));
  return run;
}

}  // namespace gpuloom::sim
