"""Run in an environment that has the wheel and its core dependencies only: the library imports, fits and predicts."""

import importlib.util

import numpy as np

import goldless as gl

for extra in ("pandas", "polars", "typer", "rich", "matplotlib", "jinja2", "dask"):
    assert importlib.util.find_spec(extra) is None, f"{extra} is here: this is not a bare installation"

data = gl.simulate(random_state=0)
model = gl.Summa().fit(data.scores)
assert np.abs(model.auroc_ - data.auroc).max() < 0.1
assert gl.metrics.auroc(data.labels, model.decision_function(data.scores)) > 0.95
assert model.evaluation_._repr_html_().startswith("<p>30 methods")
said = ""
try:
    model.evaluation_.to_html("report.html")
except ModuleNotFoundError as missing:
    said = str(missing)
assert said.endswith("pip install 'goldless[report]'")
print(f"bare installation of goldless {gl.__version__} fits and predicts")
