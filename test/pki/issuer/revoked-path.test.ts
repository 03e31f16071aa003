import { describe, expect, it } from "vitest";
import { isBelowRevoked } from "../../../src/pki/issuer/revoked-path.ts";
import { storedPki, type IssuerId, type IssuerRow } from "../../../src/pki/rows/records.ts";
import { basicConstraints } from "../../../src/x509/basic-constraints.ts";
import { encodeName } from "../../../src/x509/name.ts";
import { algorithmIdentifier } from "../../../src/x509/public-key.ts";
import { certify, commonName, makeKey } from "../../x509/fixture.ts";

const key = await makeKey("P-256");
let serial = 0;
/** Returns an issuer with a CA certificate. All of them have the same key. */
async function issuer(
  { name, by }: { readonly name: string; readonly by: string },
  { above = [], revoked }: { readonly above?: readonly IssuerRow[]; readonly revoked?: true } = {},
): Promise<IssuerRow> {
  const id: IssuerId = `issuer-${++serial}`;
  const extension = basicConstraints(true);
  const der = await certify(key, {
    serial: Uint8Array.of(1, serial),
    algorithm: algorithmIdentifier(key.scheme),
    issuer: encodeName(commonName(by)),
    subject: encodeName(commonName(name)),
    spki: key.key.spki,
    notBefore: 0,
    notAfter: 4_000_000_000,
    extensions: extension ? [extension] : [],
  });
  return {
    ...storedPki.issuer({ id, der, ...(revoked && { revoked: 1 }) }),
    chain: [id, ...above.map((one) => one.id)],
  };
}
const byId = (rows: readonly IssuerRow[]) => new Map(rows.map((row) => [row.id, row]));

describe("an issuer below a revoked CA", () => {
  it("is detected in linear time if the CAs of every level were reissued", async () => {
    const all = [await issuer({ name: "CA 0", by: "Root" }, { revoked: true })];
    for (let level = 1; level <= 12; level++) {
      const above = [...all];
      for (let i = 0; i < 6; i++)
        all.push(await issuer({ name: `CA ${level}`, by: `CA ${level - 1}` }, { above }));
    }
    const last = all.at(-1);
    expect(last && isBelowRevoked(last, byId(all))).toBe(true);
  });

  it("is detected behind CAs that signed each other, which are valid if no CA above them is revoked", async () => {
    const root = await issuer({ name: "Root", by: "Root" }, { revoked: true });
    const crossed = await issuer({ name: "B", by: "A" });
    const a = await issuer({ name: "A", by: "B" }, { above: [crossed] });
    const b = { ...crossed, chain: [crossed.id, a.id] };
    const below = await issuer({ name: "A", by: "Root" }, { above: [root] });
    const both = { ...crossed, chain: [crossed.id, a.id, below.id] };
    expect(isBelowRevoked(a, byId([a, b]))).toBe(false);
    expect(isBelowRevoked(both, byId([a, both, below, root]))).toBe(true);
  });
});
