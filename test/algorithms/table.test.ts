import { describe, expect, it } from "vitest";
import { offeredAlgorithms } from "../../src/algorithms/offered-algorithms.ts";
import { algorithmFor, keyAlgorithms, keyTypes } from "../../src/algorithms/table.ts";
import { joinWithOr } from "../../src/base/choice.ts";
import { identifierOf, spkiOf } from "../../src/algorithms/form.ts";
import { toHex } from "../../src/base/bytes.ts";
import { readDer } from "../../src/base/der.ts";
import { algorithmOidName } from "../../src/describe/algorithm-names.ts";

const repeated = (values: readonly string[]): readonly string[] =>
  values.filter((value, at) => values.indexOf(value) !== at);

describe("the table of key algorithms", () => {
  it("lists each name and identifier once, and groups the algorithms by type", () => {
    expect(repeated(keyAlgorithms.map(({ name }) => name))).toEqual([]);
    expect(repeated(keyAlgorithms.map((one) => toHex(identifierOf(one))))).toEqual([]);
    const types = keyAlgorithms.map(({ type }) => type);
    expect(types.filter((type, at) => type !== types[at - 1])).toEqual(keyTypes);
  });

  it("has unique names and encodings for each signature scheme", () => {
    const schemes = [...new Set(keyAlgorithms.flatMap(({ schemes }) => [...schemes]))];
    const names = schemes.flatMap(({ name, alias }) => [name, alias ?? []].flat());
    expect(repeated(names.map((name) => name.toLowerCase()))).toEqual([]);
    expect(repeated(schemes.flatMap(({ der }) => der.map(toHex)))).toEqual([]);
  });

  it("has unique JOSE and TLS names, each for a scheme of its algorithm", () => {
    const jose = keyAlgorithms.flatMap((one) => one.jose ?? []);
    const tls = keyAlgorithms.flatMap((one) => one.tls ?? []);
    expect(repeated(jose.map(({ named }) => JSON.stringify(named)))).toEqual([]);
    expect(repeated(jose.flatMap(({ signatures }) => signatures.map(({ alg }) => alg)))).toEqual(
      [],
    );
    expect(repeated(tls.map(({ id }) => String(id)))).toEqual([]);
    for (const { schemes, jose: own, tls: handshakes = [] } of keyAlgorithms)
      for (const { scheme } of [...(own?.signatures ?? []), ...handshakes])
        expect(schemes.map((one) => one.scheme)).toContainEqual(scheme);
    expect(offeredAlgorithms.toSorted((a, b) => a.name.localeCompare(b.name))).toEqual(
      keyAlgorithms.toSorted((a, b) => a.name.localeCompare(b.name)),
    );
  });

  it.each(keyAlgorithms.map((algorithm) => [algorithm.name, algorithm] as const))(
    "lists the default signature scheme of %s, and finds the algorithm by each size",
    (_, algorithm) => {
      const { schemes, sizes, type, minSize = 0 } = algorithm;
      expect(schemes.map(({ scheme }) => scheme)).toContainEqual(algorithm.scheme(0, false));
      for (const bits of sizes) {
        expect(bits).toBeGreaterThanOrEqual(minSize);
        expect(algorithmFor(type, bits)).toEqual({ algorithm, bits });
      }
    },
  );

  it("has a name in descriptions for the identifier of each key and signature", () => {
    const oidIn = (der: Uint8Array): string => readDer(der, "").enter("").oid("");
    const oids = keyAlgorithms.flatMap(({ identifier, schemes }) => [
      identifier.oid,
      ...schemes.flatMap(({ der }) => der.map(oidIn)),
    ]);
    expect(oids.filter((oid) => algorithmOidName(oid) === undefined)).toEqual([]);
  });

  it("has the length of public keys if all keys with the identifier have the same", async () => {
    const random = (bytes: number) => crypto.getRandomValues(new Uint8Array(bytes));
    const identifiers = keyAlgorithms.map(({ identifier }) => identifier.oid);
    for (const one of keyAlgorithms) {
      const { identifier, keyOctets, sizes } = one;
      const isOnly = identifiers.filter((oid) => oid === identifier.oid).length === 1;
      expect(keyOctets !== undefined, one.name).toBe(isOnly && sizes.length === 0);
      if (keyOctets === undefined) continue;
      const { spki } = await one.generate(0, random);
      expect(spki, one.name).toHaveLength(spkiOf(one, new Uint8Array(keyOctets)).length);
    }
  });

  it.each(keyTypes)("has one default size for %s if it has sizes", (type) => {
    const all = keyAlgorithms.filter((algorithm) => algorithm.type === type);
    const usual = all.flatMap(({ usualSize }) => usualSize ?? []);
    expect(usual).toHaveLength(all.some(({ sizes }) => sizes.length > 0) ? 1 : 0);
    expect(algorithmFor(type, 0).bits).toBe(usual[0] ?? 0);
  });
});

it.each([
  [["a"], "a"],
  [["a", "b"], "a or b"],
  [["a", "b", "c"], "a, b or c"],
])("joinWithOr: %j becomes %j", (words, text) => expect(joinWithOr(words)).toBe(text));
