"""Lints and renders the Helm chart, and validates manifests. Exits with 1 if anything is wrong."""

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import kubernetes_validate
import yaml
from helm_python.chart import Chart, lint
from helm_python.errors import HelmError

CHART = "deploy/helm/sealwright"
GUIDE = "docs/guides/kubernetes.md"
VERSIONS = ("1.25", "1.30", "1.37")
IMAGE = {"image": {"repository": "registry.corp.example/sealwright"}}
PASSED = {
    "default": {},
    "postgres": {"replicas": 3, "database": {"secret": "postgres"}},
    "plain": {"tls": {"mode": "off"}, "publicUrl": "https://ca.corp.example:8443"},
    "everything": {
        "imagePullSecrets": [{"name": "pull"}],
        "persistence": {"storageClass": "fast"},
        "tls": {"names": ["ca.corp.example", "192.0.2.7"]},
        "trustedProxies": ["10.0.0.0/8", "192.0.2.1"],
        "env": [{"name": "WORKERS", "value": "2"}],
        "service": {"type": "LoadBalancer", "annotations": {"a": "b"}},
        "ingress": {"enabled": True, "className": "nginx", "annotations": {"a": "b"}},
        "podAnnotations": {"a": "b"},
        "nodeSelector": {"a": "b"},
        "tolerations": [{"operator": "Exists"}],
        "affinity": {"nodeAffinity": {}},
    },
}
REFUSED = {
    "several replicas without a database": {**IMAGE, "replicas": 2},
    "no image": {},
    "an unknown value": {**IMAGE, "replica": 1},
    "an unknown mode of TLS": {**IMAGE, "tls": {"mode": "maybe"}},
}
failures: list[str] = []


def rendered(values: dict) -> dict[str, str]:
    with Chart.load(CHART) as chart:
        return chart.render(values=values, name="sealwright", namespace="ca")


def documents() -> Iterator[tuple[str, dict]]:
    """Yields the manifests of the chart and the guide, with the name of their source."""
    for name, values in PASSED.items():
        for path, text in rendered({**IMAGE, **values}).items():
            if not path.endswith(".txt"):
                for document in filter(None, yaml.safe_load_all(text)):
                    yield f"{name}: {path}", document
    for block in re.findall(r"```yaml\n(.*?)```", Path(GUIDE).read_text(), re.S):
        for document in yaml.safe_load_all(block):
            # the schemas have no custom resources
            if "cert-manager.io" not in document["apiVersion"]:
                yield GUIDE, document


def check() -> None:
    for message in lint(CHART, values=IMAGE)["messages"]:
        if message["severity"] > 1:
            failures.append(f"lint: {message}")
    for source, document in documents():
        print(f"{source}: {document['kind']} {document['metadata']['name']}")
        for version in VERSIONS:
            try:
                kubernetes_validate.validate(document, version, strict=True)
            except kubernetes_validate.ValidationError as error:
                failures.append(f"{source} with Kubernetes {version}: {error}")
    for name, values in REFUSED.items():
        try:
            rendered(values)
            failures.append(f"the chart accepts {name}")
        except HelmError as error:
            print(f"refused, {name}: {str(error).strip().splitlines()[-1]}")


check()
print("\n".join(failures) or "ok")
sys.exit(1 if failures else 0)
