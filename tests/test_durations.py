import pytest

from evosdc.printing import seconds_in


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("60", 60.0), ("60s", 60.0), (" 5 m ", 300.0), ("1.5h", 5400.0), ("0", None), ("0.0m", None), ("soon", None)]
    + [(text, None) for text in ("", "-5s", "5x", "1e3", "inf", "nan", "5 minutes")],
)
def test_times_are_read_as_people_write_them(text, seconds):
    assert seconds_in(text) == seconds
