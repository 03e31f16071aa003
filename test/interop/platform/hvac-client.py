"""Does what programs do with hvac, the Python client of this API family, and prints a line for each
thing that worked. Argument: the address of an authority; its root token is in the environment."""

import os
import sys

import hvac
from hvac.exceptions import Forbidden, InvalidPath, InvalidRequest

POLICY = 'path "pki/issue/web" { capabilities = ["update"] }\n'


def done(what, holds=True, seen=None):
    if not holds:
        sys.exit(f"{what}: not so: {seen!r}")
    print(what)


def refused(what, call, kind):
    try:
        seen = call()
    except kind:
        return done(what)
    return done(what, False, seen)


def new(token=None):
    return hvac.Client(url=sys.argv[1], token=token)


root = new(os.environ["VAULT_TOKEN"])
done("is_authenticated", root.is_authenticated())
done("is_initialized", root.sys.is_initialized())
done("is_sealed", root.sys.is_sealed() is False)
done("a wrong token is not authenticated", new("s.wrong").is_authenticated() is False)
health = root.sys.read_health_status(method="GET")
done("health", health["initialized"] is True and health["sealed"] is False, health)
done("leader", "ha_enabled" in root.sys.read_leader_status())

root.sys.enable_secrets_engine("pki", path="python", config={"max_lease_ttl": "24h"})
mounts = root.sys.list_mounted_secrets_engines()["data"]
done("enable", mounts["python/"]["config"]["max_lease_ttl"] == 86400, mounts["python/"])
root.sys.tune_mount_configuration("python", max_lease_ttl="48h")
done("tune", root.sys.read_mount_configuration("python")["data"]["max_lease_ttl"] == 172800)
root.sys.move_backend("python", "snake")
root.sys.disable_secrets_engine("snake")
done("move and disable")

pki = root.secrets.pki
ca = pki.generate_root("internal", "Python Root", {"ttl": "8760h", "key_type": "ec"})
done("generate a root", "certificate" in ca["data"], ca)
pki.create_or_update_role(
    "web", {"allowed_domains": "py.test", "allow_subdomains": True, "key_type": "ec", "ttl": "1h"}
)
done("a role", pki.read_role("web")["data"]["ttl"] == 3600)
done("list roles", pki.list_roles()["data"]["keys"] == ["web"])
certificate = pki.generate_certificate("web", "a.py.test")["data"]
done("issue", certificate["certificate"].startswith("-----BEGIN"))
done("list certificates", certificate["serial_number"] in str(pki.list_certificates()["data"]))
pki.revoke_certificate(certificate["serial_number"])
done("revoke", pki.read_certificate(certificate["serial_number"])["data"]["revocation_time"] > 0)
done("read the CA", pki.read_ca_certificate().startswith("-----BEGIN"))
done("read the list", pki.read_crl().startswith("-----BEGIN"))
pki.set_urls({"issuing_certificates": ["http://py.test/ca"]})
done("urls", pki.read_urls()["data"]["issuing_certificates"] == ["http://py.test/ca"])
pki.tidy({"tidy_cert_store": True})
done("tidy")

root.sys.create_or_update_policy("python", POLICY)
done("a policy", root.sys.read_policy("python")["data"]["rules"] == POLICY)
done("an ACL policy", root.sys.read_acl_policy("python")["data"]["policy"] == POLICY)
done("list policies", "python" in root.sys.list_policies()["data"]["policies"])
done("list ACL policies", "python" in root.sys.list_acl_policies()["data"]["keys"])

made = root.auth.token.create(policies=["python"], ttl="1h", meta={"team": "a"})["auth"]
limited = new(made["client_token"])
done("a token", limited.is_authenticated())
done("look itself up", limited.auth.token.lookup_self()["data"]["meta"] == {"team": "a"})
done("issue as it", "data" in limited.secrets.pki.generate_certificate("web", "b.py.test"))
refused("what no policy grants", lambda: limited.secrets.pki.read_role("web"), Forbidden)
done("capabilities", root.sys.get_capabilities(["pki/issue/web"], accessor=made["accessor"])
     ["data"]["pki/issue/web"] == ["update"])
done("renew itself", limited.auth.token.renew_self(increment="2h")["auth"]["lease_duration"] == 7200)
done("accessors", made["accessor"] in root.auth.token.list_accessors()["data"]["keys"])
root.auth.token.revoke_accessor(made["accessor"])
done("revoked by accessor", limited.is_authenticated() is False)
root.auth.token.create_or_update_role("python", allowed_policies=["python"])
done("a token role", root.auth.token.read_role("python")["data"]["name"] == "python")

root.sys.enable_auth_method("approle", path="machines")
root.auth.approle.create_or_update_approle("a", token_policies=["python"], mount_point="machines")
role_id = root.auth.approle.read_role_id("a", mount_point="machines")["data"]["role_id"]
secret = root.auth.approle.generate_secret_id("a", mount_point="machines")["data"]
machine = new()
machine.auth.approle.login(role_id, secret["secret_id"], mount_point="machines")
done("approle", machine.is_authenticated())
root.auth.approle.destroy_secret_id_accessor("a", secret["secret_id_accessor"], "machines")
refused("a destroyed secret id", lambda: new().auth.approle.login(
    role_id, secret["secret_id"], mount_point="machines"), InvalidRequest)
root.sys.enable_auth_method("userpass")
root.auth.userpass.create_or_update_user("bob", "the password of bob", policies=["python"])
bob = new()
bob.auth.userpass.login("bob", "the password of bob")
done("userpass", bob.is_authenticated())
bob.logout(revoke_token=True)
done("methods", "userpass/" in root.sys.list_auth_methods()["data"])
root.sys.disable_auth_method("userpass")

group = root.secrets.identity.create_or_update_entity("carol", metadata={"team": "a"})
done("an entity", root.secrets.identity.read_entity_by_name("carol")["data"]["id"] == group["data"]["id"])

wrapped = root.sys.wrap({"text": "mine"}, ttl=60)
done("wrap", root.sys.unwrap(wrapped["wrap_info"]["token"])["data"]["text"] == "mine")
other = new(root.auth.token.create(ttl="1h")["auth"]["client_token"])
other.write_data("cubbyhole/note", data={"text": "mine"})
done("cubbyhole", other.read("cubbyhole/note")["data"]["text"] == "mine")
done("nothing there", other.read("cubbyhole/other") is None)
refused("an unknown mount", lambda: root.write_data("nowhere/x", data={"a": "b"}), InvalidPath)
print("done")
