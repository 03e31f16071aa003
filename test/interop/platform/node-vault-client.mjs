// Uses node-vault as programs do, and prints a line for each step that succeeded. Arguments: the
// directory where node-vault is installed, and the URL of an authority; VAULT_TOKEN is its root token.
import { createRequire } from "node:module";

const [, , installed, endpoint] = process.argv;
const vault = createRequire(`${installed}/`)("node-vault");
const done = (what, holds = true, seen) => {
  if (!holds) throw new Error(`${what}: failed: ${JSON.stringify(seen)}`);
  process.stdout.write(`${what}\n`);
};
const refused = async (what, call, status) => {
  const error = await call().then(
    () => undefined,
    (failure) => failure,
  );
  done(what, error?.response?.statusCode === status, error?.message);
};
const as = (token) => vault({ apiVersion: "v1", endpoint, token });

const root = as(process.env.VAULT_TOKEN);
done("initialized", (await root.initialized()).initialized);
done("status", (await root.status()).sealed === false);
done("health", (await root.health()).initialized);
done("tokenLookupSelf", (await root.tokenLookupSelf()).data.policies.includes("root"));
await root.mount({ mount_point: "node", type: "pki", config: { max_lease_ttl: "24h" } });
done("mounts", "node/" in (await root.mounts()).data);
await root.unmount({ mount_point: "node" });
await root.write("pki/root/generate/internal", {
  common_name: "Node Root",
  key_type: "ec",
  ttl: "8760h",
});
await root.write("pki/roles/web", {
  allowed_domains: "node.test",
  allow_subdomains: true,
  key_type: "ec",
});
done("list", (await root.list("pki/roles")).data.keys.includes("web"));
const rules = 'path "pki/issue/web" { capabilities = ["update"] }';
await root.addPolicy({ name: "node", rules });
done("getPolicy", (await root.getPolicy({ name: "node" })).rules === rules);
done("policies", (await root.policies()).policies.includes("node"));
// a client adopts the token that it creates
const { auth } = await as(process.env.VAULT_TOKEN).tokenCreate({ policies: ["node"], ttl: "1h" });
const limited = as(auth.client_token);
done(
  "write as a token",
  "certificate" in (await limited.write("pki/issue/web", { common_name: "a.node.test" })).data,
);
await refused("what no policy grants", () => limited.read("pki/roles/web"), 403);
done(
  "tokenRenewSelf",
  (await limited.tokenRenewSelf({ increment: 600 })).auth.lease_duration === 600,
);
done(
  "tokenLookup",
  (await root.tokenLookup({ token: auth.client_token })).data.accessor === auth.accessor,
);
await root.tokenRevoke({ token: auth.client_token });
await refused("a revoked token", () => limited.tokenLookupSelf(), 403);
await root.enableAuth({ mount_point: "approle", type: "approle" });
done("auths", "approle/" in (await root.auths()).data);
await root.addApproleRole({ role_name: "a", token_policies: "node" });
const { role_id } = (await root.getApproleRoleId({ role_name: "a" })).data;
const { secret_id } = (await root.getApproleRoleSecret({ role_name: "a" })).data;
const machine = as();
await machine.approleLogin({ role_id, secret_id });
done("approleLogin", (await machine.tokenLookupSelf()).data.meta.role_name === "a");
await root.enableAuth({ mount_point: "userpass", type: "userpass" });
await root.write("auth/userpass/users/ann", { password: "the password of ann", policies: "node" });
const ann = as();
await ann.userpassLogin({ username: "ann", password: "the password of ann" });
done("userpassLogin", (await ann.tokenLookupSelf()).data.meta.username === "ann");
await ann.tokenRevokeSelf();
await root.disableAuth({ mount_point: "userpass" });
const wrapped = await root.write(
  "sys/wrapping/wrap",
  { secret: "mine" },
  { headers: { "X-Vault-Wrap-TTL": "60s" } },
);
done("unwrap", (await root.unwrap({ token: wrapped.wrap_info.token })).data.secret === "mine");
await root.removePolicy({ name: "node" });
process.stdout.write("done\n");
