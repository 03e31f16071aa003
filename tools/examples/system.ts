import type { Send } from "./send.ts";

/**
 * Sends the example requests that concern all mounts: policies, tokens, entities, leases, limits
 * and backups.
 */
export async function system(send: Send): Promise<void> {
  await server(send);
  await mounts(send);
  await policies(send);
  await tokens(send);
  await entities(send);
  await wrapping(send);
  await tools(send);
  await rest(send);
}

async function server(send: Send): Promise<void> {
  for (const id of ["health", "sealStatus", "initStatus", "leader", "listVisibleMounts"])
    await send(id, {}, { token: "" });
  await send("openapiSpec", {}, { token: "" });
  for (const id of ["readCatalog", "versionHistory", "readMetrics"]) await send(id);
  await send("listCatalog", { type: "secret" });
  await send("readPlugin", { type: "auth", name: "approle" });
  await send("unseal", { key: "any" }, { token: "" });
  await send("rotateSeal");
}

async function mounts(send: Send): Promise<void> {
  await send("createMount", {
    path: "team",
    type: "pki",
    description: "Certificates of one team.",
    config: { max_lease_ttl: "87600h" },
  });
  await send("listMounts");
  await send("readMount", { path: "team" });
  await send("growPartitions", { path: "team", count: 4 });
  await send("readPartitions", { path: "team" });
  await send("stopPartitions", { path: "team" });
  await send("readTune", { path: "team" });
  await send("writeTune", { path: "team", max_lease_ttl: "43800h", listing_visibility: "unauth" });
  await send("readVisibleMount", { below: "team" });
  const moved = await send("remount", { from: "team", to: "crew" });
  await send("readRemount", { migration_id: moved.text("data.migration_id") });
  const backup = await send("backUp", { path: "crew" });
  await send("checkBackup", { part: backup.bytes });
  await send("backUpStore", { store: "vars" });
  await send("deleteMount", { path: "crew" });
  await send("restore", { path: "crew", part: backup.bytes });
}

const web = 'path "pki/issue/web" { capabilities = ["update"] }';
async function policies(send: Send): Promise<void> {
  await send("writePolicy", { name: "web", policy: web });
  await send("readPolicy", { name: "web" });
  await send("listPolicies");
  await send("writeRules", { name: "older", policy: web });
  await send("readRules", { name: "older" });
  await send("listRules");
  await send("deleteRules", { name: "older" });
  await send("testPolicies", {
    policies: ["web"],
    path: "pki/issue/web",
    capability: "update",
  });
  await send("writePolicy", { name: "unused", policy: web });
  await send("deletePolicy", { name: "unused" });
  await send("capabilitiesSelf", { paths: ["pki/issue/web"] });
  await send("resultantAcl");
}

async function tokens(send: Send): Promise<void> {
  const settings = { policies: ["web"], ttl: "24h", display_name: "build" };
  const created = await send("createToken", settings);
  const [token, accessor] = [created.text("auth.client_token"), created.text("auth.accessor")];
  await send("lookupSelf", {}, { token });
  await send("renewSelf", { increment: "12h" }, { token });
  await send("lookupToken", { token });
  await send("lookupAccessor", { accessor });
  await send("renewToken", { token, increment: "12h" });
  await send("renewAccessor", { accessor, increment: "12h" });
  await send("capabilities", { token, paths: ["pki/issue/web"] });
  await send("capabilitiesAccessor", { accessor, paths: ["pki/issue/web"] });
  await send("listAccessors");
  await send("writeTokenRole", { name: "ci", allowed_policies: ["web"], token_period: "24h" });
  await send("readTokenRole", { name: "ci" });
  await send("listTokenRoles");
  await send("createRoleToken", { role: "ci", policies: ["web"] });
  const orphan = await send("createOrphanToken", { policies: ["web"], ttl: "1h" });
  await send("revokeOrphan", { token: orphan.text("auth.client_token") });
  await send("writeCubbyhole", { cubbyhole_path: "notes", rack: "7" }, { token });
  await send("readCubbyhole", { cubbyhole_path: "notes" }, { token });
  await send("listCubbyhole", {}, { token });
  await send("deleteCubbyhole", { cubbyhole_path: "notes" }, { token });
  await send("revokeSelf", {}, { token });
  const others = [await send("createToken", settings), await send("createToken", settings)];
  await send("revokeToken", { token: others[0]?.text("auth.client_token") });
  await send("revokeAccessor", { accessor: others[1]?.text("auth.accessor") });
  await send("tidyTokens");
  await send("deleteTokenRole", { name: "ci" });
}

async function entities(send: Send): Promise<void> {
  await send("enableMethod", { path: "userpass", type: "userpass" });
  const methods = await send("readMethod", { path: "userpass" });
  const mount_accessor = methods.text("data.accessor");
  const created = await send("writeEntity", { name: "ann", policies: ["web"] });
  const id = created.text("data.id");
  await send("writeEntityById", { id, metadata: { desk: "12" } });
  await send("writeEntityByName", { name: "bob", policies: ["web"] });
  await send("readEntity", { id });
  await send("listEntities");
  await send("listEntityNames");
  const alias = await send("writeEntityAlias", { name: "ann", mount_accessor, canonical_id: id });
  const alias_id = alias.text("data.id");
  await send("readEntityAlias", { id: alias_id });
  await send("changeEntityAlias", { id: alias_id, custom_metadata: { desk: "12" } });
  await send("listEntityAliases");
  await send("lookupEntity", { name: "ann" });
  const group = await send("writeGroup", { name: "ops", member_entity_ids: [id] });
  await send("writeGroupByName", { name: "web-team", policies: ["web"] });
  await send("readGroup", { id: group.text("data.id") });
  await send("listGroups");
  await send("listGroupNames");
  await send("lookupGroup", { name: "ops" });
  const outer = await send("writeGroup", { name: "staff", type: "external" });
  const name = await send("writeGroupAlias", {
    name: "staff",
    mount_accessor,
    canonical_id: outer.text("data.id"),
  });
  await send("readGroupAlias", { id: name.text("data.id") });
  await send("changeGroupAlias", { id: name.text("data.id"), name: "people" });
  await send("listGroupAliases");
  await send("deleteGroupAlias", { id: name.text("data.id") });
  await send("deleteGroup", { id: group.text("data.id") });
  await send("deleteEntityAlias", { id: alias_id });
  await send("deleteEntity", { id });
}

async function wrapping(send: Send): Promise<void> {
  const header = { "x-service-wrap-ttl": "5m" };
  const wrapped = await send("wrapData", { password: "correct horse" }, { header });
  const token = wrapped.text("wrap_info.token");
  await send("lookupWrapping", { token }, { token: "" });
  const again = await send("rewrapReply", { token });
  await send("unwrap", { token: again.text("wrap_info.token") }, { token: "" });
}

async function tools(send: Send): Promise<void> {
  await send("hashData", { input: "aGVsbG8=", format: "base64" });
  await send("randomBytes", { bytes: 16, format: "hex" });
}

async function rest(send: Send): Promise<void> {
  await send("writeQuota", { name: "logins", rate: 10, interval: "1s", path: "auth/userpass" });
  await send("readQuota", { name: "logins" });
  await send("listQuotas");
  await send("deleteQuota", { name: "logins" });
  await send("writeQuotaConfig", { enable_rate_limit_response_headers: true });
  await send("readQuotaConfig");
  await send("writeCors", { allowed_origins: ["https://console.example.com"] });
  await send("readCors");
  await send("deleteCors");
  await send("listAuditEvents", { limit: 5 });
  await send("countAuditEvents", { mount: "pki", days: 7 });
  await send("listAuditDevices");
  await send("auditHash", { path: "events", input: "www.example.com" });
  await send("countStrangers");
  await send("writeAuditSink", { url: "https://events.example.com/sealwright" });
  await send("readAuditSink");
  await send("deleteAuditSink");
  const events = { name: "ops", url: "https://events.example.com/sealwright" };
  await send("writeEventSink", { ...events, types: ["sealwright.certificate.*"] });
  await send("listEventSinks");
  await send("readEventSink", { name: "ops" });
  await send("testEventSink", { name: "ops" });
  await send("deleteEventSink", { name: "ops" });
}
