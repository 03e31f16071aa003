import { describe, expect, it } from "vitest";
import { toHex } from "../../../src/base/bytes.ts";
import { memoryStore, RefusedError } from "../../../src/index.ts";
import type { Store } from "../../../src/engine/ports.ts";
import { authority, clockAt, seeded, type Authority } from "../../support/authority.ts";
import { certificateIn, statusOf } from "./asking.ts";

/** Returns a store that cannot list the pages of entries, so that the rows are read. */
const withoutPages = (store: Store): Store => ({
  ...store,
  list: async (prefix, page) =>
    prefix === "crlpage/"
      ? Array.from({ length: 2000 }, (_, n) => [`crlpage/x/${n}`, { value: undefined, rev: 1 }])
      : store.list(prefix, page),
});

/** Creates engines over one store: one writes, one caches the revocations, one reads the rows. */
async function engines() {
  const [memory, clock] = [memoryStore(), clockAt()];
  const a = authority({ stores: memory, clock });
  await a.root({ issuer_name: "one" });
  await a.root({ common_name: "Two", issuer_name: "two" });
  const below = await a.intermediate();
  await a.pki.patchIssuer({ issuer_ref: below.id, issuer_name: "three" });
  for (const name of ["one", "two", "three"])
    await a.pki.writeRole({ name, issuer_ref: name, key_type: "ec", allow_any_name: true });
  const held = authority({ stores: memory, clock, seed: 2 });
  const asking = authority({ stores: (name) => withoutPages(memory(name)), clock, seed: 3 });
  return { a, held, asking, clock, below };
}

/** An act that changes revocations. */
type Act = (
  a: Authority,
  pick: <T>(list: readonly T[]) => T,
  serials: string[],
) => Promise<unknown>;
const issuing: Act = async (a, pick, serials) => {
  const made = await a.pki.issue({
    role: pick(["one", "two", "three"]),
    common_name: "a.test",
    ttl: pick(["1h", "700h"]),
  });
  serials.push(made.serial_number);
};
const acts: readonly Act[] = [
  issuing,
  issuing,
  async (a, pick, serials) => {
    const serial_number = pick(serials);
    const reason = pick(["", "keyCompromise", "superseded", "unspecified"]);
    await a.pki.revoke({ serial_number, reason });
  },
  async (a, pick) => a.pki.writeCrlConfig({ auto_rebuild: pick([true, false]) }),
  async (a, pick) => a.pki.writeCrlConfig({ disable: pick([true, false, false]) }),
  async (a, pick) => a.pki.writeCrlConfig({ allow_expired_cert_revocation: pick([true, false]) }),
  async (a) => a.pki.rotateCrl({}),
];

const newSeed = Date.now() & 0x7fffffff;
describe.each([
  ["fixed", 11],
  ["new", newSeed],
])("with the %s seed %i", (_, seed) => {
  it("an engine with cached revocations agrees with one that reads the rows", async () => {
    const { a, held, asking, clock, below } = await engines();
    const random = seeded(seed);
    const pick = <T>(list: readonly T[]): T => list[(random(1)[0] ?? 0) % list.length] as T;
    const issuers = await Promise.all(
      ["one", "two", "three"].map(
        async (issuer_ref) => (await a.pki.readIssuer({ issuer_ref })).certificate,
      ),
    );
    const serials = [...issuers.map((pem) => toHex(certificateIn(pem).serial)), "01", "0badf00d"];
    await issuing(a, pick, serials);
    for (let step = 0; step < 40; step++) {
      // revoked issuers and certificates are rejected
      await pick(acts)(a, pick, serials).catch((error: unknown) => {
        if (!(error instanceof RefusedError)) throw error;
      });
      if (step === 20) await a.pki.revokeIssuer({ issuer_ref: below.id });
      if (step === 30) await a.pki.revokeIssuer({ issuer_ref: "two" });
      clock.advance(pick([1, 2, 3600]));
      const wanted = { issuer: pick(issuers), serial: pick(serials) };
      const [first, second] = [await statusOf(held, wanted), await statusOf(asking, wanted)];
      expect([seed, step, wanted.serial, first]).toEqual([seed, step, wanted.serial, second]);
    }
    for (const issuer of issuers)
      for (const serial of serials)
        expect([seed, serial, await statusOf(held, { issuer, serial })]).toEqual([
          seed,
          serial,
          await statusOf(asking, { issuer, serial }),
        ]);
  });
});
