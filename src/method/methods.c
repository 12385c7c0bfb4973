/* SPDX-License-Identifier: Apache-2.0 */
/* The table of methods: the only place that knows them all. */
#include <string.h>

#include "core/fail.h"
#include "method/method.h"

/* A method of its own name: other defaults of the same parameters. */
static const scarce__preset as_focal[] = {{"loss", "focal"}, {NULL, NULL}};
static const scarce__preset as_ap_lb[] = {
    {"loss", "ap-lb"}, {"min_child_weight", "1"}, {"n_trees", "500"}, {NULL, NULL}};
static const scarce__preset as_sgbap[] = {
    {"loss", "sgbap"},        {"min_child_weight", "1"}, {"n_trees", "500"}, {"subsample", "0.5"},
    {"sample", "stratified"}, {"min_child_rows", "10"},  {NULL, NULL}};
static const scarce__preset as_sgbap_sig[] = {
    {"loss", "sgbap-sig"},    {"min_child_weight", "1"}, {"n_trees", "500"}, {"subsample", "0.5"},
    {"sample", "stratified"}, {"min_child_rows", "10"},  {NULL, NULL}};
static const scarce__preset as_lambdamart_ap[] = {
    {"loss", "lambdamart-ap"}, {"min_child_weight", "1"}, {"n_trees", "300"}, {NULL, NULL}};
static const scarce__preset as_rankboost[] = {
    {"loss", "rankboost"}, {"min_child_weight", "1"}, {"n_trees", "500"}, {NULL, NULL}};

static const scarce__method methods[] = {
    {"gb", "boosting",
     "Gradient-boosted trees with logistic loss, safe at rare positives: leaf values are capped, so that "
     "from a low prior no leaf jumps by tens of logits. The first choice for tables. Gives probabilities.",
     "Friedman: Greedy function approximation, Annals of Statistics 29 (2001); Chen and Guestrin: "
     "XGBoost, KDD 2016",
     &scarce__gb_params, NULL, scarce__train_gb},
    {"focal", "boosting",
     "Boosted trees with focal loss: rows that are already right count less. Not ahead of gb in our "
     "measurements. Ranks only: for probabilities add --calibrate with validation rows.",
     "Lin, Goyal, Girshick, He and Dollar: Focal loss for dense object detection, ICCV 2017",
     &scarce__gb_params, as_focal, scarce__train_gb},
    {"ap-lb", "ranking",
     "Boosted trees that raise a lower bound of average precision, in linear time. Worth a try beside gb "
     "where positives are very rare; choose by validation AP. Slow steps: 500 trees, with early "
     "stopping. Ranks only.",
     "scarce's own; on the problem of Frery et al.: Efficient top rank optimization, ECML PKDD 2017",
     &scarce__gb_params, as_ap_lb, scarce__train_gb},
    {"sgbap", "ranking",
     "Stochastic gradient boosting of AP_exp, the precision of one draw from a softmax over the list. Its "
     "gradient soon rests on a few leading positives: helps on some small noisy sets, loses elsewhere (gb is "
     "the first choice). Ranks only.",
     "Frery, Habrard, Sebban, Caelen and He-Guelton: Efficient top rank optimization with gradient boosting "
     "for supervised anomaly detection, ECML PKDD 2017",
     &scarce__gb_params, as_sgbap, scarce__train_gb},
    {"sgbap-sig", "ranking",
     "Stochastic gradient boosting of AP_sig, average precision with sigmoids for its steps; by a histogram "
     "of scores in linear time (exact=true: by all pairs). Ranks only.",
     "Frery, Habrard, Sebban, Caelen and He-Guelton: Efficient top rank optimization with gradient boosting "
     "for supervised anomaly detection, ECML PKDD 2017",
     &scarce__gb_params, as_sgbap_sig, scarce__train_gb},
    {"lambdamart-ap", "ranking",
     "LambdaMART on one list of all rows: each pair of a positive and a negative pulls by what swapping them "
     "would change of average precision. Ranks only.",
     "Burges: From RankNet to LambdaRank to LambdaMART, MSR-TR-2010-82; Donmez, Svore and Burges: On the "
     "local optimality of LambdaRank, SIGIR 2009",
     &scarce__gb_params, as_lambdamart_ap, scarce__train_gb},
    {"rankboost", "ranking",
     "Boosted trees with RankBoost's loss over all pairs of a positive and a negative, in linear time: "
     "optimises the whole ranking (AUC) rather than its top. Ranks only.",
     "Freund, Iyer, Schapire and Singer: An efficient boosting algorithm for combining "
     "preferences, JMLR 4 (2003)",
     &scarce__gb_params, as_rankboost, scarce__train_gb},
    {"logistic", "linear",
     "Logistic regression with class costs: the honest baseline. Numbers are standardised, categories "
     "one-hot, missing values have a weight of their own. Gives probabilities.",
     "Lin, Weng and Keerthi: Trust region Newton method for large-scale logistic regression, JMLR 9 (2008)",
     &scarce__logistic_params, NULL, scarce__train_logistic},
    {"linear-svm", "linear",
     "Linear support vector machine (squared hinge) with class costs. Ranks only: for probabilities add "
     "--calibrate platt with validation rows.",
     "Fan, Chang, Hsieh, Wang and Lin: LIBLINEAR, JMLR 9 (2008)", &scarce__svm_params, NULL,
     scarce__train_svm},
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
    scarce_param_info info = scarce__param_info(&methods[method].params->params[param]);
    for (const scarce__preset *p = methods[method].presets; p && p->name; ++p)
        if (strcmp(p->name, info.name) == 0) info.def = p->value;
    return info;
}
