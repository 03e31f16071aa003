import { describe, expect, it } from "vitest";
import { offeredAlgorithms } from "../../src/algorithms/offered-algorithms.ts";
import { algorithmFor, keyAlgorithms, keyTypes } from "../../src/algorithms/table.ts";
import { joinWithOr } from "../../src/base/choice.ts";
import { identifierOf } from "../../src/algorithms/form.ts";
import { toHex } from "../../src/base/bytes.ts";

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
