#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""E1: ours and the others beside the published figures (002, Table 3), from e1.csv and e1-peers.csv beside this script."""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, ".."))
from common import load, mean, sd, wilcoxon  # noqa: E402

# AP, Pos@Top, P@k
PUBLISHED = {
    "pima": {"gb": (.7125, .0388, .6608), "rankboost": (.7281, .0620, .6586), "lambdamart-ap": (.7338, .0407, .6559),
             "sgbap": (.7119, .0579, .6455), "sgbap-sig": (.7091, .0388, .6514)},
    "breast-cancer": {"gb": (.5089, .0931, .4457), "rankboost": (.4838, .0461, .4626),
                      "lambdamart-ap": (.5280, .0859, .5196), "sgbap": (.5602, .1019, .4980),
                      "sgbap-sig": (.5503, .0729, .5061)},
    "hiv-schilling": {"gb": (.5557, .0303, .5391), "rankboost": (.5464, .0401, .5309),
                      "lambdamart-ap": (.4286, .0075, .4874), "sgbap": (.5737, .0536, .5445),
                      "sgbap-sig": (.3928, .041, .3902)},
    "w8a": {"gb": (.7385, .0534, .7091), "rankboost": (.7649, .0392, .7277), "sgbap": (.8351, .1779, .7972)},
}


def main():
    fits = load(os.path.join(HERE, "e1.csv"))
    peers = os.path.join(HERE, "e1-peers.csv")
    if os.path.exists(peers):
        fits += load(peers)
    for name in dict.fromkeys(f["set"] for f in fits):
        here = [f for f in fits if f["set"] == name]
        base = {f["fold"]: f["ap"] for f in here if f["method"] == "gb"}
        print(f"\n{name}, {len(base)} splits\n\n| method | published AP | AP | against gb, p | published P@k | P@k | "
              "published Pos@Top | Pos@Top |\n|---|---:|---:|---:|---:|---:|---:|---:|")
        for method in dict.fromkeys(f["method"] for f in here):
            mine = [f for f in here if f["method"] == method]
            told = PUBLISHED[name].get(method, ("", "", ""))
            told = [f"{v:.3f}" if v != "" else "" for v in told]
            paired = [f["ap"] - base[f["fold"]] for f in mine if f["fold"] in base]
            p = "" if method == "gb" else f"{mean(paired):+.3f}, {wilcoxon(paired):.2g}"
            print(f"| {method} | {told[0]} | {mean([f['ap'] for f in mine]):.3f} ± {sd([f['ap'] for f in mine]):.3f} | {p} | "
                  f"{told[2]} | {mean([f['precision_at_k'] for f in mine]):.3f} | {told[1]} | "
                  f"{mean([f['pos_at_top'] for f in mine]):.3f} |")


main()
