# SPDX-License-Identifier: Apache-2.0
import pytest

import gpuloom


def test_a_configuration_knows_where_each_value_was_written():
    c = gpuloom.Config("h200")
    assert c["sm.shared.banks"].text == "32"
    file, line, column = c.origin("dram.bandwidth")
    assert file.endswith("gpu/h200.yaml") and line > 1 and column > 1
    assert all(v.file and v.line for v in c.values())
    names = [f.rsplit("/", 1)[-1] for f in c.files]
    assert "h200.yaml" in names and names[-1] == "ptxas13_sm90.yaml"  # the profile of its capability


def test_an_override_changes_one_value_and_the_digest_of_a_copy():
    base = gpuloom.Config("h200")
    wide = base.override({"sm.shared.banks": 64})
    assert wide["sm.shared.banks"].text == "64" and base["sm.shared.banks"].text == "32"
    assert wide.digest != base.digest
    assert base.override(sm__shared__banks=64).digest == wide.digest
    wide.validate()


def test_a_key_that_does_not_exist_is_an_error_with_the_nearest():
    with pytest.raises(gpuloom.Error, match="banks"):
        gpuloom.Config("h200", {"sm.shared.bansk": 64})


def test_a_broken_file_names_file_line_and_column(tmp_path):
    path = tmp_path / "broken.yaml"
    path.write_text("extends: gpu/h200\nname: broken\nsm:\n  sub_cores: many\n")
    with pytest.raises(gpuloom.InputError) as caught:
        gpuloom.Config(str(path)).validate()
    assert caught.value.file.endswith("broken.yaml") and (caught.value.line, caught.value.column) == (4, 14)


def test_an_unknown_name_suggests_one():
    with pytest.raises(gpuloom.InputError, match="h200"):
        gpuloom.Config("h20")


def test_unknowns_have_reasons_and_places():
    unknown = gpuloom.Config("rtx5090").unknowns()
    assert unknown and all(u.why and u.file and u.line for u in unknown)


def test_every_shipped_product_is_valid():
    for name in gpuloom.configs():
        if name.startswith("gpu/"):
            gpuloom.Config(name).validate()
