#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Sampling with sparse columns (w8a) and with categories (simulated payments, as text): all rows beside importance.
# usage: columns.sh SCARCE DATA WORK      three random thirds each, one thread
set -eu
mkdir -p "$3"
"$1" compare "$2/w8a.svm.gz" --methods gb:sample=all,gb:sample=importance:neg_per_pos=8,gb:sample=importance:neg_per_pos=4 \
    --repeats 3 --metrics ap,precision_at_k --threads 1 --quiet
[ -s "$3/hard.csv" ] || "$1" simulate fraud --preset hard --transactions 400000 --quiet -o "$3/hard.csv"
"$1" compare "$3/hard.csv" --ignore tx_id,card,terminal,label_time,time --repeats 3 --protocol holdout:0.3333 \
    --methods gb:sample=all,gb:sample=importance,gb:sample=importance:refresh=1 --metrics ap,precision_at_k --threads 1 --quiet
