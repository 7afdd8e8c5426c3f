// SPDX-License-Identifier: Apache-2.0
#include "sim/host/status.h"

namespace gpuloom::host {
namespace {

struct Row {
  int value;
  const char *name, *text;
};

constexpr Row kRows[] = {
#define GPULOOM_STATUS(name, value, text) {value, (value) == 0 ? "cudaSuccess" : "cudaError" #name, text},
#include "sim/host/status.inc"
#undef GPULOOM_STATUS
};

const Row* row_of(int status) {
  for (const Row& row : kRows)
    if (row.value == status) return &row;
  return nullptr;
}

}  // namespace

const char* status_name(int status) {
  const Row* row = row_of(status);
  return row != nullptr ? row->name : "unrecognized error code";
}

const char* status_text(int status) {
  const Row* row = row_of(status);
  return row != nullptr ? row->text : "unrecognized error code";
}

Status status_named(std::string_view name, Status otherwise) {
  for (const Row& row : kRows)
    if (name == row.name) return static_cast<Status>(row.value);
  return otherwise;
}

}  // namespace gpuloom::host
