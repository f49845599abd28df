"""Deciders, values and other pure code import no framework, not even through a neighbour."""

import grimp
import pytest

FRAMEWORKS = ("django", "rest_framework", "channels", "celery")
# Every one that exists must be pure; a name stands here before its module is written.
PURE = (
    "apps.analysis.batches",
    "apps.chat.decision",
    "apps.chat.disambiguation",
    "apps.chat.frames",
    "apps.chat.grounding",
    "apps.chat.prompting",
    "apps.common.text",
    "apps.ingestion.chunking",
    "apps.ingestion.extractors",
    "apps.ingestion.plan",
    "apps.ingestion.sandbox",
    "apps.ingestion.sniffing",
    "apps.jobs.merging",
    "apps.kb_graph.delta",
    "apps.llm",
    "apps.retrieval",
    "apps.vaults.roles",
)


@pytest.fixture(scope="module")
def graph() -> grimp.ImportGraph:
    return grimp.build_graph(
        "apps", include_external_packages=True, exclude_type_checking_imports=True
    )


@pytest.mark.parametrize("name", PURE)
def test_pure_code_knows_no_framework(graph: grimp.ImportGraph, name: str) -> None:
    here = graph.find_descendants(name) | {name} if name in graph.modules else set()
    chains = [
        " → ".join(chain)
        for module in sorted(here)
        for framework in FRAMEWORKS
        if framework in graph.modules
        and (chain := graph.find_shortest_chain(importer=module, imported=framework))
    ]
    assert not chains
