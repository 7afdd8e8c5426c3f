#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# On a machine with an H100 or H200, CUDA 13 and Nsight Compute: the launches by name, and their counters.
set -eu
cd "$(dirname "$0")"
nvcc -arch=sm_90a -O3 -o stores stores.cu
./stores list > stores.list
l1=l1tex__t_sectors_pipe_lsu_mem_global_op
metrics=${l1}_st.sum,${l1}_st_lookup_hit.sum,${l1}_ld.sum,${l1}_ld_lookup_hit.sum,sm__cycles_active.max
metrics=$metrics,lts__t_requests_srcunit_tex.sum,lts__t_sectors_srcunit_tex.sum
metrics=$metrics,lts__t_requests_srcunit_tex_op_write.sum,lts__t_sectors_srcunit_tex_op_write.sum
ncu --clock-control none --csv --page raw --print-units base --metrics $metrics ./stores > stores.csv
# pairs and many profile the second of two like launches, with code and pages that are there; queue reads clocks.
for probe in pairs many queue; do nvcc -arch=sm_90a -O3 -o $probe $probe.cu; done
out=lts__t_requests_srcunit_tex_op_write.sum,lts__t_sectors_srcunit_tex_op_write.sum,sm__cycles_active.max
for probe in pairs many; do
  ./$probe list > $probe.list
  ncu --clock-control none --cache-control none --profile-from-start off --csv --page raw --print-units base \
    --metrics $out,lts__t_sectors_srcunit_tex.sum,sm__cycles_active.avg,gpc__cycles_elapsed.max ./$probe > $probe.csv
done
./queue > queue.csv
