import gc

import numpy as np
import pytest

from goldless.shelf import Rest, Shelf, at_hand, at_rest


def test_an_array_rests_in_a_file(tmp_path, random):
    array = np.asfortranarray(random.normal(size=(7, 3)))
    rest = at_rest(array, Shelf(tmp_path).file("z", 3))
    assert [path.name for path in tmp_path.iterdir()] == ["z-00003.npy"]
    np.testing.assert_array_equal(at_hand(rest), array)
    np.testing.assert_array_equal(at_hand(Rest(rest.path, 2, 5)), array[2:5])
    Shelf(tmp_path).clear("z")
    assert not list(tmp_path.iterdir())


def test_without_a_file_an_array_stays_where_it_is(tmp_path):
    array = np.ones(3)
    assert at_hand(at_rest(array, None)) is array
    assert len(at_hand(at_rest(np.empty(0), tmp_path / "x.npy"))) == 0


def test_a_temporary_shelf_goes_with_its_last_holder():
    shelf = Shelf.temporary()
    folder = shelf.folder
    at_rest(np.ones(3), shelf.file("z", 0))
    del shelf
    gc.collect()
    assert not folder.exists()


def test_a_file_that_was_not_finished_is_not_there(tmp_path, monkeypatch):
    def fail(file, _array):
        file.write(b"half")
        raise OSError("disk full")

    monkeypatch.setattr(np, "save", fail)
    with pytest.raises(OSError, match="disk full"):
        at_rest(np.ones(3), tmp_path / "whole")
    assert not (tmp_path / "whole").exists()
    assert not list(tmp_path.iterdir())
