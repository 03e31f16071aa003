import { describe, expect, it } from "vitest";
import { jksAlias, writeJks } from "../../src/archive/jks.ts";
import { itWith } from "../support/programs.ts";
import { withFiles } from "../x509/fixture.ts";
import { entries, keyFromStore, keytool, publicOf, random } from "./entry.ts";
import { readJks } from "./jks-reader.ts";

const now = Date.UTC(2030, 0, 2);
const protection = { password: "geheimes Wort ä", random, now, alias: "www" };
const [[, entry]] = entries;
const listed = (store: Uint8Array, password: string) =>
  withFiles({ store }, (path) =>
    keytool(["-list", "-v", "-keystore", path("store"), "-storepass", password]),
  );

describe("a JKS key store", () => {
  it.each(entries)("with a key of type %s is read with its chain", (_, { key, certificates }) => {
    const store = writeJks({ key, certificates }, protection);
    const read = readJks(store, protection.password);
    expect(read).toEqual([{ alias: "www", date: now, key: new Uint8Array(key), certificates }]);
    expect(() => readJks(store, "another")).toThrow(/password is wrong/);
  });

  it("without a key contains each certificate under a number", () => {
    const { certificates } = entry;
    expect(readJks(writeJks({ certificates }, protection), protection.password)).toEqual(
      certificates.map((der, i) => ({ alias: String(i + 1), date: now, certificates: [der] })),
    );
  });

  it("has a random salt", () => {
    const [one, two] = [writeJks(entry, protection), writeJks(entry, protection)];
    expect(Buffer.from(one).equals(two)).toBe(false);
  });

  for (const [kind, { key, certificates }] of entries)
    itWith("keytool", "-help")(`with a key of type ${kind} is read by keytool`, () => {
      const ascii = { ...protection, password: "secret word" };
      const store = writeJks({ key, certificates }, ascii);
      const taken = keyFromStore(store, { type: "JKS", password: ascii.password, alias: "www" });
      expect(publicOf(taken)).toBe(publicOf(key));
      const printed = listed(store, ascii.password);
      expect(printed).toContain("Keystore type: JKS");
      expect(printed).toContain("Entry type: PrivateKeyEntry");
      expect(printed).toContain("Certificate chain length: 2");
      const trusted = listed(writeJks({ certificates }, ascii), ascii.password);
      expect(trusted.match(/Alias name: [12]\n.*\nEntry type: trustedCertEntry/g)).toHaveLength(2);
    });

  it("has an alias in lower case, as Java expects; invalid aliases are rejected", () => {
    expect(jksAlias("WWW.Example", "alias")).toBe("www.example");
    for (const [alias, text] of [
      ["", "alias must have 1 to 256 characters"],
      ["a".repeat(257), "alias must have 1 to 256 characters"],
      ["a\nb", "alias has control characters"],
      ["a\u{1f600}", "alias has characters beyond U+FFFF, which archives do not support"],
    ] as const)
      expect(() => jksAlias(alias, "alias")).toThrow(
        expect.objectContaining({ code: "malformed", message: text }),
      );
  });
});
