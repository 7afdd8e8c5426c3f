// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/kernels/emit.h"

#include <fmt/core.h>

#include <fstream>

#include "base/error.h"
#include "tests/fuzz/kernels/compare.h"
#include "tests/fuzz/kernels/generate.h"

namespace gpuloom::fuzz {
namespace {

void write(const std::string& path, const std::vector<uint8_t>& bytes) {
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}

std::string index_line(const RandomKernel& k, const std::string& batch, uint64_t wanted) {
  std::string arguments;
  for (const uint8_t byte : k.arguments) arguments += fmt::format("{:02x}", byte);
  return fmt::format("{} {} {} {} {} {} {} {} {:016x}\n", k.seed, batch, k.grid.x, k.block.x, k.block.y,
                     k.dynamic_shared, k.input_offset, arguments, wanted);
}

}  // namespace

uint64_t emit(const std::string& folder, uint64_t seed, uint64_t count, uint64_t size, Forms& forms,
              Checker& checker) {
  const Way way = ways(0, false)[0];
  std::ofstream index(folder + "/kernels.txt");
  uint64_t written = 0;
  std::ofstream module;
  std::string batch;
  for (uint64_t s = seed; s < seed + count; ++s) {
    const RandomKernel kernel = generate(s, forms);
    std::vector<uint8_t> wanted;
    try {
      wanted = checker.run(kernel, way);
    } catch (const Error& error) {
      fmt::print("seed {}: {}\n", s, error.what());
      continue;
    }
    if (written % size == 0) {
      batch = fmt::format("batch_{:04}", written / size);
      module = std::ofstream(folder + "/" + batch + ".ptx");
      module << module_head();
    }
    module << "// kernel " << kernel.name << "\n" << render(kernel);
    index << index_line(kernel, batch, hash_of(wanted));
    ++written;
  }
  write(folder + "/input.bin", input_bytes());
  write(folder + "/output.bin", output_bytes());
  return written;
}

}  // namespace gpuloom::fuzz
