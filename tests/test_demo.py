import numpy as np

from goldless import demo


def test_the_order_of_the_methods_is_found_without_labels():
    shown = demo.run()
    assert len(shown.evaluation.methods) == 12
    assert np.corrcoef(shown.evaluation.auroc, shown.auroc)[0, 1] > 0.5
    assert shown.ensemble > shown.best_single
    assert 0 < shown.prevalence < 1
