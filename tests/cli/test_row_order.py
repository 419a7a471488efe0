"""Commands that compare row by row warn where the rows of a file were shuffled."""

import pytest


@pytest.mark.parametrize("command", ["measure", "judge", "judge all", "risk"])
def test_commands_warn_of_a_shuffled_file(evosdc, tmp_path, command):
    rows = [f"{n % 7},{'ab'[n % 2]},{n % 5},{n % 11}" for n in range(80)]
    for name, listed in (("data", rows), ("shuffled", rows[37:] + rows[:37])):
        (tmp_path / f"{name}.csv").write_text("age,sex,answer1,answer2\n" + "\n".join(listed) + "\n")
    words = {
        "measure": ("data.csv", "shuffled.csv", "--protect", "age,sex"),
        "judge": ("data.csv", "shuffled.csv", "--protect", "age,sex", "--judges", "repu"),
        "judge all": ("data.csv", "shuffled.csv", "--judges", "repu"),
        "risk": ("shuffled.csv", "--original", "data.csv", "--quasi-identifiers", "age,sex"),
    }[command]
    said = evosdc(command.split()[0], *words)
    assert said.status == 0, said.err
    assert "The rows seem to stand in another order" in " ".join((said.out + said.err).split())
