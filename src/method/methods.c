/* SPDX-License-Identifier: Apache-2.0 */
/* The table of methods: the only place that knows them all. */
#include <string.h>

#include "core/fail.h"
#include "method/method.h"

/* What a method is (fixed), and other defaults of the same parameters. */
#define IS(name, value)                                                                                      \
    {                                                                                                        \
        name, value, 1                                                                                       \
    }
#define USES(name, value)                                                                                    \
    {                                                                                                        \
        name, value, 0                                                                                       \
    }
#define END                                                                                                  \
    {                                                                                                        \
        NULL, NULL, 0                                                                                        \
    }
static const scarce__preset as_focal[] = {IS("loss", "focal"), END};
/* few passes more, so that the weights no longer depend on the order of the rows or on rows that are repeated */
static const scarce__preset as_linear_svm[] = {USES("tolerance", "1e-9"), END};
static const scarce__preset as_ap_lb[] = {IS("loss", "ap-lb"), USES("min_child_weight", "1"),
                                          USES("n_trees", "500"), END};
static const scarce__preset as_sgbap[] = {IS("loss", "sgbap"),
                                          USES("min_child_weight", "1"),
                                          USES("n_trees", "500"),
                                          USES("subsample", "0.5"),
                                          USES("sample", "stratified"),
                                          USES("min_child_rows", "10"),
                                          END};
static const scarce__preset as_sgbap_sig[] = {IS("loss", "sgbap-sig"),
                                              USES("min_child_weight", "1"),
                                              USES("n_trees", "500"),
                                              USES("subsample", "0.5"),
                                              USES("sample", "stratified"),
                                              USES("min_child_rows", "10"),
                                              END};
static const scarce__preset as_lambdamart_ap[] = {IS("loss", "lambdamart-ap"), USES("min_child_weight", "1"),
                                                  USES("n_trees", "300"), END};
static const scarce__preset as_rankboost[] = {IS("loss", "rankboost"), USES("min_child_weight", "1"),
                                              USES("n_trees", "500"), END};
static const scarce__preset as_st_grboost[] = {IS("loss", "logistic"),
                                               IS("loss_gamma", "2"),
                                               IS("sample", "uniform"),
                                               IS("draw", "coin"),
                                               USES("subsample", "0.5"),
                                               USES("n_trees", "500"),
                                               USES("learning_rate", "0.1"),
                                               USES("max_depth", "1"),
                                               USES("min_child_weight", "1"),
                                               USES("lambda", "1e-16"),
                                               USES("max_delta_step", "1"),
                                               USES("splits", "best"),
                                               END};
/* the same on all positives and as many negatives, drawn anew for each tree */
static const scarce__preset as_bal_st_grboost[] = {
    IS("loss", "logistic"),      IS("loss_gamma", "2"),         IS("sample", "balanced"),
    IS("reweigh", "false"),      USES("n_trees", "500"),        USES("learning_rate", "0.1"),
    USES("max_depth", "1"),      USES("min_child_weight", "1"), USES("lambda", "1e-16"),
    USES("max_delta_step", "1"), USES("splits", "best"),        END};
/* trees that vote (boost/loss_adaboost.c): their leaves have no size of their own, so nothing shrinks them */
#define VOTES                                                                                                \
    IS("lambda", "0"), IS("alpha", "0"), IS("max_delta_step", "0"), USES("min_child_weight", "0"),           \
        USES("learning_rate", "1"), USES("max_leaves", "2"), USES("splits", "best"), USES("n_trees", "100")
static const scarce__preset as_adaboost[] = {IS("loss", "adaboost"), VOTES, END};
static const scarce__preset as_adac1[] = {IS("loss", "adac1"), VOTES, USES("alarm_cost", "0.5"), END};
static const scarce__preset as_adac2[] = {IS("loss", "adac2"), VOTES, USES("alarm_cost", "0.9"), END};
static const scarce__preset as_adac3[] = {IS("loss", "adac3"), VOTES, USES("alarm_cost", "0.9"), END};
static const scarce__preset as_adacost[] = {IS("loss", "adacost"), VOTES, USES("alarm_cost", "0.5"), END};
static const scarce__preset as_rusboost[] = {
    IS("loss", "adaboost"),  VOTES, IS("sample", "ratio"), IS("reweigh", "false"), USES("ratio", "0.5"),
    USES("votes", "shares"), END};
static const scarce__preset as_smoteboost[] = {IS("loss", "adaboost"), VOTES, IS("sample", "smote"),
                                               USES("votes", "shares"), END};
static const scarce__preset as_logitboost[] = {IS("loss", "logitboost"),
                                               IS("lambda", "0"),
                                               IS("alpha", "0"),
                                               IS("max_delta_step", "0"),
                                               USES("min_child_weight", "0"),
                                               USES("learning_rate", "0.3"),
                                               USES("max_leaves", "2"),
                                               USES("splits", "best"),
                                               USES("n_trees", "100"),
                                               END};
#define SUN                                                                                                  \
    "Sun, Kamel, Wong and Wang: Cost-sensitive boosting for classification of imbalanced data, Pattern "     \
    "Recognition 40 (2007)"
static const scarce__preset as_random_forest[] = {IS("balanced", "false"), END};
static const scarce__preset as_balanced_forest[] = {IS("balanced", "true"), END};
#define NEAR(name, rule) static const scarce__preset name[] = {IS("rule", rule), END}
NEAR(as_knn, "knn");
NEAR(as_wknn, "wknn");
NEAR(as_cwknn, "cwknn");
NEAR(as_dupknn, "dupknn");
NEAR(as_krnn, "krnn");
NEAR(as_gamma_knn, "gamma");
NEAR(as_local_gamma_knn, "local");
NEAR(as_mlfp, "mlfp");
NEAR(as_gmml, "gmml");
NEAR(as_itml, "itml");
static const scarce__preset as_lmnn[] = {IS("rule", "lmnn"), USES("max_iterations", "100"), END};
NEAR(as_imbml, "imbml");
NEAR(as_iml, "iml");

#define BEYGELZIMER                                                                                          \
    "Beygelzimer, Kale and Luo: Optimal and adaptive algorithms for online boosting, ICML 2015"
#define DUCHI                                                                                                \
    "Duchi, Hazan and Singer: Adaptive subgradient methods for online learning and stochastic "              \
    "optimization, "                                                                                         \
    "JMLR 12 (2011)"
static const scarce__method methods[] = {
    {"gb", "boosting",
     "Gradient-boosted trees with logistic loss, safe at rare positives: leaf values are capped, so that "
     "from a low prior no leaf jumps by tens of logits. The first choice for tables. Gives probabilities.",
     "Friedman: Greedy function approximation, Annals of Statistics 29 (2001); Chen and Guestrin: "
     "XGBoost, KDD 2016",
     &scarce__engine_gb, NULL},
    {"focal", "boosting",
     "Boosted trees with focal loss: rows that are already right count less. Not ahead of gb in our "
     "measurements. Ranks only: for probabilities add --calibrate with validation rows.",
     "Lin, Goyal, Girshick, He and Dollar: Focal loss for dense object detection, ICCV 2017",
     &scarce__engine_gb, as_focal},
    {"st-grboost", "boosting",
     "Stochastic gradient boosting of stumps as in studies of tax fraud: every tree sees each row with "
     "probability 1/2, the score is half the log-odds. The baseline of balanced boosting. Gives "
     "probabilities.",
     "Friedman: Stochastic gradient boosting, Computational Statistics & Data Analysis 38 (2002)",
     &scarce__engine_gb, as_st_grboost},
    {"bal-st-grboost", "boosting",
     "st-grboost on balanced samples: every tree sees all positives and as many negatives, drawn anew. Finds "
     "more positives at the threshold 0 than st-grboost, ranks no better. Its odds are changed by no known "
     "factor: for probabilities add --calibrate with validation rows.",
     "after Friedman: Stochastic gradient boosting, Computational Statistics & Data Analysis 38 (2002), with "
     "undersampling at each tree",
     &scarce__engine_gb, as_bal_st_grboost},
    {"adaboost", "boosting",
     "Discrete AdaBoost: trees (by default stumps) vote, and rows that were outvoted count more in the next. "
     "The ancestor of gb, and the inner learner of easy-ensemble; gb ranks better in our measurements. Gives "
     "probabilities, too extreme ones after many trees.",
     "Freund and Schapire: A decision-theoretic generalization of on-line learning and an application to "
     "boosting, JCSS 55 (1997)",
     &scarce__engine_gb, as_adaboost},
    {"rusboost", "boosting",
     "AdaBoost.M2 in which every tree sees all positives and as many negatives as make them the share "
     "`ratio`, drawn "
     "anew: cheap on large tables, since a tree costs what its sample does. Its odds are changed by no known "
     "factor.",
     "Seiffert, Khoshgoftaar, Van Hulse and Napolitano: RUSBoost: a hybrid approach to alleviating class "
     "imbalance, "
     "IEEE Transactions on Systems, Man, and Cybernetics A 40 (2010)",
     &scarce__engine_gb, as_rusboost},
    {"smoteboost", "boosting",
     "AdaBoost.M2 in which every tree sees all rows and positives made up for it by SMOTE. Slower than "
     "adaboost; its "
     "odds can't be put right by a formula.",
     "Chawla, Lazarevic, Hall and Bowyer: SMOTEBoost: improving prediction of the minority class in "
     "boosting, PKDD "
     "2003",
     &scarce__engine_gb, as_smoteboost},
    {"adac1", "boosting",
     "AdaBoost with the cost of an error inside the exponent: a dear row gains weight faster when it is "
     "wrong. "
     "The gentlest of the three. Ranks only.",
     SUN, &scarce__engine_gb, as_adac1},
    {"adac2", "boosting",
     "AdaBoost with the cost of an error as a factor in every round: after t trees a row has C^t of its "
     "weight, so "
     "costs must be near each other or trees few. Ranks only.",
     SUN, &scarce__engine_gb, as_adac2},
    {"adac3", "boosting",
     "AdaBoost with the cost of an error in both places, inside the exponent and as a factor in every round. "
     "Ranks "
     "only.",
     SUN, &scarce__engine_gb, as_adac3},
    {"adacost", "boosting",
     "AdaBoost whose weights rise more for dear rows that are wrong and fall less for dear rows that are "
     "right. Ranks "
     "only.",
     "Fan, Stolfo, Zhang and Chan: AdaCost: misclassification cost-sensitive boosting, ICML 1999",
     &scarce__engine_gb, as_adacost},
    {"logitboost", "boosting",
     "LogitBoost: stumps fitted to the log-likelihood by weighted least squares, with responses cut at "
     "z_max. At "
     "rare positives the published cut of 4 spoils ranking and odds, so here it grows with rarity; still it "
     "only "
     "ranks. gb is the form of it that is made for rare positives.",
     "Friedman, Hastie and Tibshirani: Additive logistic regression, Annals of Statistics 28 (2000)",
     &scarce__engine_gb, as_logitboost},
    {"nlb", "boosting",
     "Non-linear boosting: trees feed some weighted sums, whose positive parts are weighed and added up. "
     "Says with few "
     "small trees what a sum of them can't (strips that cross, and a corner that doesn't count); with many "
     "trees gb is "
     "as good. Gives probabilities.",
     "Frery, Habrard, Sebban and He-Guelton: Non-linear gradient boosting for class-imbalance learning, PMLR "
     "94 (2018)",
     &scarce__engine_nlb, scarce__as_nlb},
    {"ap-lb", "ranking",
     "Boosted trees that raise a lower bound of average precision, in linear time. Worth a try beside gb "
     "where positives are very rare; choose by validation AP. Slow steps: 500 trees, with early "
     "stopping. Ranks only.",
     "scarce's own; on the problem of Frery et al.: Efficient top rank optimization, ECML PKDD 2017",
     &scarce__engine_gb, as_ap_lb},
    {"sgbap", "ranking",
     "Stochastic gradient boosting of AP_exp, the precision of one draw from a softmax over the list. Its "
     "gradient soon rests on a few leading positives: helps on some small noisy sets, loses elsewhere (gb is "
     "the first choice). Ranks only.",
     "Frery, Habrard, Sebban, Caelen and He-Guelton: Efficient top rank optimization with gradient boosting "
     "for supervised anomaly detection, ECML PKDD 2017",
     &scarce__engine_gb, as_sgbap},
    {"sgbap-sig", "ranking",
     "Stochastic gradient boosting of AP_sig, average precision with sigmoids for its steps; by a histogram "
     "of scores in linear time (exact=true: by all pairs). Ranks only.",
     "Frery, Habrard, Sebban, Caelen and He-Guelton: Efficient top rank optimization with gradient boosting "
     "for supervised anomaly detection, ECML PKDD 2017",
     &scarce__engine_gb, as_sgbap_sig},
    {"lambdamart-ap", "ranking",
     "LambdaMART on one list of all rows: each pair of a positive and a negative pulls by what swapping them "
     "would change of average precision. Ranks only.",
     "Burges: From RankNet to LambdaRank to LambdaMART, MSR-TR-2010-82; Donmez, Svore and Burges: On the "
     "local optimality of LambdaRank, SIGIR 2009",
     &scarce__engine_gb, as_lambdamart_ap},
    {"rankboost", "ranking",
     "Boosted trees with RankBoost's loss over all pairs of a positive and a negative, in linear time: "
     "optimises the whole ranking (AUC) rather than its top. Ranks only.",
     "Freund, Iyer, Schapire and Singer: An efficient boosting algorithm for combining "
     "preferences, JMLR 4 (2003)",
     &scarce__engine_gb, as_rankboost},
    {"random-forest", "forest",
     "The mean of deep trees, each on rows drawn with replacement and a few features per node. Nothing to "
     "tune, "
     "strong on small and noisy data, and an honest second opinion beside gb. Gives probabilities.",
     "Breiman: Random forests, Machine Learning 45 (2001)", &scarce__engine_forest, as_random_forest},
    {"balanced-random-forest", "forest",
     "A random forest whose trees see as many positives as negatives. Quick on large data, since a tree "
     "learns from "
     "twice the positives alone; probabilities are put right by the known change of the odds.",
     "Chen, Liaw and Breiman: Using random forest to learn imbalanced data, Report 666, Berkeley (2004)",
     &scarce__engine_forest, as_balanced_forest},
    {"cart", "ranking trees",
     "One decision tree, as few rules as its leaves, by gini, entropy or average precision. scarce show "
     "prints "
     "it, its rules, SQL or a drawing. Ranks; with scores=leaf it gives probabilities.",
     "Breiman, Friedman, Olshen and Stone: Classification and Regression Trees, 1984; Alvarez and Bernard: "
     "Ranking cases with decision trees, 2005",
     &scarce__engine_cart, NULL},
    {"treerank", "ranking trees",
     "A tree of trees that raises the area under the ROC curve: the leaves of each inner tree are merged "
     "into "
     "an enriched side and the rest. Few leaves, read as rules. Ranks only.",
     "Clemencon and Vayatis: Tree-based ranking methods, IEEE Transactions on Information Theory 55 (2009)",
     &scarce__engine_treerank, NULL},
    {"metaap", "ranking trees",
     "A tree of trees that raises average precision, so the top of the list: for auditors who must say why a "
     "row was chosen. Ahead of other single trees where positives are rare. Ranks only.",
     "Viola, Gautheron, Habrard and Sebban: MetaAP, Pattern Recognition Letters 161 (2022)",
     &scarce__engine_metaap, NULL},
    {"treerank-forest", "ranking trees",
     "The mean of many treeranks, each on a bootstrap of the rows: ranks better than one, and no longer "
     "reads "
     "as rules. Ranks only.",
     "Clemencon, Depecker and Vayatis: Ranking forests, JMLR 14 (2013)", &scarce__engine_treerank_forest,
     NULL},
    {"metaap-forest", "ranking trees",
     "The mean of many metaaps, each on a bootstrap of the rows: ranks better than one, and no longer reads "
     "as rules. Ranks only.",
     "Viola, Gautheron, Habrard and Sebban: MetaAP, Pattern Recognition Letters 161 (2022)",
     &scarce__engine_metaap_forest, NULL},
    {"ds-st-grboost", "ensemble",
     "Stochastic boosting of stumps on one balanced sample: all positives and as many negatives, drawn once. "
     "Quick "
     "on large data; throws most negatives away. Probabilities are put right by the known change of the "
     "odds.",
     "Friedman: Stochastic gradient boosting, Computational Statistics & Data Analysis 38 (2002), on a "
     "balanced "
     "sample",
     &scarce__engine_boosters, scarce__as_ds_st_grboost},
    {"st-ensemble", "ensemble",
     "Boosters of stumps, each on a balanced sample of its own, summed up: what one sample throws away "
     "another one "
     "sees. The sum ranks; aggregate=avg gives probabilities.",
     "Liu, Wu and Zhou: Exploratory undersampling for class-imbalance learning, IEEE SMC B 39 (2009)",
     &scarce__engine_boosters, scarce__as_st_ensemble},
    {"easy-ensemble", "ensemble",
     "Any method (AdaBoost in the paper) on balanced samples, all positives and as many negatives each, "
     "summed up. "
     "Ranks only: for probabilities add --calibrate with validation rows.",
     "Liu, Wu and Zhou: Exploratory undersampling for class-imbalance learning, IEEE SMC B 39 (2009)",
     &scarce__engine_bag, scarce__as_easy_ensemble},
    {"balance-cascade", "ensemble",
     "Like easy-ensemble, but one after the other: negatives that a member is sure of are dropped, so later "
     "ones see "
     "those that look like positives. Sensitive to wrong labels. Ranks only.",
     "Liu, Wu and Zhou: Exploratory undersampling for class-imbalance learning, IEEE SMC B 39 (2009)",
     &scarce__engine_cascade, scarce__as_easy_ensemble},
    {"bag", "ensemble",
     "The mean of any method over samples drawn with replacement (bag:inner=logistic), of both classes alike "
     "with "
     "balanced=true: steadier than one model. Gives probabilities where the inner method does.",
     "Breiman: Bagging predictors, Machine Learning 24 (1996)", &scarce__engine_bag, NULL},
    {"logistic", "linear",
     "Logistic regression with class costs: the honest baseline. Numbers are standardised, categories "
     "one-hot, missing values have a weight of their own. Gives probabilities.",
     "Lin, Weng and Keerthi: Trust region Newton method for large-scale logistic regression, JMLR 9 (2008)",
     &scarce__engine_logistic, NULL},
    {"linear-svm", "linear",
     "Linear support vector machine (squared hinge) with class costs. Ranks only: for probabilities add "
     "--calibrate platt with validation rows.",
     "Fan, Chang, Hsieh, Wang and Lin: LIBLINEAR, JMLR 9 (2008)", &scarce__engine_svm, as_linear_svm},
    {"knn", "neighbours",
     "The k nearest training rows vote. Exact search; scores rank by the distances of the rows that decide "
     "the vote. "
     "Reasons are the rows themselves. Ranks only, with votes=share gives probabilities in steps of 1/k.",
     "Cover and Hart: Nearest neighbor pattern classification, IEEE Trans. Information Theory 13 (1967)",
     &scarce__engine_near, as_knn},
    {"wknn", "neighbours", "The k nearest training rows vote, each by 1 / distance. Ranks only.",
     "Dudani: The distance-weighted k-nearest-neighbor rule, IEEE Trans. Systems, Man, and Cybernetics 6 "
     "(1976)",
     &scarce__engine_near, as_wknn},
    {"cwknn", "neighbours",
     "The k nearest vote, distances to a class times (share of the class)^(1/d): positives reach farther the "
     "rarer "
     "they are. The ranking is that of knn, the alerts are not. Ranks only.",
     "Barandela, Sanchez, Garcia and Rangel: Strategies for learning in class imbalance problems, Pattern "
     "Recognition 36 (2003)",
     &scarce__engine_near, as_cwknn},
    {"dupknn", "neighbours",
     "The k nearest vote, every positive as often as there are negatives for it. With k = 1 the same as knn. "
     "Ranks only.",
     "Viola, Emonet, Habrard, Metzler, Riou and Sebban: An adjusted nearest neighbor algorithm maximizing "
     "the "
     "F-measure from imbalanced data, ICTAI 2019",
     &scarce__engine_near, as_dupknn},
    {"krnn", "neighbours",
     "Neighbourhoods grow until they hold k positives; where positives are denser there than by chance, "
     "negatives "
     "count less. An approximation of the paper's rule. Gives probabilities.",
     "Zhang and Li: A positive-biased nearest neighbour algorithm for imbalanced classification, PAKDD 2013",
     &scarce__engine_near, as_krnn},
    {"gamma-knn", "neighbours",
     "k-NN with distances to positives times gamma, chosen by folds for F1 or another measure, exactly: a "
     "positive "
     "reaches 1/gamma times as far. Synthetic positives of --resample get a gamma of their own. Ranks only.",
     "Viola, Emonet, Habrard, Metzler, Riou and Sebban: An adjusted nearest neighbor algorithm maximizing "
     "the "
     "F-measure from imbalanced data, ICTAI 2019",
     &scarce__engine_near, as_gamma_knn},
    {"local-gamma-knn", "neighbours",
     "gamma-knn with a gamma for each of some clusters of rows. Not ahead of one gamma in our measurements. "
     "Ranks "
     "only.",
     "Viola, Emonet, Habrard, Metzler and Sebban: Learning from few positives: a provably accurate metric "
     "learning "
     "algorithm to deal with imbalanced data, IJCAI 2020; thesis of R. Viola, chapter 2",
     &scarce__engine_near, as_local_gamma_knn},
    {"mlfp", "metric",
     "Learns a factor for each feature (full=true: a matrix) of distances to positives alone, so that they "
     "reach where "
     "few false alarms follow; then k-NN, with gamma besides. Ranks only.",
     "Viola, Emonet, Habrard, Metzler and Sebban: Learning from few positives: a provably accurate metric "
     "learning "
     "algorithm to deal with imbalanced data, IJCAI 2020",
     &scarce__engine_metric, as_mlfp},
    {"gmml", "metric",
     "The geometric mean of the scatters of dissimilar and similar pairs as a metric, in closed form; then "
     "k-NN. The "
     "fastest of the metric learners. Ranks only.",
     "Zadeh, Hosseini and Sra: Geometric mean metric learning, ICML 2016", &scarce__engine_metric, as_gmml},
    {"itml", "metric",
     "The metric nearest to the Euclidean one (LogDet) that keeps drawn pairs within bounds; then k-NN. "
     "Ranks only.",
     "Davis, Kulis, Jain, Sra and Dhillon: Information-theoretic metric learning, ICML 2007",
     &scarce__engine_metric, as_itml},
    {"lmnn", "metric",
     "A metric that pulls the k nearest of the same class near and pushes others out of their margin; then "
     "k-NN. Ranks "
     "only.",
     "Weinberger and Saul: Distance metric learning for large margin nearest neighbor classification, JMLR "
     "10 (2009)",
     &scarce__engine_metric, as_lmnn},
    {"imbml", "metric",
     "A metric from similar and dissimilar pairs of which every sort counts alike, however few positives "
     "there are; "
     "then k-NN. Ranks only.",
     "Gautheron, Habrard, Morvant and Sebban: Metric learning from imbalanced data, ICTAI 2019",
     &scarce__engine_metric, as_imbml},
    {"onlb", "online",
     "Learns row by row: small nets combined in many latent spaces at once, one gradient through all of it. "
     "For "
     "streams (scarce learn) that change and do not fit in memory; on a table gb is the first choice. Gives "
     "probabilities.",
     "Frery, Habrard, Sebban, Caelen and He-Guelton: Online non-linear gradient boosting in multi-latent "
     "spaces, IDA "
     "2018; the end-to-end scheme is scarce's own",
     &scarce__engine_online, scarce__as_onlb},
    {"online-bbm", "online",
     "Online boosting by majority: each weak learner sees a row by how much its vote would still matter. "
     "Ranks only.",
     BEYGELZIMER, &scarce__engine_online, scarce__as_online_bbm},
    {"adaboost-ol", "online",
     "AdaBoost row by row: rows are drawn for a weak learner the more likely, the worse those before it did. "
     "Ranks "
     "only.",
     BEYGELZIMER, &scarce__engine_online, scarce__as_adaboost_ol},
    {"adaboost-ol-w", "online",
     "AdaBoost row by row, with the weights of rows passed on to the weak learners instead of drawing. Ranks "
     "only.",
     BEYGELZIMER, &scarce__engine_online, scarce__as_adaboost_ol_w},
    {"ogb", "online",
     "Online gradient boosting with shrinkage that is learnt: weak learners regress on the residuals of "
     "those before "
     "them. Gives probabilities.",
     "Beygelzimer, Hazan, Kale and Luo: Online gradient boosting, NIPS 2015", &scarce__engine_online,
     scarce__as_ogb},
    {"streamboost", "online",
     "Streaming gradient boosting: weak learners regress on the residuals of those before them, and are "
     "added up. "
     "Gives probabilities.",
     "Hu, Sun, Venkatraman, Hebert and Bagnell: Gradient boosting on stochastic data streams, AISTATS 2017",
     &scarce__engine_online, scarce__as_streamboost},
    {"mlp", "online",
     "One net of 20 tanh units, learnt row by row with a step for each weight: the honest baseline beside "
     "onlb, and "
     "as good on most streams. Gives probabilities.",
     DUCHI, &scarce__engine_online, scarce__as_mlp},
    {"online-net", "online",
     "One net of two tanh units: the weak learner of the online boosters alone. Gives "
     "probabilities.",
     DUCHI, &scarce__engine_online, scarce__as_online_net},
    {"online-linear", "online",
     "Logistic regression learnt row by row, with a step for each weight. Gives probabilities.", DUCHI,
     &scarce__engine_online, scarce__as_online_linear},
    {"online-tree", "online",
     "One tree that grows row by row, where Hoeffding's bound says that a split is worth it. Gives "
     "probabilities.",
     "Ikonomovska, Gama and Dzeroski: Learning model trees from evolving data streams, Data Mining and "
     "Knowledge "
     "Discovery 23 (2011)",
     &scarce__engine_online, scarce__as_online_tree},
    {"iml", "metric",
     "A metric for each row that is scored, learnt by lmnn from its own neighbourhood until that is stable; "
     "then k-NN. "
     "Nothing is learnt beforehand, so scoring is slow: some milliseconds a row. Ranks only.",
     "Wang, Zhao, Sun, Zhang and Zhang: Iterative metric learning for imbalance data classification, IJCAI "
     "2018",
     &scarce__engine_metric, as_iml},
};

const scarce__method *scarce__method_at(size_t i)
{
    return i < sizeof methods / sizeof methods[0] ? &methods[i] : NULL;
}

unsigned scarce__method_can(const scarce__method *m)
{
    const scarce__param_table *table = m->engine->params;
    const size_t loss = scarce__param_find(table, "loss");
    const int own_loss = loss != SIZE_MAX && !scarce__param_listed(table, m->presets, loss);
    return m->engine->can & ~(own_loss ? (unsigned)SCARCE__CAN_LOSS : 0u);
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

static size_t count_listed(const scarce__method *m)
{
    const size_t n = scarce__param_count(m->engine->params);
    size_t listed = 0;
    for (size_t i = 0; i < n; ++i) listed += scarce__param_listed(m->engine->params, m->presets, i) ? 1 : 0;
    return listed;
}

/* What doesn't depend on parameters. */
static unsigned always_can(const scarce__method *m)
{
    const unsigned can = scarce__method_can(m);

    return (can & SCARCE__CAN_LOSS ? (unsigned)SCARCE_METHOD_TAKES_LOSS : 0u) |
           (can & SCARCE__CAN_STOP ? (unsigned)SCARCE_METHOD_STOPS_EARLY : 0u) |
           (can & SCARCE__CAN_RESUME ? (unsigned)SCARCE_METHOD_RESUMES : 0u) |
           (m->engine->stages ? (unsigned)SCARCE_METHOD_ITERATES : 0u);
}

unsigned scarce_params_can(const scarce_params *params)
{
    const scarce__engine *engine = params->method->engine;
    const int ranks = engine->ranks && engine->ranks(scarce__params_options(params->values));

    return always_can(params->method) |
           (engine->can & SCARCE__CAN_PROBABILITY && !ranks ? (unsigned)SCARCE_METHOD_PROBABILITY : 0u);
}

scarce_method_info scarce_method_get(size_t method)
{
    scarce_method_info info = {NULL, NULL, NULL, NULL, 0, 0, NULL};
    if (method >= scarce_method_count()) return info;
    const scarce__method *m = &methods[method];
    scarce_params *defaults = NULL;
    info.name = m->name;
    info.family = m->family;
    info.summary = m->summary;
    info.paper = m->paper;
    info.n_params = count_listed(m);
    info.can = always_can(m);
    if (scarce_params_new(&defaults, m->name, NULL) == SCARCE_OK) info.can = scarce_params_can(defaults);
    scarce_params_free(defaults);
    info.stages = m->engine->stages;
    return info;
}

scarce_param_info scarce_method_param(size_t method, size_t param)
{
    const scarce_param_info none = {NULL, NULL, NULL, NULL, 0, 0, NULL, NULL, NULL};
    if (method >= scarce_method_count()) return none;
    const scarce__method *m = &methods[method];
    const size_t i = scarce__param_kth_listed(m->engine->params, m->presets, param);
    return i == SIZE_MAX ? none : scarce__param_info(m->engine->params, m->presets, i);
}
