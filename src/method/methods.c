/* SPDX-License-Identifier: Apache-2.0 */
/* The table of methods: the only place that knows them all. */
#include <string.h>

#include "core/fail.h"
#include "method/method.h"

static const scarce__method methods[] = {
    {"gb", "boosting",
     "Gradient-boosted trees with logistic loss, safe at rare positives: leaf values are capped, so that from a low prior "
     "no leaf jumps by tens of logits. The first choice for tables. Gives probabilities.",
     "Friedman: Greedy function approximation, Annals of Statistics 29 (2001); Chen and Guestrin: XGBoost, KDD 2016",
     &scarce__gb_params, NULL, scarce__train_gb},
    {"logistic", "linear",
     "Logistic regression with class costs: the honest baseline. Numbers are standardised, categories one-hot, "
     "missing values have a weight of their own. Gives probabilities.",
     "Lin, Weng and Keerthi: Trust region Newton method for large-scale logistic regression, JMLR 9 (2008)",
     &scarce__logistic_params, NULL, scarce__train_logistic},
    {"linear-svm", "linear",
     "Linear support vector machine (squared hinge) with class costs. Ranks only: for probabilities add "
     "--calibrate platt with validation rows.",
     "Fan, Chang, Hsieh, Wang and Lin: LIBLINEAR, JMLR 9 (2008)", &scarce__svm_params, NULL, scarce__train_svm},
};

const scarce__method *scarce__method_at(size_t i)
{
    return i < sizeof methods / sizeof methods[0] ? &methods[i] : NULL;
}

size_t scarce_method_count(void)
{
    return sizeof methods / sizeof methods[0];
}

size_t scarce_method_find(const char *name)
{
    for (size_t i = 0; i < scarce_method_count(); ++i)
        if (strcmp(methods[i].name, name) == 0) return i;
    return SIZE_MAX;
}

scarce_method_info scarce_method_get(size_t method)
{
    const scarce__method *m = &methods[method];
    scarce_method_info info = {m->name, m->family, m->summary, m->paper, m->params->count};
    return info;
}

scarce_param_info scarce_method_param(size_t method, size_t param)
{
    return scarce__param_info(&methods[method].params->params[param]);
}
