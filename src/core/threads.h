/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of scarce_default_threads, for its tests. */
#ifndef SCARCE_CORE_THREADS_H
#define SCARCE_CORE_THREADS_H

/* Whole cores that a control group's quota leaves, read from the files under `root` ("/sys/fs/cgroup"):
 * version 2's cpu.max, or version 1's cpu.cfs_quota_us and cpu.cfs_period_us; rounded up, at least 1. 0: no
 * limit, or nothing that can be read. */
int scarce__quota_cores(const char *root);

#endif
