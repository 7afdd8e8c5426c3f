// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/kernels/compare.h"

#include <fmt/core.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "base/error.h"
#include "sim/memory/files.h"

namespace gpuloom::fuzz {
namespace {

const std::string kLaunch = "// launch ", kResult = "// result ", kKernel = "// kernel ";

// The kernels of a batch by name, each with the module's head.
std::map<std::string, std::string> texts_of(const std::string& batch) {
  std::map<std::string, std::string> texts;
  const std::string text = sim::read_file(batch);
  size_t at = text.find(kKernel);
  const std::string head = text.substr(0, at);
  while (at != std::string::npos) {
    const size_t next = text.find(kKernel, at + 1);
    const std::string piece = text.substr(at, next - at);
    texts[piece.substr(kKernel.size(), piece.find('\n') - kKernel.size())] = head + piece;
    at = next;
  }
  return texts;
}

// The last line that stores to the byte of a thread's own, if it names one.
std::string store_of(const std::string& text, size_t byte) {
  std::istringstream in(text);
  std::string found;
  for (std::string line; std::getline(in, line);) {
    const size_t at = line.find("[%pt2+");
    if (line.find("st.") == std::string::npos || at == std::string::npos) continue;
    const size_t first = static_cast<size_t>(std::atoi(line.c_str() + at + 6));
    if (byte >= first && byte < first + 16) found = line.substr(line.find_first_not_of(' '));
  }
  return found;
}

std::string words_of(const std::string& text, const std::vector<uint8_t>& ours,
                     const std::vector<uint8_t>& theirs, uint64_t most) {
  std::string out;
  for (size_t at = 0; at + 4 <= ours.size() && most != 0; at += 4) {
    if (std::memcmp(&ours[at], &theirs[at], 4) == 0) continue;
    --most;
    uint32_t a = 0, b = 0;
    std::memcpy(&a, &ours[at], 4);
    std::memcpy(&b, &theirs[at], 4);
    const bool own = at < kMaxThreads * kSlotBytes;
    out += own ? fmt::format("  thread {} byte {}: {:08x}, the GPU {:08x}  {}\n", at / kSlotBytes,
                             at % kSlotBytes, a, b, store_of(text, at % kSlotBytes))
               : fmt::format("  shared word {}: {:08x}, the GPU {:08x}\n",
                             (at - kMaxThreads * kSlotBytes) / 4, a, b);
  }
  return out;
}

// kernels.txt: seed, batch, grid, block (two), dynamic shared memory, offset of the input, parameters, hash.
std::string launch_of(const std::string& line, std::string& seed, std::string& batch) {
  std::istringstream in(line);
  std::string grid, x, y, shared, offset, arguments;
  in >> seed >> batch >> grid >> x >> y >> shared >> offset >> arguments;
  return fmt::format("{}k{} grid {} block {} {} shared {} input {} arguments {}\n", kLaunch, seed, grid, x, y,
                     shared, offset, arguments);
}

}  // namespace

uint64_t hash_of(const std::vector<uint8_t>& bytes) {
  uint64_t h = 0xcbf29ce484222325ull;
  for (size_t at = 0; at + 8 <= bytes.size(); at += 8) {
    uint64_t word = 0;
    for (unsigned k = 0; k < 8; ++k) word |= uint64_t{bytes[at + k]} << (8 * k);
    h = (h ^ word) * 0x100000001b3ull;
  }
  return h;
}

std::vector<Measured> measured_kernels(const std::string& path) {
  const std::string text = sim::read_file(path);
  std::vector<Measured> out;
  for (size_t at = text.find(kLaunch); at != std::string::npos;) {
    const size_t next = text.find(kLaunch, at + 1);
    const std::string one = text.substr(at, next - at);
    const size_t result = one.find(kResult);
    if (result == std::string::npos)
      throw Error(ErrorKind::kInput, path + ": a kernel without a line " + kResult + "HASH");
    Measured m;
    m.kernel = read_kernel(one);
    m.hash = std::strtoull(one.c_str() + result + kResult.size(), nullptr, 16);
    out.push_back(std::move(m));
    at = next;
  }
  return out;
}

uint64_t compare(const std::string& folder, uint64_t most, Checker& checker) {
  const Way way = ways(0, false)[0];
  std::map<std::string, std::map<std::string, std::string>> batches;
  std::ifstream index(folder + "/kernels.txt");
  uint64_t different = 0;
  for (std::string line; std::getline(index, line);) {
    std::string seed, batch;
    const std::string launch = launch_of(line, seed, batch), path = folder + "/bad/" + seed + ".bin";
    if (!std::filesystem::exists(path)) continue;
    if (batches.count(batch) == 0) batches[batch] = texts_of(folder + "/" + batch + ".ptx");
    const std::string& text = batches[batch]["k" + seed];
    std::string words;
    try {
      const std::vector<uint8_t> ours = checker.run(read_kernel(launch + text), way);
      const std::string bytes = sim::read_file(path);
      words = words_of(text, ours, {bytes.begin(), bytes.end()}, most);
    } catch (const Error& error) {
      words = std::string("  ") + error.what() + "\n";
    }
    if (words.empty()) continue;
    ++different;
    fmt::print("seed {}\n{}", seed, words);
  }
  return different;
}

}  // namespace gpuloom::fuzz
