// SPDX-License-Identifier: Apache-2.0
#include "bench/validation/lowering_score.h"

#include <fnmatch.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <sstream>

#include "arch/gpu_config.h"
#include "base/config/config.h"
#include "base/demangle.h"
#include "base/error.h"
#include "base/text.h"
#include "bench/validation/score_facts.h"
#include "ptx/isa/table/form.h"
#include "ptx/machine/lower.h"
#include "ptx/parse/parser.h"
#include "ptx/passes/pipeline.h"
#include "ptx/target.h"
#include "sim/api/describe_lowering.h"
#include "sim/memory/files.h"
#include "sim/report/table.h"

namespace gpuloom::validation {

namespace {

void read_table(const std::string& text, const std::vector<std::string>& patterns,
                std::vector<LoweredKernel>& kernels) {
  std::istringstream lines(text);
  std::string line;
  std::getline(lines, line);  // headings
  while (std::getline(lines, line)) {
    std::istringstream cells(line);
    std::string module, name, what, count;
    std::getline(cells, module, ',');
    std::getline(cells, name, ',');
    std::getline(cells, what, ',');
    std::getline(cells, count, ',');
    if (!sim::kernel_wanted(name, patterns)) continue;
    const bool same = !kernels.empty() && kernels.back().module == module && kernels.back().name == name;
    if (!same) kernels.push_back({module, name, {}, {}, {}});
    StaticCode& code = kernels.back().silicon;
    const double value = std::strtod(count.c_str(), nullptr);
    if (what == "registers") {
      code.registers = std::max(kLeastRegisters, value);
    } else if (what == "spill_stores" || what == "spill_loads") {
      code.spill_bytes += value;
    } else {
      code.opcodes[what] += value;
    }
  }
}

// Names of templates fill a page.
std::string shown(const LoweredKernel& k) {
  constexpr size_t kLongest = 60;
  const std::string name = k.module.empty() ? k.name : k.module + ": " + short_name(k.name);
  return name.size() <= kLongest ? name : name.substr(0, kLongest - 3) + "...";
}

double error_percent(double simulated, double silicon) {
  if (silicon == 0) return simulated == 0 ? 0 : 100;
  return 100 * (simulated - silicon) / silicon;
}

std::string signed_percent(double percent) {
  char text[32];
  std::snprintf(text, sizeof text, "%+.1f", percent);
  return text;
}

constexpr OpcodeClass kClasses[] = {OpcodeClass::kMemory, OpcodeClass::kInteger, OpcodeClass::kFloat,
                                    OpcodeClass::kControl};

// A few instructions more or less in a class that has few of them say nothing: 2 are not an error.
bool class_within(double simulated, double silicon) {
  return std::abs(simulated - silicon) <= std::max(2.0, 0.1 * silicon);
}

std::string base_opcode(const std::string& opcode) { return opcode.substr(0, opcode.find_first_of("./")); }

std::string differences(const LoweredKernel& k) {
  std::map<std::string, std::pair<double, double>> both;
  for (const auto& [opcode, count] : k.simulated.opcodes) both[base_opcode(opcode)].first += count;
  for (const auto& [opcode, count] : k.silicon.opcodes) both[base_opcode(opcode)].second += count;
  std::string out;
  for (const auto& [opcode, counts] : both) {
    if (counts.first == counts.second) continue;
    char text[80];
    std::snprintf(text, sizeof text, " %s %g:%g", opcode.c_str(), counts.first, counts.second);
    out += text;
  }
  return out;
}

// Blocks of 256 threads that the registers of an SM hold (CUDA C++ programming guide, table 30: 65,536 of
// them and 64 warps on every capability of which there is a table here), given out 256 a warp at a time.
double blocks_of_256(double registers) {
  constexpr double kFile = 65536, kMostBlocks = 8, kUnit = 8, kThreads = 256;
  return std::min(kMostBlocks, std::floor(kFile / (kThreads * kUnit * std::ceil(registers / kUnit))));
}

std::string summary(const std::vector<LoweredKernel>& kernels) {
  constexpr double kMany = 32;  // registers with which an SM is full of warps
  std::vector<double> errors, registers;
  unsigned within = 0, classes_within = 0, registers_within = 0, ran = 0, many = 0, many_within = 0,
           same_blocks = 0;
  for (const LoweredKernel& k : kernels) {
    if (!k.problem.empty()) continue;
    ++ran;
    errors.push_back(std::abs(error_percent(k.simulated.instructions(), k.silicon.instructions())));
    registers.push_back(std::abs(error_percent(k.simulated.registers, k.silicon.registers)));
    within += errors.back() <= 10 ? 1 : 0;
    registers_within += registers.back() <= 15 ? 1 : 0;
    same_blocks += blocks_of_256(k.simulated.registers) == blocks_of_256(k.silicon.registers) ? 1 : 0;
    if (std::max(k.simulated.registers, k.silicon.registers) > kMany) {
      ++many;
      many_within += registers.back() <= 15 ? 1 : 0;
    }
    classes_within += std::all_of(std::begin(kClasses), std::end(kClasses), [&](OpcodeClass c) {
      return class_within(k.simulated.of_class(c), k.silicon.of_class(c));
    });
  }
  if (ran == 0) return "no kernels\n";
  const auto median = [](std::vector<double> v) {
    std::sort(v.begin(), v.end());
    return v[v.size() / 2];
  };
  char text[512];
  std::snprintf(
      text, sizeof text,
      "%u of %zu kernels lowered\n"
      "static instructions: median error %.1f %%, within 10 %%: %.0f %% of kernels\n"
      "opcode classes all within 10 %% (or 2 instructions): %.0f %% of kernels\n"
      "registers: median error %.1f %%, within 15 %%: %.1f %% of kernels, %.1f %% of %u with over 32\n"
      "blocks of 256 threads an SM, by registers: equal for %.1f %% of kernels\n",
      ran, kernels.size(), median(errors), 100.0 * within / ran, 100.0 * classes_within / ran,
      median(registers), 100.0 * registers_within / ran, many == 0 ? 100.0 : 100.0 * many_within / many, many,
      100.0 * same_blocks / ran);
  return text;
}

// Behind the call in a division of 64 bits stands what ptxas has once in a kernel, as a function of its own
// that collect.py does not count.
bool enters_function(const ptx::MachineOp& op) { return op.op == ptx::OpClass::call && op.exec_count == 0; }

}  // namespace

StaticCode static_code(const ptx::MachineProgram& machine, Counted counted) {
  StaticCode code;
  bool within = false;
  for (const ptx::MachineOp& op : machine.ops) {
    const bool last = within && op.op == ptx::OpClass::ret;
    if (within) {
      within = !last;
      continue;
    }
    within = counted == Counted::kCalls && enters_function(op);
    const std::string opcode(ptx::info(op.op).opcode);
    if (op.slow_path != 0 && counted == Counted::kCalls) {
      code.opcodes["CALL"] += 1;
      code.opcodes["MOV"] += op.slow_path - 1;
    }
    if (op.op != ptx::OpClass::none) code.opcodes[(op.uniform != 0 ? "U" : "") + opcode] += 1;
  }
  code.registers = machine.registers_per_thread;
  code.spill_bytes = machine.spill_bytes;
  return code;
}

double StaticCode::instructions() const {
  double sum = 0;
  for (const auto& [opcode, count] : opcodes) sum += count;
  return sum;
}

double StaticCode::of_class(OpcodeClass c) const {
  double sum = 0;
  for (const auto& [opcode, count] : opcodes) sum += opcode_class(opcode) == c ? count : 0;
  return sum;
}

std::vector<LoweredKernel> score_lowering(const std::string& folder, const std::string& config,
                                          const std::vector<std::string>& patterns) {
  const ptx::MachineModel model = arch::machine_model(sim::gpu_of(config));
  std::vector<LoweredKernel> kernels;
  read_table(sim::read_file(folder + "/sass.csv"), patterns, kernels);
  std::map<std::string, std::unique_ptr<ptx::Module>> modules;
  for (LoweredKernel& k : kernels) {
    const std::string file = folder + "/ptx/" + k.module + ".ptx";
    try {
      auto& module = modules[k.module];
      if (!module) module = ptx::load_module_text(sim::read_file(file), file, ptx::isa_table());
      k.problem = "not in " + file;
      for (const ptx::Function& f : module->functions) {
        if (!f.is_entry || f.name != k.name) continue;
        k.simulated = static_code(sim::lower_entry(*module, f, model), Counted::kCalls);
        k.problem.clear();
      }
    } catch (const Error& e) {
      k.problem = e.what();
    }
  }
  return kernels;
}

std::string lowering_text(const std::vector<LoweredKernel>& kernels, bool opcodes) {
  TextTable table({"Kernel", ">Instr.", ">ptxas", ">Error %", ">mem. %", ">int. %", ">float %", ">control %",
                   ">Reg.", ">ptxas"});
  std::string details;
  for (const LoweredKernel& k : kernels) {
    if (!k.problem.empty()) {
      table.row({shown(k), k.problem.substr(0, k.problem.find('\n'))});
      continue;
    }
    const double ours = k.simulated.instructions(), theirs = k.silicon.instructions();
    std::vector<std::string> row = {shown(k), with_thousands(static_cast<uint64_t>(ours)),
                                    with_thousands(static_cast<uint64_t>(theirs)),
                                    signed_percent(error_percent(ours, theirs))};
    for (const OpcodeClass c : kClasses)
      row.push_back(signed_percent(error_percent(k.simulated.of_class(c), k.silicon.of_class(c))));
    row.push_back(std::to_string(static_cast<int>(k.simulated.registers)));
    row.push_back(std::to_string(static_cast<int>(k.silicon.registers)));
    table.row(row);
    if (opcodes) details += k.name + " (gpuloom:ptxas):" + differences(k) + "\n";
  }
  return table.str() + "\n" + (details.empty() ? "" : details + "\n") + summary(kernels);
}

std::string lowering_csv(const std::vector<LoweredKernel>& kernels) {
  std::string out = "module,kernel,side,what,value\n";
  for (const LoweredKernel& k : kernels) {
    const auto side = [&](const char* name, const StaticCode& code) {
      const std::string begin = k.module + "," + k.name + "," + name + ",";
      char text[64];
      const auto line = [&](const std::string& what, double value) {
        std::snprintf(text, sizeof text, ",%g\n", value);
        out += begin + what + text;
      };
      line("registers", code.registers);
      line("spill_bytes", code.spill_bytes);
      line("instructions", code.instructions());
      for (const auto& [opcode, count] : code.opcodes) line(opcode, count);
    };
    if (k.problem.empty()) side("gpuloom", k.simulated);
    side("ptxas", k.silicon);
  }
  return out;
}

}  // namespace gpuloom::validation
