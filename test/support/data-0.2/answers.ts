import { createHash } from "node:crypto";
import { readDer } from "../../../src/base/der.ts";
import { parseCertificate } from "../../../src/x509/certificate.ts";
import { parseCrl } from "../../../src/x509/crl.ts";
import { encodeCertId, encodeOcspRequest } from "../../../src/x509/ocsp-request.ts";
import { parseOcspResponse } from "../../../src/x509/ocsp-response.ts";
import { memberAt, type Ask, type Json, type Reply } from "./ask.ts";
import type { PkiFacts } from "./fill-pki.ts";
import type { VarsFacts } from "./fill-vars.ts";

/** The replies of a server to every read, by path. */
export type Answers = Record<string, unknown>;
/** Facts that the reads need. */
export interface ReadFacts {
  readonly pki: PkiFacts;
  readonly vars: VarsFacts;
  readonly varsToken: string;
}

/** Mounts with the issuers whose CRLs are read. */
export const mounts = { pki: ["root"], "team/ca": ["team-root", "intermediate"] } as const;

/** Lists, and the path below each of their keys. */
const lists: readonly (readonly [list: string, item?: string])[] = [
  ["sys/policies/acl"],
  ["sys/quotas/rate-limit", "sys/quotas/rate-limit/"],
  ["auth/token/accessors"],
  ["auth/token/roles", "auth/token/roles/"],
  ["auth/approle/role", "auth/approle/role/"],
  ["auth/approle/role/build/secret-id"],
  ["auth/userpass/users", "auth/userpass/users/"],
  ["identity/entity/id", "identity/entity/id/"],
  ["identity/entity-alias/id", "identity/entity-alias/id/"],
  ["identity/group/id", "identity/group/id/"],
  ["sys/leases/lookup/pki/issue/leased"],
];
const documents = [
  "sys/mounts",
  "sys/auth",
  "sys/internal/ui/mounts",
  "sys/mounts/team/ca/tune",
  "sys/policies/acl/web",
  "sys/policies/acl/other",
  "sys/policies/acl/pki-user",
  "sys/policies/acl/team-ca-admin",
  "sys/quotas/config",
  "sys/config/cors",
  "sys/leases/count",
  "sys/audit",
  "sys/seal-status",
  "auth/approle/role/build/role-id",
];
const mountLists: readonly (readonly [list: string, item?: string])[] = [
  ["roles", "roles/"],
  ["issuers", "issuer/"],
  ["keys", "key/"],
  ["certs"],
  ["certs/revoked"],
  ["certs/unified-revoked"],
  ["certs/revocation-queue"],
  ["cert-metadata", "cert-metadata/"],
  ["eab"],
  ["acme/mgmt/account/keyid", "acme/mgmt/account/keyid/"],
  ["acme/mgmt/orders"],
];
const mountDocuments = [
  "config/crl",
  "config/issuers",
  "config/keys",
  "config/urls",
  "config/cluster",
  "config/acme",
  "config/est",
  "config/auto-tidy",
  "tidy-status",
  "ca_chain",
];

/** Reads everything that a server returns about its stored data. Changes nothing. */
export async function readAnswers(send: Ask, facts: ReadFacts): Promise<Answers> {
  const answers: Answers = {};
  const read = async (path: string, options = {}): Promise<Reply> => {
    const reply = await send("GET", path, options);
    answers[path] = answerOf(reply);
    return reply;
  };
  const list = async (below: string, [path, item]: readonly [string, string?]): Promise<void> => {
    const reply = await read(`${below}${path}?list=true`);
    if (item === undefined) return;
    // the read of each entry has its details
    answers[`${below}${path}?list=true`] = [reply.status, keysOf(reply)];
    for (const key of keysOf(reply)) await read(`${below}${item}${encodeURIComponent(key)}`);
  };
  for (const path of documents) await read(path);
  for (const one of lists) await list("", one);
  for (const [mount, issuers] of Object.entries(mounts)) {
    for (const path of mountDocuments) await read(`${mount}/${path}`);
    for (const one of mountLists) await list(`${mount}/`, one);
    answers[`${mount}: certificates`] = await certificates(send, mount);
    answers[`${mount}: CRLs`] = await crls(send, mount, issuers);
    answers[`${mount}: OCSP`] = await ocsp(send, mount, facts.pki);
  }
  answers["accessors"] = await accessors(send);
  answers["leases"] = await leases(send, facts.pki);
  answers["audit"] = await audit(send);
  for (const path of varsPaths(facts.vars)) await read(path, { token: facts.varsToken });
  return answers;
}

const varsPaths = ({ workspace, team, user }: VarsFacts): readonly string[] =>
  [
    "account/details",
    "organizations",
    "organizations/default",
    "organizations/default/workspaces",
    `workspaces/${workspace}`,
    `workspaces/${workspace}/vars`,
    `workspaces/${workspace}/vars/export?format=json`,
    "organizations/default/teams",
    `teams/${team}`,
    `teams/${team}/authentication-token`,
    `team-workspaces?filter%5Bworkspace%5D%5Bid%5D=${workspace}`,
    `users/${user}/authentication-tokens`,
  ].map((path) => `/api/v2/${path}`);

/** Returns the keys of a list. */
export const keysOf = (reply: Reply): readonly string[] =>
  (memberAt(reply.json, "data.keys") ?? []) as readonly string[];

/** Members that depend on the time, and request ids. */
const volatile = new Set(["request_id", "ttl", "last-used-at", "server_time_utc"]);
function answerOf({ status, json }: Reply): unknown {
  // error texts may change
  if (status >= 400) return { status };
  const text = JSON.stringify(json, (name, value: unknown) =>
    volatile.has(name) ? undefined : value,
  );
  // later versions add the type of the mount to each envelope
  const { mount_type: _, ...rest } = JSON.parse(text) as Json;
  return { status, ...(shortened(rest) as Json) };
}

const digest = (data: string | Uint8Array): string =>
  createHash("sha256").update(data).digest("hex");
/** Replaces a long list by its digest. */
const shortened = (answer: Json): unknown =>
  JSON.parse(
    JSON.stringify(answer, (_, value: unknown) => {
      const text = Array.isArray(value) ? JSON.stringify(value) : "";
      return text.length > 100_000 ? { bytes: text.length, digest: digest(text) } : value;
    }),
  );

/** Returns the first digits of the digest of each certificate's reply, in list order. */
async function certificates(send: Ask, mount: string): Promise<string> {
  const digests: string[] = [];
  for (const serial of keysOf(await send("GET", `${mount}/certs?list=true`))) {
    const { status, json } = await send("GET", `${mount}/cert/${serial}`);
    // later versions may return more members
    const members = ["certificate", "revocation_time", "issuer_id"];
    const values = members.map((name) => memberAt(json, `data.${name}`));
    digests.push(digest(JSON.stringify([status, ...values])).slice(0, 8));
  }
  return digests.join(" ");
}

/** Returns number and digest of each CRL. */
async function crls(send: Ask, mount: string, issuers: readonly string[]): Promise<Json> {
  const shards = [0, 1, 2, 3].flatMap((n) => [`shard/4-${n}`, `delta/shard/4-${n}`]);
  const paths = issuers.flatMap((issuer) =>
    ["der", "delta/der"].map((end) => `issuer/${issuer}/crl/${end}`),
  );
  const results: Record<string, unknown> = {};
  for (const path of ["crl", "crl/delta", ...shards.map((end) => `crl/${end}`), ...paths]) {
    const { status, bytes } = await send("GET", `${mount}/${path}`, { token: "" });
    if (status === 200) results[path] = [numberOf(bytes), bytes.length, digest(bytes)];
  }
  return results;
}
/** Returns the number of a CRL. */
export function numberOf(der: Uint8Array): number {
  const number = parseCrl(der).extensions.find(({ oid }) => oid === "2.5.29.20");
  return readDer(number?.value ?? new Uint8Array(), "CRL number").number("the number");
}

/** Counts the OCSP statuses of revoked certificates, and of others. */
async function ocsp(send: Ask, mount: string, { revoked }: PkiFacts): Promise<readonly unknown[]> {
  const ca = parseCertificate((await send("GET", `${mount}/ca`, { token: "" })).bytes);
  const serials = revoked[mount] ?? [];
  const others = keysOf(await send("GET", `${mount}/certs?list=true`)).slice(0, 40);
  const answers: unknown[] = [];
  for (const serial of [...serials, ...others, "01:02"]) {
    const bytes = Uint8Array.from(serial.split(/[:-]/), (byte) => Number.parseInt(byte, 16));
    const id = await encodeCertId("SHA-256", ca, bytes);
    const body = encodeOcspRequest([id]);
    const headers = { "content-type": "application/ocsp-request" };
    const reply = await send("POST", `${mount}/ocsp`, { body, token: "", headers });
    const response = parseOcspResponse(reply.bytes);
    answers.push("failure" in response ? response.failure : response.answers[0]?.status);
  }
  return answers;
}

async function accessors(send: Ask): Promise<readonly unknown[]> {
  const results: unknown[] = [];
  for (const accessor of keysOf(await send("GET", "auth/token/accessors?list=true"))) {
    results.push(
      answerOf(await send("POST", "auth/token/lookup-accessor", { body: { accessor } })),
    );
  }
  return results;
}

async function leases(send: Ask, { leases: ids }: PkiFacts): Promise<readonly unknown[]> {
  const results: unknown[] = [];
  for (const lease_id of ids) {
    results.push(answerOf(await send("POST", "sys/leases/lookup", { body: { lease_id } })));
  }
  return results;
}

/** Returns digests of the pages of all events, newest first. */
async function audit(send: Ask): Promise<readonly unknown[]> {
  const pages: unknown[] = [];
  for (let after: string | undefined = ""; after !== undefined;) {
    const page: Reply = await send("GET", `sys/audit/events?list=true&limit=500&after=${after}`);
    const keys = keysOf(page);
    const events = keys.map((key) => {
      const event = memberAt(page.json, "data.key_info") as Readonly<Record<string, Json>>;
      const { time, endpoint, method, path, caller } = event[key] ?? {};
      return [key, time, endpoint, method, path, caller];
    });
    pages.push([page.status, keys.length, digest(JSON.stringify(events))]);
    after = keys.at(-1);
  }
  return pages;
}
