"""Lets hvac's tests run against this server: a plugin of pytest that starts it in place of `vault server`, and writes results as lines of JSON."""

import json
import os
import re
import shutil
import subprocess
import tempfile

results = {}


def start(manager, *_, **__):
    """Start a server with the certificate that hvac's tests trust."""
    from tests.utils import create_client, get_config_file_path

    manager.data = tempfile.mkdtemp(prefix="hvac-data-")
    environment = {
        "PATH": os.environ["PATH"],
        "PORT": "0",
        "DATA_DIR": manager.data,
        "TLS_CERT": get_config_file_path("server-cert.pem"),
        "TLS_KEY": get_config_file_path("server-key.pem"),
    }
    log = os.path.join(manager.data, "output")
    with open(log, "w") as output:
        manager.process = subprocess.Popen(
            json.loads(os.environ["SUITE_SERVER"]), env=environment, stdout=output, stderr=output
        )
    manager.address = address(manager.process, log)
    manager.client = create_client(url=manager.address)


def address(process, log):
    """Return the address that a server prints when it serves."""
    while process.poll() is None:
        with open(log) as printed:
            found = re.search(r"^Sealwright serves \S+:(\d+)\n", printed.read(), re.MULTILINE)
        if found:
            return f"https://127.0.0.1:{found[1]}"
        try:
            process.wait(0.1)
        except subprocess.TimeoutExpired:
            pass
    with open(log) as printed:
        raise RuntimeError(printed.read())


def stop(manager):
    """Stop the server and remove its data."""
    manager.client = None
    if getattr(manager, "process", None) is None:
        return
    manager.process.terminate()
    manager.process.wait(30)
    manager.process = None
    shutil.rmtree(manager.data, ignore_errors=True)


def initialize(manager):
    """Read the root token: the server initializes itself."""
    with open(os.path.join(manager.data, "root-token")) as token:
        manager.root_token = manager.client.token = token.read().strip()
    manager.keys = []


def without_kv(enable):
    """Return a form of `enable_secrets_engine` that leaves out `kv`, which is not offered: tests of other things mount it first."""

    def enabled(self, backend_type, *arguments, **options):
        if backend_type != "kv":
            return enable(self, backend_type, *arguments, **options)

    return enabled


def pytest_configure():
    from hvac.api.system_backend.mount import Mount
    from tests.utils.server_manager import ServerManager

    Mount.enable_secrets_engine = without_kv(Mount.enable_secrets_engine)

    ServerManager.start = start
    ServerManager.stop = stop
    ServerManager.initialize = initialize
    ServerManager.unseal = lambda manager: None
    ServerManager.get_active_vault_addresses = lambda manager: [manager.address]


def pytest_collection_modifyitems(config, items):
    wanted = re.compile(os.environ["SUITE_FILTER"])
    items[:] = [item for item in items if wanted.search(short(item.nodeid))]


def short(nodeid):
    """Return the name of a test without the folders of its file."""
    return nodeid.removeprefix("tests/integration_tests/")


def pytest_runtest_logreport(report):
    name = short(report.nodeid)
    known = results.setdefault(name, {"name": name, "outcome": "passed", "output": ""})
    if report.outcome != "passed" and known["outcome"] != "failed":
        known["outcome"] = report.outcome
    if report.outcome == "failed":
        known["output"] += report.longreprtext


def pytest_sessionfinish():
    with open(os.environ["SUITE_RESULTS"], "w") as lines:
        for result in results.values():
            lines.write(json.dumps(result) + "\n")
