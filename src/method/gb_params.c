/* SPDX-License-Identifier: Apache-2.0 */
/* What can be said about boosted trees, one line each. docs/research/defaults.md has the studies behind the defaults. */
#include "method/gb_params.h"

#define AT(f) offsetof(scarce__gb_tree_params, f)
const scarce__param scarce__gb_tree_list[SCARCE__N_GB_TREE_PARAMS] = {
    {"n_trees", "n_estimators,num_boost_round,num_iterations,num_trees,num_round", SCARCE__INT, AT(n_trees),
     "auto", 1, 1e6, NULL,
     "trees, at most (early stopping may keep fewer). auto: with the logistic loss, 10 rows of each class "
     "and "
     "neither early stopping nor importance sampling, rows held out choose the number, from 100 to 2000 (on "
     "small "
     "data with less than a tenth positives, from 300); on small data they may also choose 63 leaves, the "
     "best "
     "thresholds, or more ways to split categories; on larger data they choose between trees of 15 leaves on "
     "half of "
     "the features per node with rate 0.03 (from 300 on) and the usual ones. Else 100. Small data is fewer "
     "than "
     "10,000 rows with splits and learning_rate left at auto: 300 trees of 15 leaves with random splits, "
     "rate 0.05 and "
     "half of the features per node",
     .search = "int:20:1000"},
    {"learning_rate", "eta,shrinkage_rate", SCARCE__REAL, AT(learning_rate), "auto", 1e-6, 1, NULL,
     "what each tree counts. auto: 0.1, on small data 0.05, on larger ones 0.03 where trees are counted (see "
     "n_trees)",
     .search = "log:0.01:0.3"},
    {"max_leaves", "num_leaves,max_leaf_nodes", SCARCE__INT, AT(max_leaves), "auto", 0, 65536, NULL,
     "leaves of a tree (0: no limit, then max_depth must be given). auto: 31, or 15, or on small data 63 "
     "(see "
     "n_trees)",
     .search = "int:4:128"},
    {"max_depth", "", SCARCE__INT, AT(max_depth), "0", 0, 64, NULL,
     "depth of a tree (0: no limit; 1: stumps)", NULL, NULL},
    {"growth", "grow_policy", SCARCE__CHOICE, AT(growth), "best", 0, 0, "best|level",
     "split the leaf with the highest gain next, or level by level", NULL, NULL},
    {"max_bins", "max_bin", SCARCE__INT, AT(max_bins), "255", 2, 255, NULL,
     "bins of a numeric feature, beside one for missing", NULL, NULL},
    {"min_child_weight", "min_sum_hessian_in_leaf,min_sum_hessian", SCARCE__REAL, AT(min_child_weight), "0.1",
     0, 1e12, NULL, "least sum of hessians in a leaf", .search = "log:0.01:20"},
    {"min_child_rows", "min_data_in_leaf,min_child_samples,min_samples_leaf", SCARCE__INT, AT(min_child_rows),
     "1", 1, 1e9, NULL, "least rows in a leaf", NULL, NULL},
    {"min_child_positives", "", SCARCE__INT, AT(min_child_positives), "0", 0, 1e9, NULL,
     "least positives in a leaf", NULL, NULL},
    {"lambda", "reg_lambda,lambda_l2,l2_regularization", SCARCE__REAL, AT(lambda), "1", 0, 1e12, NULL,
     "L2 penalty on leaf values", .search = "log:0.01:100"},
    {"alpha", "reg_alpha,lambda_l1", SCARCE__REAL, AT(alpha), "0", 0, 1e12, NULL, "L1 penalty on leaf values",
     NULL, NULL},
    {"gamma", "min_split_loss,min_gain_to_split", SCARCE__REAL, AT(gamma), "0", 0, 1e12, NULL,
     "least gain of a split", NULL, NULL},
    {"max_delta_step", "max_leaf_output", SCARCE__REAL, AT(max_delta_step), "2", 0, 1e12, NULL,
     "largest leaf value before the learning rate (0: no limit). At rare positives the most important of "
     "all: see docs/research/defaults.md",
     .search = "real:1:4"},
    {"colsample", "colsample_bytree,feature_fraction", SCARCE__REAL, AT(colsample), "1", 1e-6, 1, NULL,
     "share of the features each tree sees", .search = "real:0.3:1"},
    {"colsample_node", "colsample_bynode,feature_fraction_bynode", SCARCE__REAL, AT(colsample_node), "auto",
     1e-6, 1, NULL, "share of those each node sees. auto: 1, or 0.5 (see n_trees)", NULL, NULL},
    {"pos_weight", "scale_pos_weight", SCARCE__REAL, AT(pos_weight), "1", 1e-9, 1e9, NULL,
     "a positive counts as this many rows; probabilities are corrected for it", NULL, NULL},
    {"miss_cost", "cost_fn", SCARCE__REAL, AT(miss_cost), "1", 1e-9, 1e9, NULL,
     "what a missed positive costs: its weight; probabilities are corrected for it where there are any", NULL,
     NULL},
    {"alarm_cost", "cost_fp", SCARCE__REAL, AT(alarm_cost), "1", 1e-9, 1e9, NULL,
     "what a false alarm costs: the weight of a negative; probabilities likewise", .search = "real:0.3:1"},
    {"splits", "", SCARCE__CHOICE, AT(splits), "auto", 0, 0, "auto|best|random",
     "the best threshold of each feature, or one drawn at random (for small data, with many trees). auto: "
     "best; on small data random, or best where held-out rows want that (see n_trees)",
     .search = "best|random"},
    {"min_category_rows", "min_data_per_group", SCARCE__INT, AT(min_category_rows), "1", 1, 1e9, NULL,
     "rarer categories are pooled with unknown ones", NULL, NULL},
    {"categories", "", SCARCE__CHOICE, AT(categories), "auto", 0, 0, "auto|sets|numbers|pairs",
     "columns of more than 30 categories: as sets, or as numbers (the share of positives among other rows "
     "with the "
     "same value, their count, and the order of texts that are numbers), or also as numbers of pairs of "
     "columns. "
     "auto: numbers where one column has more than 508 and each class 200 rows, and the best pairs where "
     "held-out "
     "rows want them; else sets",
     NULL, NULL},
    {"label_delay", "", SCARCE__REAL, AT(label_delay), "0", 0, 1e18, NULL,
     "where rows have times: how long their labels take to come, in units of the time column (seconds where "
     "it "
     "holds dates). A share of positives then counts rows at least so much older: 604800 for a week",
     NULL, NULL},
    {"category_splits", "", SCARCE__CHOICE, AT(category_splits), "auto", 0, 0, "auto|sorted|all",
     "how categories are split: sorted by their gradients, the best or a random place in that order; or also "
     "one "
     "against the rest, and at a place in the order of their texts (numbers, ranges, months, low to high, "
     "else the "
     "alphabet). auto: sorted; on small data both where held-out rows want that (see n_trees)",
     NULL, NULL},
    {"monotone", "monotone_constraints", SCARCE__TEXT, AT(monotone), "", 0, 0, NULL,
     "the score may only rise (1) or fall (-1) with a feature: amount:1,age:-1", NULL, NULL},
    {"interactions", "interaction_constraints", SCARCE__TEXT, AT(interactions), "", 0, 0, NULL,
     "features that may meet in one tree path, in groups: amount+hour,country+channel", NULL, NULL},
    {"histogram", "", SCARCE__CHOICE, AT(histogram), "integer", 0, 0, "integer|double",
     "sums of gradients as scaled integers (exact, fast) or doubles", NULL, NULL},
    {"positive_bins", "", SCARCE__REAL, AT(positive_bins), "0.3", 0, 0.9, NULL,
     "from 10,000 rows on this share of the cuts of a numeric feature are quantiles of the positives, when "
     "they are rarer (0: none)",
     NULL, NULL},
    {"rounding", "", SCARCE__REAL, AT(rounding), "0.03125", 0, 0.5, NULL,
     "from 65,536 rows on gradients are rounded at random when a split is sought, which adds this share to "
     "their variance; rows that round to 0 cost nothing (leaf values are exact; 0: no rounding)",
     NULL, NULL},
    {"eval_every", "metric_freq", SCARCE__INT, AT(eval_every), "auto", 1, 1e6, NULL,
     "trees from one look at the validation rows to the next. auto: 1; with importance sampling 5, or as "
     "many "
     "as `refresh` says",
     NULL, NULL},
};
#undef AT

#define AT(f) offsetof(scarce__gb_loss_params, f)
const scarce__param scarce__gb_loss_list[SCARCE__N_GB_LOSS_PARAMS] = {
    {"loss", "objective", SCARCE__CHOICE, AT(loss), "logistic", 0, 0, SCARCE__GB_LOSSES,
     "what is minimised; ap-lb to rankboost look at the whole list and rank only (no probabilities); with "
     "adaboost to adacost trees vote",
     NULL, NULL},
    {"loss_gamma", "", SCARCE__REAL, AT(loss_gamma), "1", 0.01, 100, NULL,
     "the score is 1/loss_gamma of the log-odds", .when = "loss=logistic"},
    {"list_alpha", "list_scale", SCARCE__REAL, AT(list_alpha), "auto", 1e-3, 100, NULL,
     "factor on the scores inside the loss. auto: 1, with sgbap-sig 3", "1|2|3",
     .when = "loss=ap-lb|sgbap|sgbap-sig"},
    {"beta", "", SCARCE__REAL, AT(beta), "1", 0, 1, NULL,
     "1 is the paper, 0 the cross-entropy of a softmax over the list", "real:0:1", .when = "loss=sgbap"},
    {"leaf", "", SCARCE__CHOICE, AT(leaf), "newton", 0, 0, "newton|mean",
     "leaf values by Newton's step (bounded by 1), or the mean of the gradients as in the paper",
     .when = "loss=sgbap"},
    {"exact", "", SCARCE__BOOL, AT(exact), "false", 0, 0, NULL,
     "all pairs of a positive and another row, however many", .when = "loss=sgbap-sig|lambdamart-ap"},
    {"classic", "", SCARCE__BOOL, AT(classic), "false", 0, 0, NULL,
     "the algorithm as published. rankboost: stumps, each with its own step 1/2 log((1+r)/(1-r)). adac1 to "
     "adac3: trees are grown on weights without the costs. adacost: steps from its bound. The last four then "
     "end at the first tree whose votes cost more than they save",
     .when = "loss=rankboost|adac1|adac2|adac3|adacost"},
    {"focal_gamma", "", SCARCE__REAL, AT(focal_gamma), "2", 0, 20, NULL,
     "how little easy rows count (0: logistic)", "real:0.5:4", .when = "loss=focal"},
    {"votes", "", SCARCE__CHOICE, AT(votes), "sign", 0, 0, "sign|shares",
     "a leaf votes for the class that weighs more, or by how much more (AdaBoost.M2)",
     .when = "loss=adaboost"},
    {"z_max", "", SCARCE__REAL, AT(z_max), "auto", 0, 1e9, NULL,
     "bound on the working response (0: none, then there are probabilities). auto: 4, the paper's, or rows "
     "per "
     "positive where that is more",
     .when = "loss=logitboost"},
};
#undef AT

#define AT(f) offsetof(scarce__gb_sample_params, f)
const scarce__param scarce__gb_sample_list[SCARCE__N_GB_SAMPLE_PARAMS] = {
    {"sample", "", SCARCE__CHOICE, AT(sample), "auto", 0, 0, SCARCE__GB_SAMPLES,
     "which rows a tree sees: all of them; the share `subsample`, also by class (uniform, stratified); all "
     "positives and as many negatives (balanced), or negatives so that positives are the share `ratio`; the "
     "largest gradients and some of the others (goss); the share `subsample` by the size of their gradients "
     "(mvs); all positives and neg_per_pos negatives for each, drawn by how much they matter (importance); "
     "all "
     "rows and made_per_pos positives made up between each and its neighbours (smote). "
     "auto: importance from 50,000 rows on with 200 positives or more, when that takes at most a tenth of "
     "the negatives; with subsample below 1 stratified below 5 % positives, else uniform; else all",
     NULL, NULL},
    {"subsample", "bagging_fraction", SCARCE__REAL, AT(subsample), "1", 1e-6, 1, NULL,
     "share of the rows each tree sees", "real:0.5:1", .when = "sample=auto|uniform|stratified|mvs"},
    {"draw", "", SCARCE__CHOICE, AT(draw), "number", 0, 0, "number|coin",
     "take exactly that share of the rows, or each row by a coin of its own",
     .when = "sample=uniform|stratified"},
    {"ratio", "", SCARCE__REAL, AT(ratio), "0.5", 1e-6, 0.999999, NULL, "share of positives wanted",
     .when = "sample=ratio"},
    {"reweigh", "", SCARCE__BOOL, AT(reweigh), "true", 0, 0, NULL,
     "weigh the negatives so that sums stay those of all rows (keeps probabilities right)",
     .when = "sample=balanced|ratio"},
    {"top_rate", "", SCARCE__REAL, AT(top), "0.2", 0, 1, NULL, "share of the rows kept for their gradient",
     .when = "sample=goss"},
    {"other_rate", "", SCARCE__REAL, AT(other), "0.1", 0, 1, NULL, "share of the rows drawn from the rest",
     .when = "sample=goss"},
    {"mvs_lambda", "mvs_reg", SCARCE__REAL, AT(mvs_lambda), "0.1", 0, 1e12, NULL,
     "rows are drawn by sqrt(g^2 + mvs_lambda h^2)", .when = "sample=mvs"},
    {"neg_per_pos", "", SCARCE__REAL, AT(neg_per_pos), "5", 0.1, 1e6, NULL, "negatives per positive",
     "log:3:15", .when = "sample=auto|importance"},
    {"refresh", "", SCARCE__INT, AT(refresh), "auto", 1, 1e6, NULL,
     "trees a sample is kept. auto: 1, with importance 2",
     .when = "sample=auto|uniform|stratified|balanced|ratio|goss|mvs|importance|smote"},
    {"pool", "", SCARCE__REAL, AT(pool), "50", 0, 1e6, NULL,
     "negatives per positive that are drawn first, kept together, and drawn anew now and then (0: none)",
     .when = "sample=auto|importance"},
    {"max_probability", "", SCARCE__REAL, AT(max_probability), "auto", 1e-9, 1, NULL,
     "no negative is surer to be drawn than this. auto: 0.2, or 1 below 1000 positives",
     .when = "sample=auto|importance"},
    {"made_per_pos", "", SCARCE__REAL, AT(made_per_pos), "1", 1e-6, 1e6, NULL,
     "positives made up for each positive and sample, between it and one of its k_neighbors nearest "
     "positives",
     "log:0.5:5", .when = "sample=smote"},
    {"k_neighbors", "k,n_neighbors", SCARCE__INT, AT(k_neighbors), "5", 1, 1000, NULL,
     "nearest positives towards which rows are made up", NULL, .when = "sample=smote"},
};
#undef AT

/* What is done to the trees together: not for boosters that are members of something else. */
#define AT(f) offsetof(scarce__gb_end_params, f)
static const scarce__param end_list[] = {
    {"scale", "", SCARCE__REAL, AT(scale), "auto", 1e-3, 1e3, NULL,
     "what the trees together are multiplied by at the end. auto: 1; where rows held out choose the number "
     "of trees "
     "and there are no validation rows, what makes the probabilities of held-out rows right, as far as few "
     "positives "
     "can tell",
     .when = "loss=logistic"},
    {"shift", "", SCARCE__REAL, AT(shift), "auto", -100, 100, NULL,
     "what is added to all scores at the end. auto: 0, or as `scale`", .when = "loss=logistic"},
    {"voices", "", SCARCE__CHOICE, AT(voices), "auto", 0, 0, "one|auto|several",
     "several: the model is a sum of several kinds (trees with random thresholds, large trees with random "
     "and "
     "with the best ones, very small trees, a linear model), with the weights that held-out rows give them, "
     "or "
     "those that suit most tables where rows can't tell or n_trees is given. With a time column, spans of "
     "time "
     "are held out. one: one kind. auto: several below 10,000 rows, and below 200,000 with at most 800 rows "
     "of the "
     "rarer class, unless a setting of the trees is given or rows are sampled; else one",
     .when = "loss=logistic"},
};
#undef AT

static const scarce__param_part parts[] = {SCARCE__GB_PARTS(0),
                                           SCARCE__PART(end_list, offsetof(scarce__gb_params, end))};
const scarce__param_table scarce__gb_table = {parts, sizeof parts / sizeof parts[0],
                                              sizeof(scarce__gb_params)};
