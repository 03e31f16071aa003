import { done, type Ask, type Reply } from "./ask.ts";

/** Facts about the certificates for the recording. */
export interface PkiFacts {
  /** Serial numbers of revoked certificates by mount. */
  readonly revoked: Readonly<Record<string, readonly string[]>>;
  /** Ids of leases. */
  readonly leases: readonly string[];
  /** A certificate with metadata. */
  readonly described: string;
}

const post = (send: Ask, path: string, body: unknown = {}): Promise<Reply> =>
  done(send, "POST", path, { body });

/** Runs tasks, eight at once. Resolves with their results in order. */
async function eightAtOnce<T>(count: number, task: (n: number) => Promise<T>): Promise<T[]> {
  const results: T[] = [];
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < count) {
      const n = next++;
      results[n] = await task(n);
    }
  };
  await Promise.all(Array.from({ length: 8 }, work));
  return results;
}

/** Creates two mounts, each with a root and an intermediate, and 2,000 certificates. */
export async function fillPki(send: Ask, address: string): Promise<PkiFacts> {
  await authorities(send, address);
  await roles(send);
  const issue = (path: string, count: number, first: number): Promise<string[]> =>
    eightAtOnce(count, async (n) => {
      const common_name = `host-${first + n}.example.com`;
      return (await post(send, path, { common_name })).at("data.serial_number");
    });
  const early = [
    ...(await issue("pki/issue/web", 1000, 0)),
    ...(await issue("pki/issue/client", 300, 1000)),
  ];
  await post(send, "pki/config/crl", { shards: 4 });
  const sharded = await issue("pki/issue/web", 340, 1300);
  const devices = await issue("team/ca/issue/device", 300, 2000);
  const leases = await eightAtOnce(40, async (n) => {
    const reply = await post(send, "pki/issue/leased", { common_name: `lease-${n}.example.com` });
    return reply.at("lease_id");
  });
  const described = await post(send, "pki/issue/web", {
    common_name: "described.example.com",
    cert_metadata: Buffer.from("rack 7").toString("base64"),
  });
  await shortLived(send);
  const revoked = await revocations(send, [early, sharded, devices], leases);
  await post(send, "pki/issue/web", { common_name: "last.example.com" });
  return { revoked, leases, described: described.at("data.serial_number") };
}

/** Creates two mounts with a root and a certificate each. */
export async function fillSmall(send: Ask): Promise<void> {
  await post(send, "sys/mounts/team/ca", { type: "pki" });
  for (const mount of ["pki", "team/ca"]) {
    await post(send, `${mount}/root/generate/internal`, { common_name: "Small", key_type: "ec" });
    await post(send, `${mount}/roles/web`, { key_type: "ec", allow_any_name: true });
    const created = await post(send, `${mount}/issue/web`, { common_name: "www.example.com" });
    await post(send, `${mount}/revoke`, { serial_number: created.at("data.serial_number") });
  }
}

async function authorities(send: Ask, address: string): Promise<void> {
  // a moved mount, and a deleted one
  await post(send, "sys/mounts/old/ca", { type: "pki", description: "Certificates of one team." });
  await post(send, "sys/remount", { from: "old/ca", to: "team/ca" });
  await post(send, "sys/mounts/team/ca/tune", { max_lease_ttl: "9000h" });
  await post(send, "sys/mounts/gone", { type: "pki" });
  await post(send, "gone/root/generate/internal", { common_name: "Gone", key_type: "ec" });
  await done(send, "DELETE", "sys/mounts/gone");
  // a moved mount keeps its old URL
  const path = `${address}/v1/team/ca`;
  await post(send, "team/ca/config/cluster", { path, aia_path: path });
  for (const mount of ["pki", "team/ca"]) await post(send, `${mount}/config/urls/defaults`);
  await post(send, "pki/root/generate/internal", {
    common_name: "Example Root",
    issuer_name: "root",
    key_type: "ec",
    ttl: "87600h",
  });
  await post(send, "team/ca/root/generate/internal", {
    common_name: "Team Root",
    issuer_name: "team-root",
    key_type: "ed25519",
    ttl: "87600h",
  });
  const created = await post(send, "team/ca/intermediate/generate/internal", {
    common_name: "Team Intermediate",
    key_type: "ec",
  });
  const signed = await post(send, "pki/root/sign-intermediate", {
    csr: created.at("data.csr"),
    common_name: "Team Intermediate",
    ttl: "43800h",
  });
  const certificate = signed.at("data.certificate");
  const set = await post(send, "team/ca/intermediate/set-signed", { certificate });
  const issuers = (set.json["data"] as { readonly imported_issuers: readonly string[] })
    .imported_issuers;
  await post(send, `team/ca/issuer/${issuers[0]}`, { issuer_name: "intermediate" });
  await post(send, "team/ca/config/issuers", { default: "intermediate" });
  await post(send, "pki/config/crl", { expiry: "72h", auto_rebuild: true, enable_delta: true });
}

async function roles(send: Ask): Promise<void> {
  const names = { allowed_domains: ["example.com"], allow_subdomains: true };
  const ec = { ...names, key_type: "ec", ttl: "2160h", max_ttl: "2160h" };
  await post(send, "pki/roles/web", ec);
  await post(send, "pki/roles/client", {
    ...ec,
    key_type: "ed25519",
    server_flag: false,
    ou: "Dev",
  });
  await post(send, "pki/roles/leased", { ...ec, ttl: "200h", generate_lease: true });
  await post(send, "pki/roles/short", { ...ec, ttl: "1s", not_before_duration: "1s" });
  await post(send, "pki/roles/unused", ec);
  await done(send, "DELETE", "pki/roles/unused");
  // a row of 1.2 MB, which is stored in several parts
  const many = Array.from({ length: 13_000 }, (_, n) => `name-${n}.${"long-".repeat(18)}test`);
  await post(send, "pki/roles/large", { ...ec, allowed_domains: many });
  await post(send, "team/ca/roles/device", { ...ec, ttl: "8760h", max_ttl: "8760h" });
}

/** Issues short-lived certificates, revokes some, and runs tidy. */
async function shortLived(send: Ask): Promise<void> {
  const serials = await eightAtOnce(20, async (n) => {
    const created = await post(send, "pki/issue/short", { common_name: `short-${n}.example.com` });
    return created.at("data.serial_number");
  });
  for (const serial_number of serials.slice(0, 5))
    await post(send, "pki/revoke", { serial_number });
  await new Promise((resolve) => setTimeout(resolve, 3500));
  await post(send, "pki/tidy", {
    tidy_cert_store: true,
    tidy_revoked_certs: true,
    safety_buffer: "1s",
  });
  for (let state = ""; state !== "Finished";)
    state = (await done(send, "GET", "pki/tidy-status")).at("data.state");
}

/** Revokes 200 certificates: before a complete CRL, before a delta, and since. */
async function revocations(
  send: Ask,
  [early = [], sharded = [], devices = []]: readonly (readonly string[])[],
  leases: readonly string[],
): Promise<PkiFacts["revoked"]> {
  const revoke = async (mount: string, serials: readonly string[]): Promise<void> => {
    for (const serial_number of serials) await post(send, `${mount}/revoke`, { serial_number });
  };
  const pki = [...early.slice(0, 60), ...sharded.slice(0, 50)];
  await revoke("pki", pki);
  await done(send, "GET", "pki/crl/rotate");
  const later = [...early.slice(60, 70), ...sharded.slice(50, 60)];
  await revoke("pki", later);
  await done(send, "GET", "pki/crl/rotate-delta");
  const team = devices.slice(0, 65);
  await revoke("team/ca", team);
  for (const lease_id of leases.slice(0, 5))
    await post(send, "sys/leases/revoke", { lease_id, sync: true });
  return { pki: [...pki, ...later], "team/ca": team };
}
