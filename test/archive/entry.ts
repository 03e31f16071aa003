import { createPrivateKey, createPublicKey } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { execFileSync } from "node:child_process";
import { encodeName } from "../../src/x509/name.ts";
import { generateKey } from "../../src/keys/generate.ts";
import { certify, commonName, makeCa, makeKey, withFiles } from "../x509/fixture.ts";

export interface Entry {
  /** PKCS#8. */
  readonly key: Uint8Array;
  /** The certificate of the key, and that of the CA that issued it. */
  readonly certificates: readonly [leaf: Uint8Array, ca: Uint8Array];
}

const signer = await makeKey("P-256");
const { der: ca, fields } = await makeCa(signer);

export async function entryOf(type: "ec" | "rsa" | "ed25519", bits = 0): Promise<Entry> {
  const { pkcs8, spki } = await generateKey(type, bits);
  const subject = encodeName(commonName("www.example.com"));
  const leaf = await certify(signer, {
    ...fields,
    serial: Uint8Array.of(7),
    subject,
    spki,
    extensions: [],
  });
  return { key: pkcs8, certificates: [leaf, ca] };
}

export const random = (bytes: number): Uint8Array => crypto.getRandomValues(new Uint8Array(bytes));

/** JVM options for a short run, which halve its time. */
const shortLived = ["-J-XX:TieredStopAtLevel=1", "-J-XX:+UseSerialGC"];

/** Returns the output of keytool. */
export const keytool = (args: readonly string[]): string =>
  execFileSync("keytool", ["-J-Duser.language=en", ...shortLived, ...args], {
    encoding: "utf8",
    stdio: ["pipe", "pipe", "pipe"],
  });

/**
 * Returns a key that keytool exports from a key store as PKCS#12, converted to PKCS#8 by openssl.
 */
export const keyFromStore = (
  store: Uint8Array,
  {
    type,
    password,
    alias,
  }: { readonly type: string; readonly password: string; readonly alias: string },
): Uint8Array =>
  withFiles({ store }, (path) => {
    keytool([
      "-importkeystore",
      "-noprompt",
      "-srcstoretype",
      type,
      "-deststoretype",
      "PKCS12",
      "-srckeystore",
      path("store"),
      "-srcstorepass",
      password,
      "-srcalias",
      alias,
      "-destkeystore",
      path("out"),
      "-deststorepass",
      "changed-it",
    ]);
    const pem = execFileSync("openssl", [
      "pkcs12",
      "-in",
      path("out"),
      "-passin",
      "pass:changed-it",
      "-nodes",
      "-nocerts",
    ]);
    writeFileSync(path("key.pem"), pem);
    execFileSync("openssl", [
      "pkcs8",
      "-topk8",
      "-nocrypt",
      "-in",
      path("key.pem"),
      "-outform",
      "DER",
      "-out",
      path("key.der"),
    ]);
    return new Uint8Array(readFileSync(path("key.der")));
  });

export const publicOf = (pkcs8: Uint8Array): string =>
  createPublicKey(
    createPrivateKey({ key: Buffer.from(pkcs8), format: "der", type: "pkcs8" }),
  ).export({ type: "spki", format: "pem" });

/** A key of each type, with its certificates. */
export const entries = [
  ["ec", await entryOf("ec")],
  ["rsa", await entryOf("rsa")],
  ["ed25519", await entryOf("ed25519")],
] as const;

/** Reports whether a version of OpenSSL reads PBMAC1, which came with 3.4. */
export const readsPbmac1 = (version: string): boolean => {
  const [, major = "0", minor = "0"] = /(\d+)\.(\d+)/.exec(version) ?? [];
  return Number(major) > 3 || (Number(major) === 3 && Number(minor) >= 4);
};
