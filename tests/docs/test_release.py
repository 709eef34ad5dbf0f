"""What a release needs agrees: versions, addresses, and the files of the repository."""

import re
import tomllib
from pathlib import Path

import urls
import yaml

import calipers
from calipers.addresses import REPOSITORY, SITE

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def test_the_version_is_the_same_everywhere():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert PROJECT["project"]["version"] == calipers.__version__ == citation["version"]
    assert re.fullmatch(r"\d+\.\d+\.\d+", calipers.__version__)


def test_every_address_of_the_project_is_filled_by_one_setting():
    for name in urls.FILES:
        text = (ROOT / name).read_text(encoding="utf-8")
        other = urls.replaced(text, "https://docs.test", "https://code.test/c")
        assert other != text, f"{name} has no address of the project"
        assert "calipers.example" not in other, f"{name} has an address that make urls does not fill"
    assert all(url.startswith((SITE, REPOSITORY)) for url in PROJECT["project"]["urls"].values())


def test_wheels_are_built_for_the_systems_and_versions_that_are_promised():
    config = PROJECT["tool"]["cibuildwheel"]
    assert config["build"] == [f"cp3{minor}-*" for minor in (11, 12, 13, 14)]
    workflow = yaml.safe_load((ROOT / ".github/workflows/wheels.yml").read_text(encoding="utf-8"))
    systems = workflow["jobs"]["wheels"]["strategy"]["matrix"]["os"]
    assert {system.partition("-")[0] for system in systems} == {"ubuntu", "macos", "windows"}
    assert any(system.endswith("-arm") for system in systems)


def test_from_python_3_12_on_one_wheel_serves_all_versions():
    assert PROJECT["tool"]["scikit-build"]["wheel"]["py-api"] == "cp312"
    assert re.search(r"nanobind_add_module\(_native STABLE_ABI", (ROOT / "CMakeLists.txt").read_text(encoding="utf-8"))


def test_workflows_and_templates_are_yaml():
    for file in (ROOT / ".github").rglob("*.yml"):
        assert isinstance(yaml.safe_load(file.read_text(encoding="utf-8")), dict), file
