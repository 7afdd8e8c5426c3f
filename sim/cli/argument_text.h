// SPDX-License-Identifier: Apache-2.0
// Kernel arguments, symbols and extents as the command line writes them, turned into what a launch file
// that says the same holds.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "base/config/config_node.h"

namespace gpuloom::cli {

ConfigNode node_of(ConfigNode::Kind kind);
ConfigNode text_node(const std::string& text);
void put(ConfigNode& map, const std::string& key, ConfigNode value);
void put_instead(ConfigNode& map, const std::string& key, ConfigNode value);  // of what has the key

// "16", "16,8", "16x8x2". Throws Error (kUsage), which names `option`.
std::vector<uint32_t> extents_of(const std::string& text, const char* option);

// "4096" or "4KiB", in bytes. Throws Error (kUsage).
uint64_t size_option(const char* option, const std::string& text, uint64_t most = uint64_t{1} << 50);

// The value of one --arg. Buffers that it defines are added to `buffers`, named as given or argN:
//   5  2.5  u32=5  "unsigned int=5"       numbers
//   f32[1024]  c=f32[32,32]=uniform:7     buffers: name, type, extents, generator and seed
//   f32[3]=1,2,3  @a.npy  w=@m.safetensors:layer.w   their contents
//   {f32=1.5,s32=7,f32[64]}  bytes=00ff   structures by value
//   c                                     a buffer that has been defined
// Throws Error (kUsage) for what is none of them.
ConfigNode argument_node(const std::string& text, ConfigNode& buffers);

// The value of one --symbol, "coef=f32=1,2,3", "coef=f32[16]=uniform", "coef=@c.npy", "scale=2.5", put into
// `symbols` under its name.
void symbol_node(const std::string& text, ConfigNode& symbols);

}  // namespace gpuloom::cli
