// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/occupancy_command.h"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "base/config/config.h"
#include "base/error.h"
#include "base/text.h"
#include "sim/api/occupancy.h"
#include "sim/api/occupancy_table.h"
#include "sim/cli/argument_text.h"
#include "sim/cli/guarded.h"
#include "sim/cli/launch_source.h"
#include "sim/cli/print.h"
#include "sim/cli/whole_number.h"
#include "sim/memory/files.h"

namespace gpuloom::cli {
namespace {

struct OccupancyArguments {
  sim::OccupancyQuery query;
  std::vector<std::string> gpus = {"h200"};
  std::string table, svg, shared = "0", shared_static;
  int registers = -1, barriers = -1;
  bool json = false, no_curves = false, block_given = false;
};

uint32_t bytes_said(const std::string& text, const char* option) {
  return static_cast<uint32_t>(size_option(option, text, uint64_t{1} << 31));
}

int table_command(const std::string& path) {
  const sim::OccupancyTable table = sim::compare_occupancy_table(path);
  for (const auto& d : table.differences) print(fmt::format("{}:{}: {}: {}\n", path, d.line, d.row, d.what));
  std::vector<std::string> names;
  for (const auto& [cc, rows] : table.capabilities) names.push_back(fmt::format("sm_{} {}", cc, rows));
  print(fmt::format("{} rows, {} differ ({})\n", table.rows, table.differences.size(), join(names, ", ")));
  return table.differences.empty() ? 0 : static_cast<int>(ErrorKind::kVerification);
}

std::vector<std::string> chosen(const std::vector<std::string>& asked) {
  std::vector<std::string> names;
  for (const std::string& name : asked) {
    if (name != "all") {
      names.push_back(name);
      continue;
    }
    for (const std::string& config : list_configs())
      if (config.starts_with("gpu/")) names.push_back(config);
  }
  return names;
}

// A launch file says what the options would: those that are given win.
void take_launch(OccupancyArguments& a) {
  const std::string path = a.query.ptx;
  if (path.empty() || file_with_kernels(path) == path) return;
  const sim::LaunchFile file = sim::read_launch_file(path);
  a.query.ptx = file.ptx;
  const sim::LaunchSpec* chosen = nullptr;
  for (const sim::LaunchSpec& l : file.launches)
    if (chosen == nullptr && (a.query.kernel.empty() || l.kernel == a.query.kernel)) chosen = &l;
  if (chosen == nullptr) return;
  a.query.kernel = chosen->kernel;
  if (!a.block_given) a.query.block = static_cast<uint32_t>(chosen->block.count());
  if (a.query.cluster == 0 && chosen->cluster)
    a.query.cluster = static_cast<uint32_t>(chosen->cluster->count());
  if (a.shared == "0") a.shared = std::to_string(chosen->dynamic_shared_bytes);
}

int report_command(OccupancyArguments& a) {
  take_launch(a);
  if (a.registers >= 0) a.query.registers = static_cast<uint32_t>(a.registers);
  if (a.barriers >= 0) a.query.barriers = static_cast<uint32_t>(a.barriers);
  a.query.shared_dynamic = bytes_said(a.shared, "--shared");
  if (!a.shared_static.empty()) a.query.shared_static = bytes_said(a.shared_static, "--static");
  if (a.query.ptx.empty() && !a.query.registers)
    throw Error(ErrorKind::kUsage, "give a PTX file, or --registers", {}, "see gpuloom occupancy --help");
  std::vector<sim::OccupancyReport> reports;
  for (const std::string& gpu : chosen(a.gpus)) reports.push_back(sim::occupancy_report(gpu, a.query));
  if (!a.svg.empty()) sim::write_file(a.svg, sim::occupancy_svg(reports));
  if (a.json) {
    print(sim::occupancy_json(reports));
    return 0;
  }
  for (size_t i = 0; i < reports.size(); ++i)
    print((i ? "\n" : "") + sim::occupancy_text(reports[i], !a.no_curves && reports.size() == 1));
  // A single GPU that cannot run the kernel is an error; of many, some may be too old.
  return reports.size() == 1 && !reports[0].refusal.empty() ? static_cast<int>(ErrorKind::kUnsupported) : 0;
}

}  // namespace

void add_occupancy_command(CLI::App& app, int& exit_code) {
  auto args = std::make_shared<OccupancyArguments>();
  CLI::App* c = app.add_subcommand(
      "occupancy", "What limits a kernel's blocks on an SM, and what would make room for one more");
  c->add_option(
      "PTX", args->query.ptx,
      "PTX, another file with kernels, or a launch file; without it --registers and --static say what "
      "the kernel needs");
  c->add_option("-k,--kernel", args->query.kernel, "Kernel; optional if the file has only one");
  const CLI::Option* block =
      c->add_option("--block", args->query.block, "Threads of a block (default: the launch file's, or 256)")
          ->check(between(1, 1024));
  c->add_option("-c,--config,--gpu", args->gpus,
                "GPUs, separated by commas; 'all' for every product (default: h200)")
      ->delimiter(',');
  c->add_option("--registers", args->registers, "Registers of a thread; otherwise the lowering's estimate")
      ->check(between(0, 256));
  c->add_option("--shared", args->shared, "Dynamic shared memory of a block: bytes, or 48KiB");
  c->add_option("--static", args->shared_static,
                "Static shared memory of a block; otherwise what the kernel declares");
  c->add_option("--barriers", args->barriers, "Named barriers of a block; otherwise what the kernel uses")
      ->check(between(0, 16));
  c->add_option("--cluster", args->query.cluster, "Blocks of a cluster")->check(between(1, 64));
  c->add_option("--carveout", args->query.carveout_percent, "Preferred shared memory, percent; -1 for none")
      ->check(between(-1, 100));
  c->add_option("-s,--set", args->query.overrides, "Override of the configuration: limits.warps_per_sm=32")
      ->allow_extra_args(false);
  c->add_flag("--json", args->json, "Print JSON, curves included");
  c->add_option("--svg", args->svg, "Write the curves as a picture");
  c->add_flag("--no-curves", args->no_curves, "Print no plots");
  c->add_option("--table", args->table,
                "Compare the rows of a CSV (or .csv.gz) of calculator answers instead");
  c->callback([args, block, &exit_code] {
    args->block_given = block->count() != 0;
    exit_code =
        guarded([&] { return args->table.empty() ? report_command(*args) : table_command(args->table); });
  });
}

}  // namespace gpuloom::cli
