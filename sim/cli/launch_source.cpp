// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/launch_source.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <string_view>

#include "sim/base/config/config.h"
#include "sim/base/error.h"

namespace gpuloom::cli {

namespace {

ConfigNode node_of(ConfigNode::Kind kind) {
  ConfigNode node;
  node.kind = kind;
  node.where = node.key_where = {"command line", 0, 0};
  return node;
}

ConfigNode text_node(const std::string& text) {
  ConfigNode node = node_of(ConfigNode::Kind::kScalar);
  node.scalar = text;
  return node;
}

void put(ConfigNode& map, const std::string& key, ConfigNode value) {
  value.key = key;
  map.children.push_back(std::move(value));
}

ConfigNode extents(const std::vector<uint32_t>& list) {
  ConfigNode node = node_of(ConfigNode::Kind::kList);
  for (const uint32_t n : list) node.children.push_back(text_node(std::to_string(n)));
  if (list.empty()) node.children.push_back(text_node("1"));
  return node;
}

bool is_word(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
  });
}

// f32[1024], f32[1024]=uniform, f32[1024]=uniform:7 (seed): a buffer.
ConfigNode buffer_of(const std::string& text, size_t open) {
  const size_t close = text.find(']', open), equals = text.find('=', open);
  const bool filled = equals != std::string::npos;
  std::string fill = filled ? text.substr(equals + 1) : "zero", seed = "1";
  if (const size_t colon = fill.find(':'); colon != std::string::npos) {
    seed = fill.substr(colon + 1);
    fill.resize(colon);
  }
  if (!is_word(text.substr(0, open)) || close == std::string::npos ||
      close + 1 != (filled ? equals : text.size()) || !is_word(fill))
    throw Error(ErrorKind::kUsage, "--arg '" + text + "' is no buffer", {},
                "f32[1024]=uniform:7, of which '=uniform' and ':7' (the seed) may be left out");
  ConfigNode buffer = node_of(ConfigNode::Kind::kMap);
  put(buffer, "type", text_node(text.substr(0, open)));
  put(buffer, "count", text_node(text.substr(open + 1, close - open - 1)));
  put(buffer, "init", text_node(fill));
  put(buffer, "seed", text_node(seed));
  put(buffer, "output", text_node("true"));
  return buffer;
}

}  // namespace

ConfigNode launch_tree(const DirectLaunch& launch) {
  if (launch.kernel.empty()) throw Error(ErrorKind::kUsage, "which kernel? Give --kernel NAME");
  ConfigNode buffers = node_of(ConfigNode::Kind::kMap), args = node_of(ConfigNode::Kind::kList);
  for (const std::string& text : launch.args) {
    const size_t open = text.find('['), equals = text.find('=');
    if (text.empty()) throw Error(ErrorKind::kUsage, "--arg is empty", {}, "5, u32=5, f32[1024]");
    if (open != std::string::npos && open < equals) {
      const std::string name = "arg" + std::to_string(args.children.size());
      put(buffers, name, buffer_of(text, open));
      args.children.push_back(text_node(name));
    } else if (equals != std::string::npos) {
      ConfigNode typed = node_of(ConfigNode::Kind::kMap);
      put(typed, "type", text_node(text.substr(0, equals)));
      put(typed, "value", text_node(text.substr(equals + 1)));
      args.children.push_back(std::move(typed));
    } else {
      args.children.push_back(text_node(text));
    }
  }
  ConfigNode out = node_of(ConfigNode::Kind::kMap);
  put(out, "ptx", text_node(launch.ptx));
  if (!buffers.children.empty()) put(out, "buffers", std::move(buffers));
  put(out, "kernel", text_node(launch.kernel));
  put(out, "grid", extents(launch.grid));
  put(out, "block", extents(launch.block));
  if (!launch.cluster.empty()) put(out, "cluster", extents(launch.cluster));
  put(out, "dynamic_shared", text_node(launch.dynamic_shared));
  put(out, "args", std::move(args));
  return out;
}

void add_launch_options(CLI::App& command, LaunchSource& s) {
  command.add_option("file", s.file, "Launch file (YAML), or a .ptx together with --kernel");
  command.add_option("--suite", s.suite, "Folder with cases.json and ptx/")->capture_default_str();
  command.add_option("--case", s.suite_case, "Case of the suite");
  const char* group = "Launching a .ptx without a launch file";
  command.add_option("-k,--kernel", s.direct.kernel, "Kernel to launch")->group(group);
  command.add_option("--grid", s.direct.grid, "Blocks: 256 or 16,16")->delimiter(',')->group(group);
  command.add_option("--block", s.direct.block, "Threads a block: 256 or 16,16")
      ->delimiter(',')
      ->group(group);
  command.add_option("--cluster", s.direct.cluster, "Blocks a cluster")->delimiter(',')->group(group);
  command.add_option("--dynamic-shared", s.direct.dynamic_shared, "Bytes of dynamic shared memory: 48KiB")
      ->group(group);
  command
      .add_option("--arg", s.direct.args,
                  "Next argument: 5, u32=5, f32[1024], f32[1024]=uniform, f32[1024]=uniform:7 (seed)")
      ->allow_extra_args(false)
      ->group(group);
}

sim::LaunchFile read_launch(const LaunchSource& s) {
  if (!s.suite_case.empty()) return sim::read_suite_case(s.suite, s.suite_case);
  if (s.file.empty())
    throw Error(ErrorKind::kUsage, "nothing to run", {},
                "give a launch file, a .ptx with --kernel, or --suite and --case");
  if (!s.file.ends_with(".ptx") && !s.file.ends_with(".ptx.gz")) return sim::read_launch_file(s.file);
  DirectLaunch direct = s.direct;
  direct.ptx = s.file;
  try {
    sim::LaunchFile file = sim::launch_file_of(Config::from(launch_tree(direct), "command line"), s.file);
    file.ptx = s.file;
    return file;
  } catch (const Error& e) {  // what a file gets wrong is bad input; here it is the command line
    throw Error(ErrorKind::kUsage, e.message(), e.where(), e.hint());
  }
}

}  // namespace gpuloom::cli
