// SPDX-License-Identifier: Apache-2.0
// Buffers and tensor maps of a launch file: what one entry says. Problems go to the view's configuration.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "sim/runtime/launch_file.h"

namespace gpuloom::sim {

// A path of a launch file as it is to be opened: relative ones start at the file's folder, which is empty or
// ends with a slash.
std::string launch_path(const std::string& path, const std::string& folder);

// A whole number, or a size with unit (`48KiB`), at `key` of `view`; in bytes.
uint64_t amount(const ConfigView& view, std::string_view key, uint64_t most = uint64_t{1} << 50);

// Names that a launch file takes for an element type.
std::vector<std::string> element_type_names_and_aliases();

// Whether type and count must be said, or are taken from elsewhere where they are not.
enum class Sizes : uint8_t { kSaid, kMayBeOpen };

// One entry of `buffers`, or an argument that defines its buffer. An array file gives the type and shape that
// the entry leaves open, and `values` their number; `folder` as for launch_path.
BufferSpec read_buffer(const std::string& name, const ConfigView& view, const std::string& folder,
                       Sizes sizes = Sizes::kSaid);

// The parameters of cuTensorMapEncodeTiled or, with `channels`, of cuTensorMapEncodeIm2col. Type and
// extents are the buffer's (its last extent is the innermost dimension) where the map does not say them.
TensorMapSpec read_tensor_map(const ConfigView& view, const BufferSpec& buffer);

}  // namespace gpuloom::sim
