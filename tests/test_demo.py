import numpy as np

from goldless import demo


def test_what_is_found_without_labels_is_near_the_truth():
    found = demo.run()
    assert len(found.methods) == 12
    assert np.corrcoef(found.auroc, found.truth.auroc)[0, 1] > 0.3
    assert found.truth.ensemble > found.truth.best_single
