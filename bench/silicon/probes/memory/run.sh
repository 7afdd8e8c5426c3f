#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs the probes beside this script; results go to $OUT. Needs memory_probe (nvcc -arch=sm_90a -O3 memory_probe.cu) and Nsight Compute.
set -u
here=$(cd "$(dirname "$0")" && pwd)
out=${OUT:-.}
ncu=$(command -v ncu || ls /usr/local/cuda*/bin/ncu /opt/nvidia/nsight-compute/*/ncu 2>/dev/null | head -1)
chmod +x "$here/memory_probe"
timeout 25 "$here/memory_probe" time > "$out/memory_time.csv" 2>&1
l2=lts__t_sectors_srcunit_tex.sum,lts__t_requests_srcunit_tex.sum,lts__t_sectors_srcunit_ltcfabric.sum,lts__t_sectors.sum
{
  [ -n "$ncu" ] || echo "no ncu"
  echo "## share"
  timeout 45 "$ncu" --clock-control none --csv --kernel-name share --metrics $l2 "$here/memory_probe" share
  echo "## code"
  timeout 30 "$ncu" --clock-control none --csv --metrics $l2,lts__t_sectors_srcunit_gcc.sum,dram__bytes_read.sum,dram__bytes_write.sum,sm__cycles_elapsed.max,lts__t_sectors_op_read.sum "$here/memory_probe" code
} > "$out/memory_ncu.txt" 2>&1
gzip -f "$out/memory_ncu.txt"
