import { equalBytes, toHex } from "../../src/base/bytes.ts";
import { decodePem } from "../../src/base/pem.ts";
import type { Stores } from "../../src/engine/ports.ts";
import { verifySignature } from "../../src/x509/public-key.ts";
import { findExtension, parseCertificate } from "../../src/x509/certificate.ts";
import { eachRevoked, parseCrl, type Crl } from "../../src/x509/crl.ts";
import {
  readCrlDistributionPoints,
  readIssuingDistributionPoint,
} from "../../src/x509/distribution-points.ts";
import { extensionOid } from "../../src/x509/oid.ts";
import { authority, clockAt, type Answer, type Authority } from "../support/authority.ts";
import { readCrlNumber } from "../support/crl-number.ts";
import { breakable } from "./breakable.ts";
import {
  differs,
  lags,
  wanted,
  type IssuerName,
  type ModelIssuer,
  type SeenList,
  type World,
} from "./crl-model.ts";

/** Returns another engine over the stores of a world, which checks each CRL that it publishes. */
export function engineOf(world: World): Authority {
  const published = new Map<string, Uint8Array>();
  return authority({
    stores: breakable(world, world.stores),
    clock: world.clock,
    seed: (world.engineSeed += 1),
    publish: {
      put: async (key, bytes) => {
        published.set(key, bytes);
        // the CRLs of these histories consist of one piece
        note(world, bytes, true);
      },
      get: async (key) => published.get(key),
    },
  });
}
/** Returns one of the engines. */
export function engineAt({ engines: all }: World, n: number): Authority {
  const found = all[n % all.length];
  if (!found) throw new Error("a world has engines");
  return found;
}
/** Sends a request, which must succeed. */
export async function ask(
  engine: Authority,
  method: string,
  path: string,
  body?: object,
): Promise<Answer> {
  const answer = await engine.call(method, `pki/${path}`, body, {
    header: method === "PATCH" ? { "content-type": "application/merge-patch+json" } : {},
  });
  if (answer.status >= 400)
    throw new Error(`${method} ${path}: ${answer.status} ${answer.errors.join("; ")}`);
  return answer;
}

/** Creates a world with a root and the role `web`. `seed` determines its random numbers. */
export async function begin(stores: Stores, seed: number): Promise<World> {
  const clock = clockAt();
  const world: World = {
    clock,
    stores,
    store: stores("sys"),
    engines: [],
    engineSeed: seed,
    issuers: new Map(),
    issued: [],
    config: { auto: false, delta: false, disable: false, limit: -1, shards: 0 },
    latest: 0,
    lists: new Map(),
    early: [],
    highest: new Map(),
    verified: new Set(),
    wrong: [],
    fault: undefined,
    tidied: 0,
    failed: false,
    switched: false,
  };
  world.engines.push(engineOf(world), engineOf(world));
  const engine = engineAt(world, 0);
  world.store = stores(String((await engine.call("GET", "sys/mounts/pki")).data["uuid"]));
  // its CRL is published before the response identifies the issuer
  const { certificate, issuer_id } = await engine.root();
  addIssuer(world, "root", { certificate, id: issuer_id });
  await engine.role("web", { max_ttl: "40000h" });
  await ask(engine, "POST", "config/cluster", { path: base, aia_path: base });
  await ask(engine, "POST", "config/urls", {
    enable_templating: true,
    crl_distribution_points: "{{cluster_aia_path}}/issuer/{{issuer_id}}/crl/der",
  });
  await ask(engine, "GET", "crl/rotate");
  return world;
}
const shardIn = (address: string | undefined): string | undefined =>
  /\/shard\/(.+)$/.exec(address ?? "")?.[1];
/** Returns the CRL path in a certificate, below the mount, and the shard that it names. */
export function placeOf(pem: string): {
  readonly point: string;
  readonly shard: string | undefined;
} {
  const certificate = parseCertificate(decodePem(pem)[0]?.der ?? new Uint8Array(0));
  const points = findExtension(certificate, extensionOid.crlDistributionPoints);
  const [address = ""] = points ? readCrlDistributionPoints(points.value) : [];
  return { point: address.replace(`${base}/`, ""), shard: shardIn(address) };
}
const base = "http://ca.test/v1/pki";
/** Adds an issuer to the model. */
export function addIssuer(
  world: World,
  name: IssuerName,
  { certificate, id }: { readonly certificate: string; readonly id: string },
): void {
  const { serial, spki, subject, notBefore } = parseCertificate(
    decodePem(certificate)[0]?.der ?? new Uint8Array(0),
  );
  const { shard } = placeOf(certificate);
  const more = { isHere: true, signsLists: true, isRevoked: false };
  world.issuers.set(name, {
    name,
    id,
    pem: certificate,
    serial: toHex(serial),
    spki,
    subject,
    shard,
    notBefore: notBefore * 1000,
    ...more,
  });
  for (const der of world.early.splice(0)) note(world, der, true);
}

/** Parses a CRL, with the issuer of its name and its shard. */
export function read(world: World, der: Uint8Array) {
  const crl = parseCrl(der);
  const value = (oid: string) => crl.extensions.find((one) => one.oid === oid)?.value;
  const issuer = [...world.issuers.values()].find(({ subject }) => equalBytes(subject, crl.issuer));
  const number = value(extensionOid.crlNumber);
  const base = value(extensionOid.deltaCrlIndicator);
  const point = value(extensionOid.issuingDistributionPoint);
  const list: SeenList = {
    number: number ? readCrlNumber(number) : 0,
    ...(base ? { base: readCrlNumber(base) } : {}),
    thisUpdate: crl.thisUpdate,
    nextUpdate: crl.nextUpdate ?? 0,
    listed: new Set([...eachRevoked(crl)].map(({ serial }) => toHex(serial))),
    der: toHex(der),
  };
  return { crl, list, issuer, shard: point && shardIn(readIssuingDistributionPoint(point)[0]) };
}
/** The issuer of a CRL, and its shard. */
export interface Scope {
  readonly issuer: ModelIssuer;
  readonly shard: string | undefined;
}
/** Returns the key of a CRL number sequence. */
export const scopeOf = (issuer: ModelIssuer, shard: string | undefined): string =>
  shard === undefined ? issuer.name : `${issuer.name} ${shard}`;

/** Reports whether the signature of a CRL is its issuer's. */
export async function isSigned(
  { verified }: World,
  { der, algorithm, tbs, signature }: Crl,
  { spki }: { readonly spki: Uint8Array },
): Promise<boolean> {
  const known = toHex(der);
  const is = verified.has(known) || (await verifySignature(spki, algorithm, tbs, signature));
  if (is) verified.add(known);
  return is;
}

/**
 * Records a CRL that was read or published. Its number must be new or belong to the same bytes, and
 * a published CRL must contain exactly the current revocations.
 */
export function note(world: World, der: Uint8Array, isNew: boolean): void {
  const { list, issuer, shard } = read(world, der);
  if (!issuer) return void world.early.push(der);
  if (list.base === list.number) return noteEmpty(world, scopeOf(issuer, shard), list);
  const key = scopeOf(issuer, shard);
  const lists = world.lists.get(key) ?? new Map<number, SeenList>();
  world.lists.set(key, lists);
  const before = lists.get(list.number);
  if (before?.der === list.der) return;
  const say = (text: string) => void world.wrong.push(`${key} ${list.number}: ${text}`);
  if (before) say("its number was already used");
  lists.set(list.number, list);
  // a CRL that was read but not seen when published, because a call failed, is older
  const problem =
    isNew || !lags(world) ? problemOf(world, { issuer, shard }, list, lists) : undefined;
  if (problem) say(problem);
}
/**
 * Records the empty delta that accompanies a complete CRL while deltas are off: it has the number
 * and dates of that CRL, and there is one per number.
 */
function noteEmpty(world: World, scope: string, list: SeenList): void {
  const say = (text: string) => void world.wrong.push(`delta ${list.number} of ${scope}: ${text}`);
  const key = `empty deltas of ${scope}`;
  const lists = world.lists.get(key) ?? new Map<number, SeenList>();
  world.lists.set(key, lists.set(list.number, lists.get(list.number) ?? list));
  if (lists.get(list.number)?.der !== list.der) say("there was another one");
  if (list.listed.size > 0) say("it is not empty");
  const complete = world.lists.get(scope)?.get(list.number);
  if (!complete) {
    if (!world.failed && !world.fault?.fired) say("its base was never published");
  } else if (complete.thisUpdate !== list.thisUpdate || complete.nextUpdate !== list.nextUpdate)
    say("its dates are not those of its base");
}
function problemOf(
  world: World,
  { issuer: { name }, shard }: Scope,
  { listed, base }: SeenList,
  lists: ReadonlyMap<number, SeenList>,
): string | undefined {
  if (world.config.disable)
    return listed.size > 0 ? "lists are switched off, and it is not empty" : undefined;
  const all = wanted(world, name, shard);
  if (base === undefined) return differs(listed, all);
  const complete = lists.get(base);
  // stored, but the response was lost
  if (!complete && (world.failed || world.fault?.fired)) return undefined;
  if (!complete || complete.base !== undefined) return `its base ${base} was never published`;
  const twice = [...listed].filter((one) => complete.listed.has(one));
  if (twice.length > 0) return `it names [${twice.join()}], as its base does`;
  // revoked issuers are on no delta (B 1.2), and entries tidied since stay on the base CRL
  const may = new Set([...all.may, ...complete.listed]);
  const must = new Set([...all.must].filter((one) => !isIssuer(world, one)));
  return differs(new Set([...listed, ...complete.listed]), { must, may });
}
const isIssuer = ({ issuers }: World, one: string): boolean =>
  [...issuers.values()].some(({ serial }) => serial === one);
