# SPDX-License-Identifier: Apache-2.0
"""python_job.py WHAT ENGINE ...: one measurement of part_python.py, as a line of JSON."""
import inspect
import json
import os
import signal
import subprocess
import sys
import threading
import time

THREADS = int(os.environ.get("BENCH_THREADS", "1"))


def say(**figures):
    print(json.dumps(figures), flush=True)


def best(function, rounds=7, seconds=0.2):
    """Seconds of one call: the best of several loops, by the clock of the process."""
    n = 1
    while True:
        begin = time.process_time()
        for _ in range(n):
            function()
        if time.process_time() - begin > seconds / 4:
            break
        n *= 4
    found = []
    for _ in range(rounds):
        begin = time.process_time()
        for _ in range(n):
            function()
        found.append((time.process_time() - begin) / n)
    return min(found)


def numbers(rows, columns=30, dtype="float32"):
    import numpy as np

    r = np.random.default_rng(0)
    x = r.normal(size=(rows, columns)).astype(dtype)
    return x, (x[:, 0] + x[:, 1] * x[:, 2] + r.normal(size=rows) > 2.5).astype(int)


def classifier(engine, trees=100, **more):
    if engine == "scarce":
        import scarce

        return scarce.GBClassifier(n_trees=trees, max_leaves=31, n_jobs=THREADS, **more)
    if engine == "lightgbm":
        import lightgbm

        return lightgbm.LGBMClassifier(n_estimators=trees, num_leaves=31, n_jobs=THREADS, verbose=-1, **more)
    if engine == "xgboost":
        import xgboost

        return xgboost.XGBClassifier(n_estimators=trees, max_leaves=31, n_jobs=THREADS, tree_method="hist", **more)
    if engine == "catboost":
        import catboost

        return catboost.CatBoostClassifier(iterations=trees, max_leaves=31, grow_policy="Lossguide", thread_count=THREADS, verbose=0, allow_writing_files=False, **more)
    from sklearn.ensemble import HistGradientBoostingClassifier

    return HistGradientBoostingClassifier(max_iter=trees, max_leaf_nodes=31, early_stopping=False)


def row(engine, way):
    import numpy as np

    x, y = numbers(20_000)
    c = classifier(engine).fit(x, y)
    one, matrix = x[7].copy(), x[7:8].copy()
    if engine == "scarce":
        m = c.model_
        named = dict(zip(m.features, map(float, one)))
        wide, values = one.astype(np.float64), tuple(map(float, one))
        if way == "C alone":
            return say(us=1e6 * min(m._core.benchmark(named, 200_000) for _ in range(7)))
        if way == "json":  # keys that are new objects each time, as out of a decoder
            text = json.dumps(named)
            return say(us=1e6 * (best(lambda f=m.score_one: f(json.loads(text))) - best(lambda: json.loads(text))))
        calls = {"array": lambda f=m.score_one: f(one), "float64": lambda f=m.score_one: f(wide), "tuple": lambda f=m.score_one: f(values),
                 "dict": lambda f=m.score_one: f(named), "predict_proba": lambda: c.predict_proba(matrix)}
        return say(us=1e6 * (best(calls[way]) - best(lambda f=len: f(values))))
    if way == "predict_proba":
        return say(us=1e6 * best(lambda: c.predict_proba(matrix)))
    b = {"lightgbm": lambda: c.booster_.predict, "xgboost": lambda: c.get_booster().inplace_predict, "catboost": lambda: c.predict}[engine]()
    return say(us=1e6 * best(lambda: b(matrix)))


def imports(name):
    code = "pass" if name == "nothing" else f"import {name}"
    import resource

    found = []
    for _ in range(5):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        found.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    say(ms=1e3 * min(found))


def load(engine, rows):
    import numpy as np

    x, y = numbers(int(rows), 40, "float64")
    if engine == "lightgbm":
        import lightgbm

        make = lambda: lightgbm.Dataset(x, y, params={"num_threads": THREADS, "verbose": -1}).construct()
    elif engine == "xgboost":
        import xgboost

        make = lambda: xgboost.QuantileDMatrix(x, y, nthread=THREADS)
    else:
        import scarce

        data, y = x, y.astype(np.uint8)
        if engine == "scarce-f32":
            data = np.asfortranarray(x, dtype=np.float32)
        if engine == "pandas":
            import pandas

            data = pandas.DataFrame(x)
        if engine == "polars":
            import polars

            data = polars.DataFrame(x)
        make = lambda: scarce.Table(data, label=y, threads=THREADS)
        if engine == "scarce-bins":  # one stump: the table, its bins, and next to nothing else
            make = lambda: scarce.train(data, label=y, n_trees=1, max_leaves=2, threads=THREADS)
    found = []
    for _ in range(3):
        begin = time.process_time()
        kept = make()
        found.append(time.process_time() - begin)
        del kept
    say(cpu_s=min(found))


def contributions(engine):
    x, y = numbers(20_000)
    c = classifier(engine, 50).fit(x, y)
    rows = x[:5000]
    if engine == "scarce":
        work = lambda: c.model_.contributions(rows, threads=THREADS)
    elif engine == "lightgbm":
        work = lambda: c.booster_.predict(rows, pred_contrib=True)
    else:
        import xgboost

        d = xgboost.DMatrix(rows, nthread=THREADS)
        work = lambda: c.get_booster().predict(d, pred_contribs=True)
    say(cpu_s=best(work, 3, 0.5))


# ---- the quick start, as each library's users would write it


def quick_scarce(train, test, roles):
    import scarce

    model = scarce.train(train, **roles, valid_fraction=0.2)
    return model.score(test)


def quick_lightgbm(train, test, roles):
    import lightgbm

    texts = [c for c in train if train[c].dtype.kind not in "iufb"]
    drop = [*roles["ignore"], roles["label"], roles["time"], roles["group"]]
    train, test = train.astype({c: "category" for c in texts}), test.astype({c: "category" for c in texts})
    cut = train[roles["time"]].quantile(0.8)
    early, late = train[train[roles["time"]] <= cut], train[train[roles["time"]] > cut]
    model = lightgbm.LGBMClassifier(n_jobs=THREADS, verbose=-1)
    model.fit(early.drop(columns=drop), early[roles["label"]], eval_set=[(late.drop(columns=drop), late[roles["label"]])], eval_metric="average_precision",
              callbacks=[lightgbm.early_stopping(20, verbose=False)])
    return model.predict_proba(test.drop(columns=drop))[:, 1]


def quick_xgboost(train, test, roles):
    import xgboost

    texts = [c for c in train if train[c].dtype.kind not in "iufb"]
    drop = [*roles["ignore"], roles["label"], roles["time"], roles["group"]]
    kinds = {c: __import__("pandas").CategoricalDtype(sorted({*train[c].dropna(), *test[c].dropna()})) for c in texts}
    train, test = train.astype(kinds), test.astype(kinds)
    cut = train[roles["time"]].quantile(0.8)
    early, late = train[train[roles["time"]] <= cut], train[train[roles["time"]] > cut]
    model = xgboost.XGBClassifier(n_jobs=THREADS, enable_categorical=True, eval_metric="aucpr", early_stopping_rounds=20)
    model.fit(early.drop(columns=drop), early[roles["label"]], eval_set=[(late.drop(columns=drop), late[roles["label"]])], verbose=False)
    return model.predict_proba(test.drop(columns=drop))[:, 1]


def quick_catboost(train, test, roles):
    import catboost

    texts = [c for c in train if train[c].dtype.kind not in "iufb"]
    drop = [*roles["ignore"], roles["label"], roles["time"], roles["group"]]
    cut = train[roles["time"]].quantile(0.8)
    early, late = train[train[roles["time"]] <= cut], train[train[roles["time"]] > cut]
    model = catboost.CatBoostClassifier(cat_features=texts, eval_metric="PRAUC", early_stopping_rounds=20, thread_count=THREADS, verbose=0, allow_writing_files=False)
    model.fit(early.drop(columns=drop), early[roles["label"]], eval_set=(late.drop(columns=drop), late[roles["label"]]))
    return model.predict_proba(test.drop(columns=drop))[:, 1]


def quick_ydf(train, test, roles):
    import ydf

    drop = [*roles["ignore"], roles["time"], roles["group"]]
    model = ydf.GradientBoostedTreesLearner(label=roles["label"], num_threads=THREADS).train(train.drop(columns=drop), verbose=0)
    return model.predict(test.drop(columns=drop))


def quick(engine, rows):
    import scarce

    df = scarce.simulate("fraud", transactions=int(rows))
    roles = {"label": "label", "time": "time", "group": "card", "amount": "amount", "ignore": ["tx_id", "terminal", "label_time"]}
    train, test = scarce.split_latest(df, 0.25, time="time", gap="7d")
    job = globals()[f"quick_{engine}"]
    begin, cpu = time.perf_counter(), time.process_time()
    score = job(train, test, roles)
    lines = sum(1 for line in inspect.getsource(job).splitlines()[1:] if line.strip() and not line.strip().startswith("import"))
    say(seconds=time.perf_counter() - begin, cpu_s=round(time.process_time() - cpu, 3), ap=round(scarce.metrics.average_precision(test["label"], score), 4), lines=lines)


def interrupt(engine):
    x, y = numbers(200_000)
    if engine == "ydf":
        import pandas
        import ydf

        frame = pandas.DataFrame(x, columns=[f"f{i}" for i in range(x.shape[1])]).assign(y=y)
        fit = lambda: ydf.GradientBoostedTreesLearner(label="y", num_trees=5000, early_stopping="NONE").train(frame, verbose=0)
    else:
        c = classifier(engine, 5000)
        fit = lambda: c.fit(x, y)
    at = []

    def stop():
        at.append(time.perf_counter())
        os.kill(os.getpid(), signal.SIGINT)

    threading.Timer(2.5, stop).start()
    try:
        fit()
    except KeyboardInterrupt:
        return say(ms=1e3 * (time.perf_counter() - at[0]))
    except BaseException as e:
        return say(ms=1e3 * (time.perf_counter() - at[0]), note=f"as {type(e).__name__}")
    say(note="ended before")


def fork(engine):
    global THREADS
    THREADS = 2
    x, y = numbers(20_000)
    c = classifier(engine, 20).fit(x, y)
    before = c.predict_proba(x)
    begin = time.perf_counter()
    pid = os.fork()
    if pid == 0:
        same = (c.predict_proba(x) == before).all() and (classifier(engine, 20).fit(x, y).predict_proba(x) == before).all()
        os._exit(0 if same else 1)
    while time.perf_counter() - begin < 60:
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            return say(seconds=time.perf_counter() - begin, note="the same" if status == 0 else f"status {status}")
        time.sleep(0.01)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    say(note="hangs")


def page(engine):
    import scarce

    df = scarce.simulate("fraud", transactions=50_000)
    roles = {"label": "label", "time": "time", "group": "card", "amount": "amount", "ignore": ["tx_id", "terminal", "label_time"]}
    m = scarce.train(df, **roles, valid_fraction=0.2)
    say(kb=len(m.evaluate(df, k=100, cost=5)._repr_html_()) / 1000)


# ---- yardsticks that count


def checks(engine):
    """Failures of scikit-learn's check_estimator; of ours, over all classes."""
    import warnings

    from sklearn.utils.estimator_checks import check_estimator

    warnings.simplefilter("ignore")
    if engine == "scarce":
        import scarce
        from scarce._names import CLASSES

        made = [getattr(scarce, name)() for name in CLASSES]
    else:
        made = [classifier(engine, 20)]
    failed, n, names = 0, 0, []
    for e in made:
        found = check_estimator(e, on_fail=None)
        bad = [r["check_name"] for r in found if r["status"] == "failed"]
        failed, n = failed + len(bad), n + len(found)
        names += [f"{type(e).__name__} {b}" for b in bad]
    say(failed=failed, checks=n, classes=len(made), note="; ".join(names)[:200])


def frame_cases():
    """The 22 things people do with frames: name -> (X, y, X to predict on); MISSING and DATES should be named errors."""
    import numpy as np
    import pandas as pd
    import scipy.sparse

    r = np.random.default_rng(0)
    n = 400
    base = pd.DataFrame({"a": r.normal(size=n), "b": r.normal(size=n), "c": r.normal(size=n)})
    y = (base["a"] + r.normal(size=n) > 1).astype(int).to_numpy()
    texts = base.assign(c=r.choice(["x", "y", "z"], n))
    cats = texts.assign(c=texts["c"].astype("category"))

    def polars(d):
        import polars

        return polars.from_pandas(d)

    def arrow(d):
        import pyarrow

        return pyarrow.Table.from_pandas(d)

    gap = cats.copy()
    gap.loc[::9, "c"] = np.nan
    return {
        "str": lambda: (texts, y, texts), "category": lambda: (cats, y, cats),
        "unseen category": lambda: (cats, y, cats.assign(c=pd.Categorical(["w"] * n))),
        "other codes": lambda: (cats, y, cats.assign(c=cats["c"].cat.reorder_categories(["z", "y", "x"]))),
        "missing in a category": lambda: (gap, y, gap), "other order": lambda: (base, y, base[["c", "a", "b"]]),
        "extra column": lambda: (base, y, base.assign(d=1.0)), "MISSING column": lambda: (base, y, base[["a", "b"]]),
        "Int64 with NA": lambda: (d := base.assign(b=pd.array([1, None] * (n // 2), dtype="Int64")), y, d),
        "boolean with NA": lambda: (d := base.assign(b=pd.array([True, None] * (n // 2), dtype="boolean")), y, d),
        "DATES": lambda: (d := base.assign(b=pd.Timestamp("2024-01-01")), y, d),
        "polars numbers": lambda: (polars(base), y, polars(base)), "polars String": lambda: (polars(texts), y, polars(texts)),
        "polars Categorical": lambda: (polars(cats), y, polars(cats)), "pyarrow": lambda: (arrow(base), y, arrow(base)),
        "CSR matrix": lambda: (s := scipy.sparse.csr_matrix(base.to_numpy()), y, s), "CSR array": lambda: (s := scipy.sparse.csr_array(base.to_numpy()), y, s),
        "labels as texts": lambda: (base, np.where(y, "fraud", "ok"), base), "labels -1, 1": lambda: (base, 2 * y - 1, base),
        "labels as booleans": lambda: (base, y == 1, base), "infinity": lambda: (d := base.assign(b=np.where(np.arange(n) % 50, base["b"], np.inf)), y, d),
        "one row as dict": lambda: (base, y, base.iloc[0].to_dict())}


def frames(engine):
    """How many of the cases work, each in a process of its own (some die); columns in another order must give the same scores."""
    import numpy as np

    works, errors = [], []
    classifier(engine, 1)  # imports once, before the processes part
    for name, make in frame_cases().items():
        read, write = os.pipe()
        pid = os.fork()
        if pid == 0:
            try:
                os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
                x, y, new = make()
                c = classifier(engine, 10).fit(x, y)
                if name == "one row as dict":
                    float(c.model_.score_one(new)) if engine == "scarce" else c.predict_proba(new)
                else:
                    p = np.asarray(c.predict_proba(new))
                    if name == "other order" and not np.allclose(p, np.asarray(c.predict_proba(x))):
                        raise ValueError("silently wrong")
                os.write(write, b"ok")
            except BaseException as e:
                os.write(write, f"{type(e).__name__}: {e}"[:300].encode())
            os._exit(0)
        os.close(write)
        said = os.read(read, 400).decode(errors="replace")
        os.close(read)
        os.waitpid(pid, 0)
        (works if said == "ok" else errors).append(f"{name}: {said or 'the process died'}")
    named = sum(1 for e in errors if ("MISSING" in e and '"c"' in e) or ("DATES" in e and '"b"' in e))
    say(works=len(works), named_errors=named, of=len(works) + len(errors), note="; ".join(errors)[:300] if engine == "scarce" else "")


def wheel(package):
    """Bytes of the wheel: ours is built anew."""
    import glob
    import tempfile
    import zipfile

    with tempfile.TemporaryDirectory() as folder:
        where = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) if package == "scarce" else package
        subprocess.run([sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "-w", folder, where], check=True, capture_output=True)
        path = glob.glob(folder + "/*.whl")[0]
        inside = [n for n in zipfile.ZipFile(path).namelist() if n.endswith("bin/scarce")]
        say(mb=os.path.getsize(path) / 1e6, note="with the program" if inside else "")


def copy(engine):
    """Megabytes that a table takes beside float32 columns that lie right (160 MB of them)."""
    import numpy as np
    import scarce

    x = np.asfortranarray(numbers(1_000_000, 40, "float32")[0])
    y = np.zeros(len(x), np.uint8)
    y[::50] = 1
    scarce.Table(x[:100], label=y[:100])

    def rss():
        with open("/proc/self/statm") as f:
            return int(f.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6

    before = rss()
    kept = scarce.Table(x, label=y, threads=THREADS)
    say(mb=max(0.0, rss() - before), note=f"{kept.n_rows:,} x 40")


def plots(engine):
    """Which of shap's plots take our explanations."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    import shap

    import scarce

    df = scarce.simulate("fraud", transactions=5_000)
    m = scarce.train(df, label="label", ignore=["tx_id", "terminal", "label_time", "time", "card"], n_trees=20)
    e = m.explain(df.head(200))
    numbers_only = e[:, [f for f, name in enumerate(m.features) if name not in m.categories]]
    calls = {"beeswarm": lambda: shap.plots.beeswarm(numbers_only, show=False), "bar": lambda: shap.plots.bar(e, show=False),
             "waterfall": lambda: shap.plots.waterfall(e[0], show=False), "scatter": lambda: shap.plots.scatter(e[:, "amount"], show=False),
             "heatmap": lambda: shap.plots.heatmap(e, show=False), "force": lambda: shap.plots.force(e.base_values[0], e.values[0], feature_names=e.feature_names),
             "decision": lambda: shap.plots.decision(e.base_values[0], e.values[:20], feature_names=e.feature_names, show=False)}
    works, errors = 0, []
    for name, call in calls.items():
        try:
            call()
            works += 1
        except Exception as x:
            errors.append(f"{name}: {x}"[:80])
        plt.close("all")
    say(works=works, of=len(calls), note="; ".join(errors))


if __name__ == "__main__":
    {"import": imports}.get(sys.argv[1], globals().get(sys.argv[1]))(*sys.argv[2:])
