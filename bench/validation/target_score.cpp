// SPDX-License-Identifier: Apache-2.0
#include "bench/validation/target_score.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <sstream>

#include "arch/gpc/occupancy.h"
#include "arch/gpu_config.h"
#include "base/config/config.h"
#include "base/error.h"
#include "base/text.h"
#include "ptx/isa/table/form.h"
#include "ptx/parse/parser.h"
#include "sim/api/describe_lowering.h"
#include "sim/memory/files.h"
#include "sim/report/table.h"

namespace gpuloom::validation {

namespace {

namespace fs = std::filesystem;

constexpr uint32_t kBlock = 256;  // threads, as nothing in PTX says how many a launch has

// What is to be reached on the unseen half.
constexpr double kMedian = 3, kInstructions = 85, kRegisters = 85, kLimiter = 92, kSpills = 90;

struct TargetRow {
  LoweredKernel kernel;
  uint32_t shared_bytes = 0;
};

std::vector<TargetRow> target_rows(const std::string& path, const std::vector<std::string>& patterns) {
  std::istringstream lines(sim::read_file(path));
  std::string line;
  std::getline(lines, line);  // headings
  std::vector<TargetRow> rows;
  while (std::getline(lines, line)) {
    const std::vector<std::string> cells = split(line, ',');
    if (cells.size() != 6)
      throw Error(ErrorKind::kInput, path + ": expected six columns, got '" + line + "'");
    if (!sim::kernel_wanted(cells[1], patterns)) continue;
    TargetRow row;
    row.kernel.module = cells[0];
    row.kernel.name = cells[1];
    row.kernel.silicon.registers = std::strtod(cells[2].c_str(), nullptr);
    row.kernel.silicon.spill_bytes = std::strtod(cells[3].c_str(), nullptr);
    row.shared_bytes = static_cast<uint32_t>(std::strtoul(cells[4].c_str(), nullptr, 10));
    for (const std::string& opcode : split(cells[5], ' ')) {
      const size_t colon = opcode.find(':');
      if (colon == std::string::npos) continue;
      row.kernel.silicon.opcodes[opcode.substr(0, colon)] = std::strtod(opcode.c_str() + colon + 1, nullptr);
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

// The module `lowering/dense` is the file dense.ptx in the folder lowering/ptx of the suite.
std::string file_of(const std::string& suite, const std::string& module) {
  const fs::path path(module);
  return (fs::path(suite) / path.parent_path() / "ptx" / path.filename()).string() + ".ptx";
}

// The names of the occupancy limits that allow the fewest blocks.
unsigned limiters_of(const arch::GpuConfig& gpu, double registers, uint32_t shared_bytes) {
  arch::KernelResources kernel;
  kernel.threads = kBlock;
  kernel.registers_per_thread = static_cast<uint32_t>(registers);
  kernel.shared_static = shared_bytes;
  const arch::Occupancy o = arch::occupancy(gpu, kernel);
  const uint32_t limits[] = {o.limit_warps, o.limit_registers, o.limit_shared, o.limit_blocks};
  unsigned names = 0;
  for (size_t k = 0; k < std::size(limits); ++k) names |= limits[k] == o.blocks ? 1u << k : 0;
  return names;
}

class Lowerer {
 public:
  Lowerer(std::string suite, std::string target) : suite_(std::move(suite)), target_(std::move(target)) {
    const Config loaded = Config::load("cc/" + target_);
    gpu_ = arch::load_sm(loaded.root());
    model_ = arch::machine_model(gpu_);
  }

  const arch::GpuConfig& gpu() const { return gpu_; }

  void lower(LoweredKernel& k) {
    const std::string file = file_of(suite_, k.module);
    try {
      std::unique_ptr<ptx::Module>& module = modules_[k.module];
      if (!module) {
        module = ptx::load_module_text(sim::read_file(file), file, ptx::isa_table());
        module->targets = {target_};  // as targets.py retargets the text
      }
      const ptx::Function* entry = module->find_function(k.name);
      if (entry == nullptr) throw Error(ErrorKind::kInput, "not in " + file);
      k.simulated = static_code(sim::lower_entry(*module, *entry, model_), Counted::kFunctions);
    } catch (const Error& e) {
      k.problem = e.what();
    }
  }

 private:
  std::string suite_, target_;
  arch::GpuConfig gpu_;
  ptx::MachineModel model_;
  std::map<std::string, std::unique_ptr<ptx::Module>> modules_;
};

TargetHalf score_half(Lowerer& lowerer, const std::string& suite, const std::string& target, bool unseen,
                      const std::vector<std::string>& patterns) {
  TargetHalf half;
  half.target = target;
  half.unseen = unseen;
  const std::string path = suite + "/lowering/targets/" + (unseen ? "unseen/" : "tuned/") + target + ".csv";
  if (!sim::file_exists(path))
    throw Error(ErrorKind::kUsage, "there is no table of what ptxas makes for '" + target + "'", {},
                did_you_mean(target, lowering_targets(suite)));
  std::vector<double> errors;
  unsigned near = 0, registers = 0, limiter = 0, spills = 0;
  for (TargetRow& row : target_rows(path, patterns)) {
    LoweredKernel& k = row.kernel;
    lowerer.lower(k);
    if (k.problem.empty()) {
      const StaticCode &ours = k.simulated, &theirs = k.silicon;
      // What lowering gives out at least, ptxas's figure for a launch has too (lowering_score.cpp).
      k.silicon.registers = std::max(k.silicon.registers, kLeastRegisters);
      const auto off = [](double x, double y) { return y == 0 ? 0 : 100 * std::abs(x - y) / y; };
      errors.push_back(off(ours.instructions(), theirs.instructions()));
      near += errors.back() <= 10 ? 1 : 0;
      registers += off(ours.registers, theirs.registers) <= 15 ? 1 : 0;
      limiter += limiters_of(lowerer.gpu(), ours.registers, row.shared_bytes) ==
                         limiters_of(lowerer.gpu(), theirs.registers, row.shared_bytes)
                     ? 1
                     : 0;
      spills += (ours.spill_bytes != 0) == (theirs.spill_bytes != 0) ? 1 : 0;
    }
    half.kernels.push_back(std::move(k));
  }
  half.lowered = static_cast<unsigned>(errors.size());
  if (errors.empty()) return half;
  std::sort(errors.begin(), errors.end());
  half.median_error = errors[errors.size() / 2];
  const auto share = [&](unsigned n) { return 100.0 * n / half.lowered; };
  half.instructions_near = share(near);
  half.registers_near = share(registers);
  half.limiter_equal = share(limiter);
  half.spills_equal = share(spills);
  return half;
}

std::string percent_text(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f", value);
  return text;
}

TextTable table_of(const std::vector<TargetHalf>& halves) {
  TextTable table({"Target", "Half", ">Kernels", ">Lowered", ">Median error %", ">Within 10 %",
                   ">Registers within 15 %", ">Limiter equal %", ">Spills equal %"});
  table.row({"to reach", "", "", "", "at most " + percent_text(kMedian), percent_text(kInstructions),
             percent_text(kRegisters), percent_text(kLimiter), percent_text(kSpills)});
  for (const TargetHalf& h : halves) {
    table.row({h.target, h.unseen ? "unseen" : "tuned", std::to_string(h.kernels.size()),
               std::to_string(h.lowered), percent_text(h.median_error), percent_text(h.instructions_near),
               percent_text(h.registers_near), percent_text(h.limiter_equal), percent_text(h.spills_equal)});
  }
  return table;
}

int number_of(const std::string& target) { return std::atoi(target.c_str() + target.find('_') + 1); }

}  // namespace

std::vector<std::string> lowering_targets(const std::string& suite) {
  std::vector<std::string> targets;
  const fs::path folder = fs::path(suite) / "lowering/targets/tuned";
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    targets.push_back(name.substr(0, name.find('.')));
  }
  std::sort(targets.begin(), targets.end(),
            [](const auto& x, const auto& y) { return number_of(x) < number_of(y); });
  return targets;
}

std::vector<TargetHalf> score_lowering_targets(const std::string& suite,
                                               const std::vector<std::string>& targets,
                                               const std::vector<std::string>& patterns) {
  std::vector<TargetHalf> halves;
  for (const std::string& target : targets) {
    Lowerer lowerer(suite, target);
    for (const bool unseen : {false, true})
      halves.push_back(score_half(lowerer, suite, target, unseen, patterns));
  }
  return halves;
}

std::string lowering_targets_text(const std::vector<TargetHalf>& halves) { return table_of(halves).str(); }

std::string lowering_targets_page(const std::vector<TargetHalf>& halves) {
  return "# Lowering by target\n\n"
         "This page compares gpuloom's static code with ptxas's for each target (`gpuloom score --static "
         "--target "
         "all --markdown`). ptxas is CUDA 13.0's; 12's for 7.0 and 6.1.\n"
         "The unseen half of the kernels was not looked at while anything was changed. Blocks have 256 "
         "threads.\n\n" +
         table_of(halves).markdown();
}

}  // namespace gpuloom::validation
