// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/launch_source.h"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <filesystem>

#include "base/config/config.h"
#include "base/error.h"
#include "base/text.h"
#include "sim/cli/argument_text.h"
#include "sim/frontend/content.h"
#include "sim/memory/files.h"
#include "sim/runtime/launch_buffer.h"
#include "sim/runtime/suite.h"
#include "sim/runtime/symbols.h"

namespace gpuloom::cli {

namespace {

ConfigNode extents(const std::string& text, const char* option) {
  ConfigNode node = node_of(ConfigNode::Kind::kList);
  for (const uint32_t n : extents_of(text.empty() ? "1" : text, option))
    node.children.push_back(text_node(std::to_string(n)));
  return node;
}

ptx::Dim3 dimensions(const std::string& text, const char* option) {
  const std::vector<uint32_t> list = extents_of(text, option);
  if (list.size() > 3)
    throw Error(ErrorKind::kUsage,
                fmt::format("{}: expected one to three sizes, got {}", option, list.size()), {},
                "256, 16,16 or 16x16x4");
  ptx::Dim3 d;
  uint32_t* const places[3] = {&d.x, &d.y, &d.z};
  for (size_t i = 0; i < list.size(); ++i) *places[i] = list[i];
  return d;
}

// Options beside a launch file replace what its launch says.
void replace(const DirectLaunch& direct, sim::LaunchFile& file) {
  const bool any = !direct.kernel.empty() || !direct.grid.empty() || !direct.block.empty() ||
                   !direct.cluster.empty() || !direct.dynamic_shared.empty();
  if (!direct.args.empty())
    throw Error(ErrorKind::kUsage, "--arg cannot be used with a launch file", {},
                "write the arguments in '" + file.path + "'");
  if (!any) return;
  if (file.launches.size() != 1)
    throw Error(ErrorKind::kUsage,
                "'" + file.path + "' has several launches: options cannot select one of them");
  sim::LaunchSpec& l = file.launches[0];
  ConfigNode* list = file.tree.find("launches");
  ConfigNode& tree = list == nullptr ? file.tree : list->children.at(0);
  if (!direct.kernel.empty()) l.kernel = direct.kernel;
  const auto extent = [&](const char* key, const char* option, const std::string& text, auto& to) {
    if (text.empty()) return;
    to = dimensions(text, option);
    put_instead(tree, key, extents(text, option));
  };
  extent("grid", "--grid", direct.grid, l.grid);
  extent("block", "--block", direct.block, l.block);
  extent("cluster", "--cluster", direct.cluster, l.cluster);
  if (!direct.dynamic_shared.empty()) {
    l.dynamic_shared_bytes =
        static_cast<uint32_t>(size_option("--dynamic-shared", direct.dynamic_shared, UINT32_MAX));
    put_instead(tree, "dynamic_shared", text_node(direct.dynamic_shared));
  }
}

// --save NAME=FILE: a buffer, or else a symbol.
void save(const std::string& text, sim::LaunchFile& file) {
  const size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
    throw Error(ErrorKind::kUsage, "--save '" + text + "' must have the form NAME=FILE", {},
                "--save c=out.npy");
  const std::string name = text.substr(0, equals);
  const std::string path = std::filesystem::absolute(text.substr(equals + 1)).string();
  for (sim::BufferSpec& buffer : file.buffers)
    if (buffer.name == name) {
      buffer.save = path;
      return;
    }
  for (sim::SymbolSpec& symbol : file.symbols)
    if (symbol.data.name == name) {
      symbol.data.save = path;
      return;
    }
  sim::SymbolSpec symbol;
  symbol.data.name = name;
  symbol.data.save = path;
  symbol.data.where = {"command line", 0, 0};
  file.symbols.push_back(std::move(symbol));
}

void set_symbols(const std::vector<std::string>& texts, sim::LaunchFile& file) {
  if (texts.empty()) return;
  ConfigNode symbols = node_of(ConfigNode::Kind::kMap);
  for (const std::string& text : texts) symbol_node(text, symbols);
  const Config config = Config::from(std::move(symbols), "command line");
  for (const ConfigNode& child : config.tree().children) {
    const ConfigView view = config.root().child(child.key);
    sim::SymbolSpec symbol = sim::read_symbol(child.key, view, "");
    std::erase_if(file.symbols, [&](const sim::SymbolSpec& s) { return s.data.name == child.key; });
    file.symbols.push_back(std::move(symbol));
    if (file.tree.find("symbols") == nullptr) put(file.tree, "symbols", node_of(ConfigNode::Kind::kMap));
    put_instead(*file.tree.find("symbols"), child.key, child);
  }
  config.check();
}

// What a file gets wrong is bad input; here it is the command line.
template <class Action>
auto as_usage(Action action) {
  try {
    return action();
  } catch (const Error& e) {
    throw Error(ErrorKind::kUsage, e.message(), e.where(), e.hint());
  }
}

sim::LaunchFile direct_launch(const LaunchSource& s) {
  DirectLaunch direct = s.direct;
  direct.ptx = s.file;
  sim::LaunchFile file =
      as_usage([&] { return sim::launch_file_of(Config::from(launch_tree(direct), "command line"), ""); });
  file.path = file.ptx = s.file;
  file.launches[0].kernel = s.direct.kernel;
  file.launches[0].argument_hint =
      "give one --arg for each, in order: 'float[1024]=uniform' for a pointer, 2.5 for a number";
  return file;
}

// What can be read only once: a pipe, or a shell's <(...).
bool is_stream(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::exists(path, ignored) && !std::filesystem::is_regular_file(path, ignored) &&
         !std::filesystem::is_directory(path, ignored);
}

frontend::Content content(const std::string& path) {
  return frontend::content_of(sim::read_file(path), path);
}

// Words after the file: more files with kernels are linked with it, the others are for the compiler.
void take_more_words(const LaunchSource& s, sim::LaunchFile& file) {
  for (const std::string& word : s.more_words) {
    const bool there = !word.starts_with("-") && std::filesystem::is_regular_file(word);
    (there && frontend::holds_kernels(content(word)) ? file.link : file.compiler_arguments).push_back(word);
  }
  if (file.compiler_arguments.empty() || s.more_words.empty()) return;
  for (const std::string& path : file.link)
    if (content(path) == frontend::Content::kCuda) return;
  if (content(file.ptx) == frontend::Content::kCuda) return;
  const std::string& first = file.compiler_arguments[0];
  if (!first.starts_with("-") && !std::filesystem::exists(first))
    throw Error(ErrorKind::kInput, fmt::format("cannot read '{}'", first));
  throw Error(ErrorKind::kUsage, fmt::format("'{}' is for a compiler, but '{}' is not CUDA C++",
                                             join(file.compiler_arguments, " "), file.ptx));
}

// Other files of gpuloom, by the keys that only they have: which command takes them.
void expect_launch(const std::string& path) {
  const ConfigNode tree = parse_yaml(sim::read_file(path), path);
  if (!tree.is_map())
    throw Error(
        ErrorKind::kInput,
        "'" + path + "' is neither a launch file nor a file with kernels; it begins with " + tree.describe(),
        {},
        "a launch file is YAML with ptx, kernel, grid, block and args; kernels come from PTX, CUDA C++, "
        "executables, objects and fatbins");
  if (tree.find("kernel") != nullptr || tree.find("launches") != nullptr) return;
  const auto refuse = [&](const char* what, const std::string& hint) {
    throw Error(ErrorKind::kInput, "'" + path + "' is " + what + ", not a launch file", {}, hint);
  };
  if (tree.find("axes") != nullptr) refuse("a sweep", "gpuloom sweep run " + path);
  if (tree.find("provenance") != nullptr) refuse("a result", "gpuloom compare shows results");
  if (tree.find("extends") != nullptr || tree.find("limits") != nullptr)
    refuse("a configuration", "run a launch file or a kernel on it with -c " + path);
}

sim::LaunchFile read(const LaunchSource& s) {
  if (!s.suite_case.empty()) return sim::read_suite_case(s.suite, s.suite_case);
  if (s.file.empty())
    throw Error(ErrorKind::kUsage, "no launch file or kernel is given", {},
                "give a launch file, or a file with kernels: PTX, CUDA C++ or an executable");
  const frontend::Content what = !is_stream(s.file)        ? content(s.file)
                                 : s.direct.kernel.empty() ? frontend::Content::kYaml
                                                           : frontend::Content::kPtx;
  if (frontend::holds_kernels(what)) return direct_launch(s);
  if (what == frontend::Content::kEmpty || what == frontend::Content::kBinary)
    throw Error(ErrorKind::kInput, "'" + s.file + "' is " + std::string(frontend::describe(what)), {},
                "a launch file is YAML; kernels come from PTX, CUDA C++, executables, objects and fatbins");
  if (!is_stream(s.file)) expect_launch(s.file);
  sim::LaunchFile file = sim::read_launch_file(s.file);
  replace(s.direct, file);
  return file;
}

}  // namespace

ConfigNode launch_tree(const DirectLaunch& launch) {
  ConfigNode buffers = node_of(ConfigNode::Kind::kMap), args = node_of(ConfigNode::Kind::kList);
  for (const std::string& text : launch.args) args.children.push_back(argument_node(text, buffers));
  ConfigNode out = node_of(ConfigNode::Kind::kMap);
  put(out, "ptx", text_node(launch.ptx));
  if (!buffers.children.empty()) put(out, "buffers", std::move(buffers));
  put(out, "kernel", text_node(launch.kernel.empty() ? "the only one" : launch.kernel));
  put(out, "grid", extents(launch.grid, "--grid"));
  put(out, "block", extents(launch.block, "--block"));
  if (!launch.cluster.empty()) put(out, "cluster", extents(launch.cluster, "--cluster"));
  put(out, "dynamic_shared", text_node(launch.dynamic_shared.empty() ? "0" : launch.dynamic_shared));
  put(out, "args", std::move(args));
  return out;
}

void add_launch_options(CLI::App& command, LaunchSource& s) {
  command.add_option(
      "file", s.file,
      "A launch file (YAML), or a file with kernels: PTX, CUDA C++, an executable, an object or a fatbin");
  command.add_option("more", s.more_words,
                     "More files with kernels, linked with the first (-rdc=true). After --: options of nvcc "
                     "or clang, for CUDA C++");
  command
      .add_option("--suite", s.suite,
                  "Suite of cases: a name (gpuloom score --suite lists them) or a folder with cases.json")
      ->capture_default_str();
  command.add_option("--case", s.suite_case, "Case of the suite");
  command
      .add_option("--symbol", s.symbols,
                  "Set a __constant__ or __device__ variable: coef=f32=1,2,3, coef=f32[16]=uniform, "
                  "coef=@coef.npy")
      ->allow_extra_args(false);
  command.add_option("--save", s.saves, "Write a buffer or variable after the last launch: c=out.npy")
      ->allow_extra_args(false);
  command.add_flag("--library-lines", s.written_lines,
                   "Count instructions inlined from library headers under the headers' lines, not under the "
                   "lines that use them");
  const char* group =
      "Launch without a launch file (grid, block, cluster and kernel also override a launch file)";
  command
      .add_option("-k,--kernel", s.direct.kernel,
                  "Kernel: its name in C++ or in the PTX, or regex:...; optional if there is only one")
      ->group(group);
  command.add_option("--grid", s.direct.grid, "Blocks: 256, 16,16 or 16x16")->group(group);
  command.add_option("--block", s.direct.block, "Threads per block: 256, 16,16 or 16x16")->group(group);
  command.add_option("--cluster", s.direct.cluster, "Blocks per cluster")->group(group);
  command.add_option("--dynamic-shared", s.direct.dynamic_shared, "Bytes of dynamic shared memory: 48KiB")
      ->group(group);
  command
      .add_option(
          "--arg", s.direct.args,
          "Next argument: 5, float=2.5, f32[1024], c=f32[32,32]=uniform:7 (name, seed), f32[3]=1,2,3, "
          "@a.npy, {f32=1.5,s32=7} (a structure)")
      ->allow_extra_args(false)
      ->group(group);
}

std::string file_with_kernels(const std::string& path) {
  if (is_stream(path) || content(path) != frontend::Content::kYaml) return path;
  try {
    const ConfigNode tree = parse_yaml(sim::read_file(path), path);
    const ConfigNode* module = tree.is_map() ? tree.find("ptx") : nullptr;
    if (module == nullptr || !module->is_scalar()) return path;
    const size_t slash = path.rfind('/');
    return sim::launch_path(module->scalar, slash == std::string::npos ? "" : path.substr(0, slash + 1));
  } catch (const Error&) {
    return path;  // another text, which the command refuses
  }
}

sim::LaunchFile read_launch(const LaunchSource& s) {
  sim::LaunchFile file = read(s);
  as_usage([&] {
    set_symbols(s.symbols, file);
    for (const std::string& text : s.saves) save(text, file);
  });
  take_more_words(s, file);
  return file;
}

}  // namespace gpuloom::cli
