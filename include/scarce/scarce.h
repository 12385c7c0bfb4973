/* SPDX-License-Identifier: Apache-2.0 */
/* scarce: finds the few positives in a sea of negatives.
 *
 * The shortest complete use (examples/train_and_score.c is the same with its error handling):
 *
 *     #include <scarce/scarce.h>
 *
 *     scarce_read_options ro = SCARCE_READ_OPTIONS_INIT;
 *     const char *path = "pay.csv";
 *     scarce_context_new(&ctx, NULL, &err);
 *     scarce_table_read(&table, &path, 1, &ro, ctx, &err);
 *     scarce_params_new(&params, "gb", &err);
 *     scarce_train(&model, table, params, NULL, NULL, ctx, &err);
 *     scarce_model_save(model, "fraud.scarce", &err);
 *
 * Read in this order: base.h (status, errors, context), table.h (data), method.h and model.h
 * (training, scoring), explain.h (reasons for scores), metrics.h (judging any tool's scores), decide.h
 * (probabilities, thresholds), study.h (comparing, tuning), doctor.h (what is wrong with data),
 * report.h (pages with charts), pages.h (what is on them), loss.h (a loss of your own), resample.h, simulate.h, frame.h
 * (Arrow, sparse matrices), scale.h (rows that do not fit in memory).
 *
 * What will stay. Until 1.0 a minor release may change any of it, and CHANGELOG.md says what; a patch release
 * changes nothing a program could notice but mistakes. Meant to stay as they are, and changed only with good
 * reason: base.h, table.h, model.h, method.h, metrics.h, decide.h, output.h. Still experimental: study.h,
 * doctor.h, report.h, pages.h, loss.h, resample.h, simulate.h, explain.h, features.h, frame.h, rule.h, scale.h, value.h. A program
 * goes on working with a later
 * library of the same major (before 1.0: minor) version: structs grow at their end, which struct_size tells
 * the library, and constants keep their values. Model files are read by every later release. */
#ifndef SCARCE_SCARCE_H
#define SCARCE_SCARCE_H

#include <scarce/base.h>
#include <scarce/decide.h>
#include <scarce/distil.h>
#include <scarce/doctor.h>
#include <scarce/explain.h>
#include <scarce/features.h>
#include <scarce/frame.h>
#include <scarce/learn.h>
#include <scarce/loss.h>
#include <scarce/method.h>
#include <scarce/metrics.h>
#include <scarce/model.h>
#include <scarce/output.h>
#include <scarce/pages.h>
#include <scarce/report.h>
#include <scarce/resample.h>
#include <scarce/rule.h>
#include <scarce/scale.h>
#include <scarce/simulate.h>
#include <scarce/study.h>
#include <scarce/table.h>
#include <scarce/value.h>

#endif
