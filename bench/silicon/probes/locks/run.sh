#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Prints what the probe answers; a form that never gets on is stopped after ten seconds, and its line says so. usage: run.sh [COMMAND...], which runs the program (gpuloom exec).
cd "$(dirname "$0")" || exit 1
[ -x locks ] || nvcc -std=c++17 -arch=sm_90a -O3 -cudart shared -o locks locks.cu || exit 1
for space in global shared; do
  for form in loop done fenced tested sleeps ordered; do
    for count in "" count; do
      timeout 10 "$@" ./locks $form $space $count || echo "stopped,$form,$space,$count"
    done
  done
  for form in await-writer await-reader behind outside; do
    timeout 10 "$@" ./locks $form $space || echo "stopped,$form,$space"
  done
done
timeout 10 "$@" ./locks halves || echo "stopped,halves"
