# SPDX-License-Identifier: Apache-2.0
# Written by tools/python-classes from the library's tables; change those, then run it again.
"""Which class is where, and which method it is."""

from __future__ import annotations

CLASSES: dict[str, str] = {
    "GBClassifier": "_methods",
    "FocalClassifier": "_methods",
    "StGrBoostClassifier": "_methods",
    "APLBClassifier": "_methods",
    "SGBAPClassifier": "_methods",
    "SGBAPSigClassifier": "_methods",
    "LambdaMARTAPClassifier": "_methods",
    "RankBoostClassifier": "_methods",
    "CARTClassifier": "_methods",
    "TreeRankClassifier": "_methods",
    "MetaAPClassifier": "_methods",
    "TreeRankForestClassifier": "_methods",
    "MetaAPForestClassifier": "_methods",
    "LogisticClassifier": "_methods",
    "LinearSVMClassifier": "_methods",
    "RandomUnder": "_samplers",
    "Tomek": "_samplers",
    "ENN": "_samplers",
    "RENN": "_samplers",
    "AllKNN": "_samplers",
    "CNN": "_samplers",
    "NearMiss1": "_samplers",
    "NearMiss2": "_samplers",
    "NearMiss3": "_samplers",
    "OSS": "_samplers",
    "NCR": "_samplers",
    "RandomOver": "_samplers",
    "SMOTE": "_samplers",
    "SMOTENC": "_samplers",
    "BorderlineSMOTE1": "_samplers",
    "BorderlineSMOTE2": "_samplers",
    "SVMSMOTE": "_samplers",
    "ADASYN": "_samplers",
    "SMOTEENN": "_samplers",
    "SMOTETomek": "_samplers",
}
OF_METHOD: dict[str, str] = {
    "gb": "GBClassifier",
    "focal": "FocalClassifier",
    "st-grboost": "StGrBoostClassifier",
    "ap-lb": "APLBClassifier",
    "sgbap": "SGBAPClassifier",
    "sgbap-sig": "SGBAPSigClassifier",
    "lambdamart-ap": "LambdaMARTAPClassifier",
    "rankboost": "RankBoostClassifier",
    "cart": "CARTClassifier",
    "treerank": "TreeRankClassifier",
    "metaap": "MetaAPClassifier",
    "treerank-forest": "TreeRankForestClassifier",
    "metaap-forest": "MetaAPForestClassifier",
    "logistic": "LogisticClassifier",
    "linear-svm": "LinearSVMClassifier",
}
RENAMED: dict[str, str] = {"lambda": "reg_lambda"}


def python_name(name: str) -> str:
    """The name that a parameter of the library has in Python."""
    return RENAMED.get(name, name)
