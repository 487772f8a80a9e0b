import pytest

from goldless import drafts, files


def test_a_file_is_written_whole_or_not_at_all(tmp_path):
    path = tmp_path / "out.txt"
    path.write_text("before")

    def fail_half_way():
        with drafts.whole(path) as target:
            target.write_text("half of")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fail_half_way()
    assert path.read_text() == "before"
    assert list(tmp_path.iterdir()) == [path]
    files.save_text(path, "after")
    assert path.read_text() == "after"
    assert list(tmp_path.iterdir()) == [path]
