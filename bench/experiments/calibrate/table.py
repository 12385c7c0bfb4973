#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""table.py results.csv: the ways of run.py against `prior`, by positives among the validation rows."""
import csv,math,collections,sys
rows=list(csv.DictReader(open(sys.argv[1])))
def key(r): return (r['kind'],r['set'],r['seed'],r['method'])
g=collections.defaultdict(dict)
for r in rows: g[key(r)][r['way']]=r
ways=['prior','shift','platt','beta','isotonic']
def bucket(r):
    p=int(r['positives_valid']); return '<10' if p<10 else '10-30' if p<30 else '30-100' if p<100 else '>=100'
for kind in ('stream','set'):
  for method in ('gb','logistic'):
    for b in ('<10','10-30','30-100','>=100','all'):
      sel=[d for k,d in g.items() if k[0]==kind and k[3]==method and len(d)==5 and (b=='all' or bucket(d['prior'])==b) and (kind=='set' or not k[1].startswith('handbook') or b!='nohb')]
      if not sel: continue
      out=[]
      for w in ways:
        ll=sum(float(d[w]['log_loss'])/float(d['prior']['log_loss']) for d in sel)/len(sel)
        best=sum(float(d[w]['log_loss'])<=min(float(d[v]['log_loss']) for v in ways)+1e-12 for d in sel)
        lr=sum(abs(math.log(max(1e-3,float(d[w]['ratio'])))) for d in sel)/len(sel)
        ece=sum(float(d[w]['ece']) for d in sel)/len(sel)
        out.append(f'{w}: ll {ll:.3f} |logratio| {lr:.2f} ece {ece:.4f} best {best}')
      print(kind,method,b,len(sel)); print('   '+'\n   '.join(out))
