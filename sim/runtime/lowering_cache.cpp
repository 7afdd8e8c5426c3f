// SPDX-License-Identifier: Apache-2.0
#include "sim/runtime/lowering_cache.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <utility>
#include <vector>

#include "base/hash.h"

namespace gpuloom::sim {
namespace {

namespace fs = std::filesystem;

constexpr size_t kHashDigits = 64;
// What the folder may hold, and what is left where it holds more: the files used last.
constexpr uint64_t kMostBytes = 512ull << 20, kLeftBytes = 256ull << 20;

// The contents behind their hash; nothing where they are not what was written.
std::optional<std::string> contents_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::string all((std::istreambuf_iterator<char>(in)), {});
  if (all.size() < kHashDigits) return std::nullopt;
  const std::string hash = all.substr(0, kHashDigits);
  all.erase(0, kHashDigits);
  if (sha256_hex(all) != hash) return std::nullopt;
  return all;
}

// Returns the bytes that the folder holds then.
uint64_t make_room(const fs::path& folder) {
  struct File {
    fs::path path;
    fs::file_time_type used;
    uint64_t bytes = 0;
  };
  std::error_code problem, ignored;
  std::vector<File> files;
  uint64_t all = 0;
  for (fs::directory_iterator at(folder, problem), end; !problem && at != end; at.increment(problem)) {
    std::error_code gone;  // another process has made room
    const File file{at->path(), at->last_write_time(gone), gone ? 0 : at->file_size(gone)};
    if (gone) continue;
    all += file.bytes;
    files.push_back(file);
  }
  if (all <= kMostBytes) return all;
  std::sort(files.begin(), files.end(), [](const File& a, const File& b) { return a.used < b.used; });
  for (const File& file : files) {
    if (all <= kLeftBytes) break;
    fs::remove(file.path, ignored);
    all -= file.bytes;
  }
  return all;
}

// Under another name first: whoever reads sees the whole or nothing.
void write(const fs::path& file, const std::string& contents) {
  std::error_code problem;
  fs::create_directories(file.parent_path(), problem);
  const fs::path unfinished = file.string() + "." + std::to_string(getpid());
  std::ofstream out(unfinished, std::ios::binary);
  out << sha256_hex(contents) << contents;
  out.close();
  if (out) fs::rename(unfinished, file, problem);
  if (!out || problem) fs::remove(unfinished, problem);
}

}  // namespace

std::string default_cache_folder() {
  const char* cache = std::getenv("XDG_CACHE_HOME");
  if (cache != nullptr && fs::path(cache).is_absolute()) return fs::path(cache) / "gpuloom";
  const char* home = std::getenv("HOME");
  if (home != nullptr && fs::path(home).is_absolute()) return fs::path(home) / ".cache" / "gpuloom";
  return {};
}

LoweringCache::LoweringCache(std::string folder, std::string configuration, std::string build)
    : folder_(std::move(folder)), configuration_(std::move(configuration)), build_(std::move(build)) {}

// Looks through the folder once, and again where what was kept since has filled it.
void LoweringCache::keep(const std::string& file, const std::string& contents) const {
  write(file, contents);
  const std::lock_guard lock(room_);
  const bool fits = held_ && *held_ + kHashDigits + contents.size() <= kMostBytes;
  held_ = fits ? *held_ + kHashDigits + contents.size() : make_room(folder_);
}

std::string LoweringCache::file_for(const ptx::Program& program, const std::string& text_key,
                                    const ptx::LoweringOptions& options) const {
  if (folder_.empty() || build_.empty()) return {};
  if (!options.control.off.empty() || !options.control.watchers.empty()) return {};
  Sha256 key;
  for (const std::string& text :
       {build_, configuration_, text_key, program.name,
        std::to_string(static_cast<unsigned>(options.lowering)), std::to_string(options.max_registers)}) {
    key.add(text);
    key.add("\n");
  }
  if (!ptx::add_decoded(program, key)) return {};
  return fs::path(folder_) / key.finish_hex();
}

ptx::MachineProgram LoweringCache::lower(const ptx::Program& program, const std::string& text_key,
                                         const ptx::MachineModel& model,
                                         const ptx::LoweringOptions& options) const {
  const std::string file = file_for(program, text_key, options);
  if (!file.empty()) {
    if (const std::optional<std::string> contents = contents_of(file)) {
      if (auto machine = ptx::restore_lowering(*contents, *program.module)) {
        std::error_code ignored;
        fs::last_write_time(file, fs::file_time_type::clock::now(), ignored);
        return std::move(*machine);
      }
    }
  }
  ptx::MachineProgram machine = ptx::lower(program, model, options);
  if (file.empty()) return machine;
  if (const std::string contents = ptx::save_lowering(machine); !contents.empty()) keep(file, contents);
  return machine;
}

}  // namespace gpuloom::sim
