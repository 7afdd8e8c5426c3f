#!/usr/bin/env bash
# Each question in a process of its own: an error ends the context.
for op in 0 1 2 3 4 5 6 7 8 9 10; do ./probe exited $op; done
./probe wg
for op in 0 10 1 11 2 12 22 32 3 13 4 14 24 5 6 7; do ./probe zfill $op; done
