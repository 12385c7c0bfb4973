/* SPDX-License-Identifier: Apache-2.0 */
/* The table of losses: the only place that knows them all. A new one is a file with one
 * `const scarce__loss_kind scarce__loss_kind_<name>`, and a line here. */
#include <string.h>

#include "boost/loss.h"
#include "core/fail.h"
#include "core/text.h"

/* clang-format off */
#define LOSSES(line) \
    line(logistic)    \
    line(exponential) \
    line(squared)     \
    line(focal)       \
    line(ap_lb)       \
    line(sgbap)       \
    line(sgbap_sig)   \
    line(lambdamart)  \
    line(rankboost)   \
    line(adaboost)    \
    line(adac1)       \
    line(adac2)       \
    line(adac3)       \
    line(adacost)     \
    line(logitboost)
/* clang-format on */

#define DECLARE(name) extern const scarce__loss_kind scarce__loss_kind_##name;
#define ENTRY(name) &scarce__loss_kind_##name,
LOSSES(DECLARE)

const scarce__loss_kind *const scarce__losses[] = {LOSSES(ENTRY)};
const size_t scarce__n_losses = sizeof scarce__losses / sizeof scarce__losses[0];

const scarce__loss_kind *scarce__loss_find(const char *name)
{
    for (size_t i = 0; i < scarce__n_losses; ++i)
        if (strcmp(scarce__losses[i]->name, name) == 0) return scarce__losses[i];
    return NULL;
}

scarce_status scarce__loss_make(scarce__loss *out, const char *name, const scarce__loss_params *params,
                                scarce_error *err)
{
    const scarce__loss_kind *kind = scarce__loss_find(name);
    scarce__text names = SCARCE__TEXT_INIT;

    if (kind) {
        *out = kind->make(params);
        return SCARCE_OK;
    }
    memset(out, 0, sizeof *out);
    for (size_t i = 0; i < scarce__n_losses; ++i)
        scarce__text_addf(&names, "%s%s", i ? ", " : "", scarce__losses[i]->name);
    const scarce_status st = scarce__fail(err, SCARCE_EINVAL, "no loss \"%.60s\" (there are %s)", name,
                                          names.failed ? "others" : names.bytes);
    scarce__text_deinit(&names);
    return st;
}

/* ---- By hand */

scarce__loss scarce__loss_logistic(double gamma)
{
    const scarce__loss_params p = {.gamma = gamma};
    return scarce__loss_kind_logistic.make(&p);
}

scarce__loss scarce__loss_exponential(void)
{
    const scarce__loss_params p = SCARCE__LOSS_PARAMS_INIT;
    return scarce__loss_kind_exponential.make(&p);
}

scarce__loss scarce__loss_squared(void)
{
    const scarce__loss_params p = SCARCE__LOSS_PARAMS_INIT;
    return scarce__loss_kind_squared.make(&p);
}

scarce__loss scarce__loss_focal(double focus)
{
    const scarce__loss_params p = {.focus = focus};
    return scarce__loss_kind_focal.make(&p);
}

scarce__loss scarce__loss_ap_lb(double scale)
{
    const scarce__loss_params p = {.scale = scale};
    return scarce__loss_kind_ap_lb.make(&p);
}

scarce__loss scarce__loss_sgbap(double scale, double beta, int leaf_mean)
{
    const scarce__loss_params p = {.scale = scale, .beta = beta, .leaf_mean = leaf_mean != 0};
    return scarce__loss_kind_sgbap.make(&p);
}

scarce__loss scarce__loss_sgbap_sig(double scale, int exactly)
{
    const scarce__loss_params p = {.scale = scale, .exact = exactly != 0};
    return scarce__loss_kind_sgbap_sig.make(&p);
}

scarce__loss scarce__loss_lambdamart(int exactly)
{
    const scarce__loss_params p = {.exact = exactly != 0};
    return scarce__loss_kind_lambdamart.make(&p);
}

scarce__loss scarce__loss_rankboost(int classic)
{
    const scarce__loss_params p = {.classic = classic != 0};
    return scarce__loss_kind_rankboost.make(&p);
}
