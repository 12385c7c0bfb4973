/* SPDX-License-Identifier: Apache-2.0 */
/* The choices of the parameters `loss` and `sample` are the engine's tables, in their order. */
#include "core/text.h"
#include "method/gb_options.h"
#include "test.h"

static const scarce__param *param(const char *name)
{
    return scarce__param_at(&scarce__gb_table, scarce__param_find(&scarce__gb_table, name));
}

static void test_losses(void)
{
    scarce__text names = SCARCE__TEXT_INIT;
    for (size_t i = 0; i < scarce__n_losses; ++i)
        scarce__text_addf(&names, "%s%s", i ? "|" : "", scarce__losses[i]->name);
    CHECK_TEXT(param("loss")->choices, names.bytes);
    scarce__text_deinit(&names);
}

static void test_samples(void)
{
    scarce__text names = SCARCE__TEXT_INIT;
    int n = 1;
    for (const char *at = param("sample")->choices; *at; ++at) n += *at == '|';
    scarce__text_add(&names, "auto");
    for (int i = 1; i < n; ++i)
        scarce__text_addf(&names, "|%s", scarce__samplers[scarce__gb_sample_kind(i)]->name);
    CHECK_TEXT(param("sample")->choices, names.bytes);
    scarce__text_deinit(&names);
}

static const test_case tests[] = {{"losses", test_losses}, {"samples", test_samples}};
TEST_MAIN(tests)
