import { start, type Authority } from "../support/authority.ts";
import { assignFormerly } from "../support/former-shard.ts";
import type { IssuerName, Issued, World } from "./crl-model.ts";
import { addIssuer, ask, engineAt, engineOf, placeOf } from "./crl-world.ts";

/** An act of a history; `n` determines its number, time or target. */
export type Act = (world: World, engine: Authority, n: number) => Promise<unknown> | void;

const plain = (serial: string): string => serial.replaceAll(":", "");
/** Lifetimes of certificates: some expire during a history. */
const lifetimes = ["1h", "700h", "30000h", "30000h"] as const;

async function issue(world: World, engine: Authority, n: number): Promise<Issued> {
  const below = world.issuers.get("below");
  // after the clock was set back, the issuer may not be valid yet and cannot issue
  const isValid = below !== undefined && below.notBefore <= world.clock.now;
  const name: IssuerName =
    n % 2 === 0 && below?.isHere && !below.isRevoked && isValid ? "below" : "root";
  const { data } = await ask(
    engine,
    "POST",
    `issuer/${world.issuers.get(name)?.id ?? ""}/issue/web`,
    { common_name: "a.test", ttl: lifetimes[(n >> 1) % 4] },
  );
  const serial = plain(String(data["serial_number"]));
  const place = placeOf(String(data["certificate"]));
  const made: Issued = {
    serial,
    issuer: name,
    ...(n % 3 === 0 && place.shard !== undefined
      ? await formerPlace(world, serial, { ...place, shard: place.shard })
      : place),
    notAfter: Number(data["expiration"]) * 1000,
    state: "good",
    at: 0,
  };
  world.issued.push(made);
  return made;
}
/** Changes a certificate as if an earlier version had issued it, and returns its place. */
async function formerPlace(
  { store }: World,
  serial: string,
  { point, shard }: { readonly point: string; readonly shard: string },
): Promise<Pick<Issued, "point" | "shard">> {
  const former = await assignFormerly(store, serial, Number(shard.split("-")[0]));
  return { point: point.replace(`/shard/${shard}`, `/shard/${former}`), shard: former };
}
async function revoke(world: World, engine: Authority, one: Issued): Promise<void> {
  if (one.state !== "good") return;
  // an expired and tidied certificate is unknown
  if ((await world.store.get([`cert/${one.serial}`]))[0] === undefined)
    return void (one.state = "gone");
  one.state = "unknown";
  one.at = world.clock.now;
  const { data } = await ask(engine, "POST", "revoke", { serial_number: one.serial });
  // an expired certificate can no longer be revoked
  one.state = data["state"] === "revoked" ? "revoked" : "good";
}
const pick = <T>(all: readonly T[], n: number): T | undefined => all[n % Math.max(1, all.length)];
const good = ({ issued }: World): readonly Issued[] =>
  issued.filter(({ state }) => state === "good");

/** Writes CRL settings; a rejected combination changes nothing. */
async function configure(world: World, engine: Authority, body: object): Promise<void> {
  const before = { ...world.config };
  // CRLs are built before the response
  if ("disable" in body) world.config.disable = body.disable === true;
  const { status, data, errors } = await engine.call("POST", "pki/config/crl", body);
  if (status === 503) throw new Error(String(errors[0]));
  Object.assign(world.config, status === 200 ? configOf(data) : before);
}
const configOf = (data: Readonly<Record<string, unknown>>): World["config"] => ({
  auto: data["auto_rebuild"] === true,
  delta: data["enable_delta"] === true,
  disable: data["disable"] === true,
  limit: Number(data["max_crl_entries"]),
  shards: Number(data["shards"]),
});

const isRevoked = async ({ store }: World, { serial }: Issued): Promise<boolean> =>
  (await store.get([`revoked/${serial}`]))[0] !== undefined;

/** Updates the model with what a tidy run has removed from the store. */
export async function lookAfterTidy(world: World, engine: Authority): Promise<void> {
  if (world.tidied === 0) return;
  for (const one of world.issued)
    if (one.state === "revoked" && one.notAfter < world.tidied && !(await isRevoked(world, one)))
      one.state = "gone";
  const { data } = await ask(engine, "GET", "tidy-status");
  if (data["state"] !== "Running" && data["state"] !== "Cancelling") world.tidied = 0;
}

/** Updates the model with the effects of a failed call. */
export async function reconcile(world: World): Promise<void> {
  const engine = engineAt(world, 0);
  Object.assign(world.config, configOf((await ask(engine, "GET", "config/crl")).data));
  for (const one of world.issued) {
    if (one.state !== "unknown") continue;
    one.state = (await isRevoked(world, one)) ? "revoked" : "good";
  }
  const known = world.issuers.get("below");
  const { data } = await ask(engine, "GET", "issuers?list=true");
  const here = (data["keys"] as readonly string[]).filter(
    (id) => id !== world.issuers.get("root")?.id,
  );
  for (const id of here) {
    const issuer = (await ask(engine, "GET", `issuer/${id}`)).data;
    if (!known) addIssuer(world, "below", { id, certificate: String(issuer["certificate"]) });
  }
  const below = world.issuers.get("below");
  if (!below) return;
  below.isHere = here.includes(below.id);
  if (!below.isHere) return;
  const issuer = (await ask(engine, "GET", `issuer/${below.id}`)).data;
  below.isRevoked = issuer["revoked"] === true;
  below.signsLists = String(issuer["usage"]).includes("crl-signing");
}

/** Creates an issuer below the root, once. */
export async function belowOf(world: World, engine: Authority): Promise<void> {
  if (world.issuers.has("below")) return;
  const { id, certificate } = await engine.intermediate({ ttl: "79000h" });
  addIssuer(world, "below", { id, certificate });
}
const hour = 3_600_000;
async function rotate(world: World, engine: Authority): Promise<void> {
  const { json } = await ask(engine, "GET", "crl/rotate");
  if ((json["warnings"] ?? null) === null) world.failed = world.switched = false;
}

export const acts = {
  issue: (world, engine, n) => issue(world, engine, n),
  revoke: async (world, engine, n) => {
    const one = pick(good(world), n) ?? (await issue(world, engine, n));
    await revoke(world, engine, one);
  },
  "revoke several at once": async (world, engine, n) => {
    while (good(world).length < 3) await issue(world, engine, n + good(world).length);
    const done = await Promise.allSettled(
      good(world)
        .slice(0, 3)
        .map((one, i) => revoke(world, engineAt(world, n + i), one)),
    );
    // each engine notices a change of the other one after a second
    world.clock.advance(1);
    for (const one of done) if (one.status === "rejected") throw one.reason;
  },
  rotate: (world, engine) => rotate(world, engine),
  // from a second to four hundred days, but never close to the expiry of an issuer
  ahead: ({ clock }, _, n) => {
    const to = clock.now + (n % 3 === 0 ? n % 60 : n * 345) * 1000;
    if (to < start + 40_000 * hour) clock.now = to;
  },
  back: ({ clock }, _, n) => {
    // never before the creation of the root, and by more than the lifetime of cached reads
    const to = Math.max(start, clock.now - n * 345_000);
    if (clock.now - to > 10_000) clock.now = to;
  },
  tick: (_, engine) => engine.ca.tick(),
  restart: (world, _, n) => void world.engines.splice(n % world.engines.length, 1, engineOf(world)),
  auto: (world, engine) =>
    configure(world, engine, {
      auto_rebuild: !world.config.auto,
      auto_rebuild_grace_period: "1h",
    }),
  delta: (world, engine) =>
    configure(world, engine, {
      enable_delta: !world.config.delta,
      ...(world.config.delta ? {} : { auto_rebuild: true, auto_rebuild_grace_period: "1h" }),
    }),
  shards: (world, engine, n) => configure(world, engine, { shards: n % 5 }),
  "rotate deltas": (_, engine) => ask(engine, "GET", "crl/rotate-delta"),
  expiry: (world, engine, n) =>
    configure(world, engine, { expiry: `${2 + (n % 500)}h`, auto_rebuild_grace_period: "1h" }),
  disable: (world, engine) => configure(world, engine, { disable: !world.config.disable }),
  limit: (world, engine, n) =>
    configure(world, engine, { max_crl_entries: world.config.limit < 0 ? (n >> 1) % 4 : -1 }),
  "begin to tidy": async (world, engine, n) => {
    const buffer = [1, 3600, 700 * 3600][n % 3] ?? 1;
    // a run in progress keeps its settings
    world.tidied = Math.max(world.tidied, world.clock.now - buffer * 1000);
    await ask(engine, "POST", "tidy", {
      tidy_cert_store: n % 2 === 0,
      tidy_revoked_certs: true,
      tidy_revoked_cert_issuer_associations: n % 5 === 0,
      safety_buffer: `${buffer}s`,
      pause_duration: n % 7 === 0 ? "10m" : "0s",
    });
  },
  "tidy to the end": async (world, engine, n) => {
    await acts["begin to tidy"](world, engine, n - (n % 7) + 1);
    await engine.ca.tick();
  },
  "cancel tidying": (_, engine) => ask(engine, "POST", "tidy-cancel"),
  // flips a bit of a stored page
  "damage a page": async (world, _, n) => {
    const [page] = await world.store.list("crlpage/");
    if (!page) return;
    // pages hold bytes
    const bytes = page[1].value as Uint8Array;
    const damaged = bytes.map((byte, i) => (i === n % bytes.length ? byte ^ (1 << (n % 8)) : byte));
    await world.store.commit({ put: [[page[0], damaged]] });
  },
  "make an issuer below": (world, engine) => belowOf(world, engine),
  "revoke the issuer below": async (world, engine) => {
    await belowOf(world, engine);
    const below = world.issuers.get("below");
    if (!below?.isHere || below.isRevoked) return;
    below.isRevoked = true;
    await ask(engine, "POST", `issuer/${below.id}/revoke`);
  },
  "delete the issuer below": async (world, engine) => {
    const below = world.issuers.get("below");
    if (!below?.isHere) return;
    below.isHere = false;
    await ask(engine, "DELETE", `issuer/${below.id}`);
  },
  "take the right to sign lists from the issuer below, or give it": async (world, engine) => {
    const below = world.issuers.get("below");
    if (!below?.isHere) return;
    const usage = [
      "read-only",
      "ocsp-signing",
      ...(below.isRevoked ? [] : ["issuing-certificates"]),
      ...(below.signsLists ? [] : ["crl-signing"]),
    ];
    await ask(engine, "PATCH", `issuer/${below.id}`, { usage });
    below.signsLists = !below.signsLists;
    world.switched = true;
  },
} as const satisfies Readonly<Record<string, Act>>;
export type ActName = keyof typeof acts;
