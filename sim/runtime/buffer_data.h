// SPDX-License-Identifier: Apache-2.0
// Contents of a launch file's buffers and symbols: what they begin with, and what becomes of them.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "sim/report/result.h"
#include "sim/runtime/launch_file.h"

namespace gpuloom::sim {

// Data of an array file, or the bytes of another one.
std::vector<uint8_t> bytes_of_file(const std::string& path);

// From the file, the values or the generator; zeros where there are none of them. Throws Error (kInput)
// where a file's size or a value does not fit.
std::vector<uint8_t> initial_bytes(const BufferSpec& spec);

// Name, type, hash, and the values of small ones.
ReportBuffer report_buffer(const BufferSpec& spec, std::span<const uint8_t> data);

// As .npy, or raw. Throws Error (kInput).
void save_buffer(const BufferSpec& spec, const std::string& path, std::span<const uint8_t> data);

// Throws Error (kInput) where the expected data is of another size.
ReportCheck verify_buffer(const VerifySpec& check, const BufferSpec& spec, std::span<const uint8_t> data);

}  // namespace gpuloom::sim
