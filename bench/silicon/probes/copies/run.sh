#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# On a machine with an H100 or H200, CUDA 13 and Nsight Compute, behind `nvcc -arch=sm_90a -O3 -o copies copies.cu` and the same of rows.cu: the launches by name, counters, times.
mkdir -p out; export PATH=$PATH:/usr/local/cuda/bin; chmod +x copies rows
./copies list > out/list.csv
timeout 15 ./copies times > out/times.csv 2>&1
l=l1tex__t_sectors_pipe_lsu_mem_global_op
M=${l}_ld.sum,${l}_ld_lookup_hit.sum,l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum,l1tex__data_pipe_lsu_wavefronts.sum,l1tex__data_pipe_lsu_wavefronts_mem_shared.sum,l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum
M=$M,lts__t_requests_srcunit_tex.sum,lts__t_sectors_srcunit_tex.sum,lts__t_sectors_srcunit_tex_op_read.sum,lts__t_sectors_srcunit_tex_lookup_miss.sum,dram__bytes_read.sum,sm__cycles_active.max,l1tex__t_sectors.sum,smsp__inst_executed.sum
timeout 42 ncu --clock-control none --csv --page raw --print-units base --metrics $M ./copies > out/counters.csv 2> out/err.txt
./rows list > out/rows_list.csv
timeout 52 ncu --clock-control none --csv --page raw --print-units base --metrics l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum,lts__t_requests_srcunit_tex.sum,lts__t_sectors_srcunit_tex.sum ./rows > out/rows.csv 2> out/rows_err.txt
gzip -9 out/*.csv
