import { createPrivateKey, X509Certificate } from "node:crypto";
import { createSecureContext } from "node:tls";
import { describe, expect, it } from "vitest";
import { writePkcs12, type ArchiveContents, type Encoder } from "../../src/archive/pkcs12.ts";
import { itWith } from "../support/programs.ts";
import { openssl, withFiles } from "../x509/fixture.ts";
import { entries, keyFromStore, keytool, publicOf, random, readsPbmac1 } from "./entry.ts";

const password = "correct horse";
const [, [, rsa]] = entries;
const each = (["modern2026", "modern2023"] as const).flatMap((encoder) =>
  entries.map(([kind, entry]) => [encoder, kind, entry] as const),
);

const archive = (contents: ArchiveContents, encoder: Encoder, secret = password) =>
  writePkcs12(contents, { encoder, password: secret, random, name: "www.example.com" });
const byOpenssl = (store: Uint8Array, args: readonly string[], secret = password) =>
  withFiles({ store }, (path) =>
    openssl(["pkcs12", "-in", path("store"), "-passin", `pass:${secret}`, ...args]),
  );
const pemOf = (der: Uint8Array) => new X509Certificate(der).toString().trim();
const certificatesIn = (text: string) =>
  text.match(/-----BEGIN CERT[^]+?-----END CERTIFICATE-----/g);
describe("a PKCS#12 archive", () => {
  it.each(each)("of %s with a key of type %s is read by Node's TLS", async (encoder, _, entry) => {
    const pfx = Buffer.from(await archive(entry, encoder));
    const read = (passphrase: string) => () => createSecureContext({ pfx, passphrase });
    if (encoder === "modern2023" || readsPbmac1(process.versions.openssl))
      expect(read(password)()).toHaveProperty("context");
    else expect(read(password)).toThrow();
    expect(read("wrong")).toThrow(/mac verify/);
  });

  it.each(["Füße 日本", "a", "x".repeat(256)])("opens with the password %j", async (secret) => {
    for (const encoder of ["modern2026", "modern2023"] as const) {
      if (encoder === "modern2026" && !readsPbmac1(process.versions.openssl)) continue;
      const pfx = Buffer.from(await archive(rsa, encoder, secret));
      expect(createSecureContext({ pfx, passphrase: secret })).toHaveProperty("context");
    }
  });

  for (const [kind, entry] of entries) {
    itWith("openssl", "version")(`with a key of type ${kind} is read by openssl`, async () => {
      const store = await archive(entry, "modern2023");
      const text = byOpenssl(store, ["-nodes"]);
      expect(certificatesIn(text)).toEqual(entry.certificates.map(pemOf));
      expect(text.match(/friendlyName: www.example.com/g)).toHaveLength(2);
      expect(new Set(text.match(/localKeyID: .*/g)).size).toBe(1);
      const [key = ""] = /-----BEGIN PRIVATE KEY[^]+?KEY-----/.exec(text) ?? [];
      const der = createPrivateKey(key).export({ type: "pkcs8", format: "der" });
      expect(der.equals(entry.key)).toBe(true);
      expect(() => byOpenssl(store, ["-noout"], "wrong")).toThrow(/invalid password/);
      const newer = await archive(entry, "modern2026");
      const see = () => certificatesIn(byOpenssl(newer, ["-nodes"]));
      if (readsPbmac1(openssl(["version"]))) expect(see()).toEqual(entry.certificates.map(pemOf));
      else expect(see).toThrow();
    });

    itWith("keytool", "-help")(`with a key of type ${kind} is read by keytool`, async () => {
      const store = await archive(entry, "modern2023");
      const asked = { type: "PKCS12", password, alias: "www.example.com" };
      expect(publicOf(keyFromStore(store, asked))).toBe(publicOf(entry.key));
    });
  }

  itWith("keytool", "-help")("without a key is a Java trust store", async () => {
    const store = await archive({ certificates: rsa.certificates }, "modern2023");
    const listed = withFiles({ store }, (path) =>
      keytool(["-list", "-keystore", path("store"), "-storepass", password]),
    );
    expect(listed.match(/^[12], .*trustedCertEntry/gm)).toHaveLength(2);
    expect(certificatesIn(byOpenssl(store, ["-nokeys"]))).toEqual(rsa.certificates.map(pemOf));
  });
});
