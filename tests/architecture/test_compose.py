"""docker-compose.yml: pinned images, nobody is root, health is asked, TLS is off by default."""

import re
from typing import Any

import pytest
import yaml

from tests.architecture.source import ROOT

COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "docker-compose.yml").read_text())
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]
OWN = ("prepare", "web", "worker", "beat")
LIVING = ("postgres", "valkey", "web", "worker", "proxy")


def test_the_house_is_complete() -> None:
    assert set(SERVICES) == {"postgres", "valkey", "prepare", "web", "worker", "beat", "proxy"}


@pytest.mark.parametrize("name", sorted(SERVICES))
def test_an_image_is_pinned_to_a_release(name: str) -> None:
    assert re.fullmatch(r"[\w./-]+:\d+\.\d+[\w.-]*", SERVICES[name]["image"])


@pytest.mark.parametrize("name", sorted(set(SERVICES) - set(OWN)))
def test_a_foreign_image_does_not_run_as_root(name: str) -> None:
    assert SERVICES[name]["user"] not in {"root", "0"}


def test_our_own_image_does_not_run_as_root() -> None:
    lines = (ROOT / "Dockerfile").read_text().splitlines()
    assert [line for line in lines if line.startswith("USER ")] == ["USER quadern"]


def test_the_dockerfile_pins_its_bases() -> None:
    bases = re.findall(r"^FROM (\S+)", (ROOT / "Dockerfile").read_text(), flags=re.MULTILINE)
    assert bases
    assert all(re.fullmatch(r"\w+:\d+\.\d+\.\d+-[\w-]+", base) for base in bases)


@pytest.mark.parametrize("name", LIVING)
def test_health_is_asked(name: str) -> None:
    assert SERVICES[name]["healthcheck"]["test"]


@pytest.mark.parametrize("name", sorted(SERVICES))
def test_whoever_is_waited_for_exists(name: str) -> None:
    assert set(SERVICES[name].get("depends_on", {})) <= set(SERVICES)


def test_every_named_volume_is_declared() -> None:
    used = {
        volume.split(":")[0]
        for service in SERVICES.values()
        for volume in service.get("volumes", [])
        if not volume.startswith((".", "/"))
    }
    assert used == set(COMPOSE["volumes"])


@pytest.mark.parametrize("proxy", ["plain", "tls"])
def test_the_proxy_has_its_configuration(proxy: str) -> None:
    assert "proxy_pass http://web:8000;" in (ROOT / "deploy" / f"proxy-{proxy}.conf").read_text()


def test_without_a_word_there_is_no_tls() -> None:
    assert SERVICES["web"]["environment"]["QUADERN_TLS"] == "${QUADERN_TLS:-off}"
    assert "${QUADERN_PROXY:-plain}" in SERVICES["proxy"]["volumes"][0]


def test_what_the_image_copies_exists_in_the_repository() -> None:
    copied = re.findall(
        r"^COPY (?!--from)(.+) \S+$", (ROOT / "Dockerfile").read_text(), flags=re.MULTILINE
    )
    names = {name for line in copied for name in line.split()}
    assert not [name for name in names if not (ROOT / name).exists()]
