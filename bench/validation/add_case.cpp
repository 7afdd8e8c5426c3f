// SPDX-License-Identifier: Apache-2.0
#include "bench/validation/add_case.h"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/hash.h"
#include "base/text.h"
#include "bench/validation/measured_table.h"
#include "bench/validation/score.h"
#include "sim/memory/files.h"
#include "sim/report/ncu/ncu_compare.h"
#include "sim/report/writers.h"
#include "sim/runtime/launch_record.h"
#include "sim/runtime/suite.h"

namespace gpuloom::validation {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

// A launch file's text is its reader's to interpret, so that numbers may stand in quotes.
Json json_of(const ConfigNode& node) {
  if (node.is_scalar()) {
    const Json number = Json::parse(node.scalar, nullptr, false);
    return !node.quoted && (number.is_number() || number.is_boolean()) ? number : Json(node.scalar);
  }
  Json out = node.is_map() ? Json::object() : node.is_list() ? Json::array() : Json();
  for (const ConfigNode& child : node.children) {
    if (node.is_map())
      out[child.key] = json_of(child);
    else
      out.push_back(json_of(child));
  }
  return out;
}

void drop(ConfigNode& map, std::string_view key) {
  std::erase_if(map.children, [&](const ConfigNode& child) { return child.key == key; });
}

// A case writes no files. Buffers and symbols may be named 'save' themselves.
void drop_saves(ConfigNode& node) {
  if (node.key != "symbols")
    std::erase_if(node.children, [](const ConfigNode& c) { return c.key == "save" && c.is_scalar(); });
  for (ConfigNode& child : node.children) drop_saves(child);
}

class Adder {
 public:
  Adder(const AddCaseArguments& a, std::string suite) : a_(a), suite_(std::move(suite)) {}

  AddedCases add(const std::string& silicon) {
    read_result();
    const auto profile = parse_ncu_csv(sim::read_file(a_.profile), a_.profile);
    const std::vector<NcuPair> pairs = ncu_pairs(run_, profile, a_.profile);
    added_.silicon = silicon.empty() ? stock_name() : silicon;
    added_.new_suite = !sim::file_exists(suite_ + "/cases.json");
    if (!added_.new_suite) there_ = sim::suite_case_names(suite_);
    MeasuredTable table(suite_ + "/" + added_.silicon + "/metrics.csv");
    std::string cases;
    for (const NcuPair& pair : pairs) {
      const std::string name = name_of(pair, pairs.size());
      table.add(name, pair);
      added_.names.push_back(name);
      cases += (cases.empty() ? "" : ",\n") + case_text(pair.kernel, name);
    }
    write(cases, table);
    if (const auto missing = table.missing(); !missing.empty())
      added_.notes.push_back("the profile has no number for " + join(missing, ", ") +
                             ": the score leaves them out (ncu --set full measures most of them)");
    return added_;
  }

 private:
  void read_result() {
    const std::string file = a_.result + "/result.json", launch = a_.result + "/launch.yaml";
    if (!fs::is_directory(a_.result) || !sim::file_exists(file))
      throw Error(ErrorKind::kUsage, "'" + a_.result + "' is not the folder of a run", {},
                  "gpuloom run ... -o DIR makes one");
    run_ = parse_result_json(sim::read_file(file), file);
    if (!sim::file_exists(launch))
      throw Error(
          ErrorKind::kInput, "'" + a_.result + "' has no launch.yaml: what was launched is not known", {},
          "gpuloom run -o writes it; a launch out of a whole program comes by gpuloom extract, then gpuloom "
          "run -o");
    if (!run_.complete)
      throw Error(ErrorKind::kInput, "the run in '" + a_.result + "' was stopped before its end");
    tree_ = parse_yaml_file(launch, launch);
    if (tree_.find("program") != nullptr)
      throw Error(ErrorKind::kUnsupported,
                  "the launch file has a program of streams, and a profiler measures its kernels one by one",
                  {}, "a case has launches: run one kernel alone");
    expect_ptx();
  }

  // The case must be what was run, so that the comparison with the profile holds for it.
  void expect_ptx() {
    const ConfigNode* ptx = tree_.find("ptx");
    ptx_path_ = (fs::path(a_.result) / (ptx == nullptr ? "" : ptx->scalar)).lexically_normal().string();
    ptx_ = sim::read_file(ptx_path_);
    if (sha256_hex(ptx_) != run_.provenance.ptx_sha256)
      throw Error(ErrorKind::kInput, "'" + ptx_path_ + "' is not the PTX that ran: it has changed since", {},
                  "run it again into '" + a_.result + "'");
  }

  std::string stock_name() const {
    const std::string& name = run_.provenance.config;
    return name.substr(0, name.find(" + "));
  }

  std::string name_of(const NcuPair& pair, size_t pairs) const {
    std::string name = a_.name.empty() ? ncu_plain_name(run_.kernels[pair.kernel].name) : a_.name;
    if (pairs > 1) name += fmt::format("_{}", pair.kernel);
    if (name.find_first_of("/*?[\"\\, \n") != std::string::npos)
      throw Error(ErrorKind::kUsage, "'" + name + "' cannot be the name of a case", {},
                  "letters, digits, _ and - can: --name");
    const auto taken = [&](const auto& names) {
      return std::find(names.begin(), names.end(), name) != names.end();
    };
    if (taken(there_) || taken(added_.names))
      throw Error(ErrorKind::kUsage, fmt::format("'{}' has a case '{}' already", suite_, name), {},
                  "--name gives this one another name");
    return name;
  }

  // A file of the case, by its path in the suite. What has to be copied is collected until all is known.
  std::string take(const std::string& place, std::string content) {
    files_.emplace_back(place, std::move(content));
    return place;
  }

  // Launches up to the measured one: its memory is what those before leave, and the last is the reported one.
  std::string case_text(size_t kernel, const std::string& name) {
    ConfigNode tree = tree_;
    for (const char* key : {"name", "about", "config"}) drop(tree, key);
    drop_saves(tree);
    if (ConfigNode* launches = tree.find("launches");
        launches != nullptr && kernel + 1 < launches->children.size()) {
      launches->children.resize(kernel + 1);
      drop(tree, "verify");  // is about what the last of all leaves
    }
    sim::visit_launch_paths(tree, [&](ConfigNode& path) { copy(path, name); });
    Json out = {{"name", name},
                {"about", fmt::format("{}, beside a profile by Nsight Compute",
                                      fs::path(run_.provenance.launch).filename().string())}};
    out.update(json_of(tree));
    return out.dump();
  }

  void copy(ConfigNode& path, const std::string& name) {
    std::string from = (fs::path(a_.result) / path.scalar).lexically_normal().string(), array;
    if (from == ptx_path_) {
      path.scalar = take("ptx/" + name + ".ptx", ptx_);
      return;
    }
    if (const size_t colon = from.rfind(':'); !sim::file_exists(from) && colon != std::string::npos) {
      array = from.substr(colon);
      from.erase(colon);
    }
    const std::string place =
        fmt::format("data/{}/{}_{}", name, files_.size(), fs::path(from).filename().string());
    path.scalar = take(place, sim::read_file(from)) + array;
  }

  void write(const std::string& cases, const MeasuredTable& table) const {
    sim::make_folder(suite_);
    for (const auto& [place, content] : files_) {
      sim::make_folder(fs::path(suite_ + "/" + place).parent_path().string());
      sim::write_file(suite_ + "/" + place, content);
    }
    sim::make_folder(suite_ + "/" + added_.silicon);
    table.write();
    if (!sim::file_exists(suite_ + "/suite.yaml")) sim::write_file(suite_ + "/suite.yaml", manifest());
    sim::write_file(suite_ + "/cases.json", with_cases(cases));
  }

  // The list with more cases at its end; everything before stays as it was written.
  std::string with_cases(const std::string& cases) const {
    if (added_.new_suite) return "[\n" + cases + "\n]\n";
    std::string text = sim::read_file(suite_ + "/cases.json");
    text.erase(text.rfind(']'));
    text.erase(text.find_last_not_of(" \n\r\t") + 1);
    return text + (text.ends_with("[") ? "\n" : ",\n") + cases + "\n]\n";
  }

  std::string manifest() const {
    return fmt::format(
        "# SPDX-License-Identifier: Apache-2.0\n"
        "# What this suite is; made by gpuloom score --add, and yours to edit.\n"
        "name: \"{}\"\norigin: \"launches and profiles added one by one\"\nmeasured: \"{}\"\n"
        "first_seen: \"gpuloom {}\"\nrole: given\n",
        fs::path(suite_ + "/").parent_path().filename().string(), added_.silicon, run_.provenance.version);
  }

  const AddCaseArguments& a_;
  std::string suite_;
  RunReport run_;
  ConfigNode tree_;
  std::string ptx_path_, ptx_;
  std::vector<std::string> there_;                          // names of the suite's cases
  std::vector<std::pair<std::string, std::string>> files_;  // place in the suite, content
  AddedCases added_;
};

}  // namespace

void add_case_options(CLI::App& command, AddCaseArguments& a) {
  CLI::Option* add = command.add_option(
      "--add", a.result,
      "Folder of a run (gpuloom run -o): with --ncu, add its launch to the folder of --suite as a case");
  CLI::Option* ncu = command.add_option("--ncu", a.profile,
                                        "With --add: what the GPU did, a file of `ncu --csv --page raw`");
  CLI::Option* name =
      command.add_option("--name", a.name, "With --add: the case's name (default: the kernel's)");
  add->needs(ncu);
  ncu->needs(add);
  name->needs(add);
}

AddedCases add_case(const AddCaseArguments& a, const std::string& suite, const std::string& silicon) {
  return Adder(a, suite).add(silicon);
}

}  // namespace gpuloom::validation
