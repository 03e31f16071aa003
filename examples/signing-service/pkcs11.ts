import { Buffer } from "node:buffer";
import { spawn } from "node:child_process";
import { createHash, createPublicKey, type KeyObject } from "node:crypto";
import process from "node:process";
import type { Scheme, SigningKey } from "./signing-key.ts";

/** A PKCS#11 token, and the program with which it is used. */
export interface Token {
  /** Path of the PKCS#11 module, which is the shared library of the token's manufacturer. */
  readonly module: string;
  /** Label of the token. */
  readonly label: string;
  readonly pin: string;
  /** The `pkcs11-tool` of OpenSC 0.22 or later. */
  readonly tool?: string;
}

/** Maximum time for a signature in ms. Sealwright waits ten seconds. */
const timeout = 9_000;

/**
 * Returns the keys of a token with these labels. For each, the token must contain a private key and
 * its public key, RSA or EC, with the same ID. Creates only one signature at a time.
 */
export async function tokenKeys(
  token: Token,
  labels: readonly string[],
): Promise<ReadonlyMap<string, SigningKey>> {
  const keys = new Map<string, SigningKey>();
  const listing = String(await runTool(token, ["--list-objects", "--type", "pubkey"]));
  let last: Promise<unknown> = Promise.resolve();
  for (const label of labels) {
    const { id, publicKey } = await publicKeyOf(token, listing, label);
    const signNext = (data: Buffer, scheme: Scheme) =>
      runTool(token, ["--sign", "--id", id, ...mechanism(publicKey, scheme)], data);
    keys.set(label, {
      publicKey,
      sign: (data, scheme) => {
        const hashed = publicKey.asymmetricKeyType === "ec" ? digestOf(data, scheme) : data;
        const next = last.then(() => signNext(hashed, scheme));
        last = next.catch(() => undefined);
        return next;
      },
    });
  }
  return keys;
}

/** Returns a public key in the listing, and the ID with which the tool finds the private key. */
async function publicKeyOf(token: Token, listing: string, label: string) {
  const blocks = listing.split(/^(?=Public Key Object)/m);
  const member = (block: string, name: string): string =>
    new RegExp(`^ +${name}: +(.*)$`, "m").exec(block)?.[1] ?? "";
  const block = blocks.find((one) => member(one, "label") === label);
  if (block === undefined) throw new TypeError(`the token has no public key ${label}`);
  const id = member(block, "ID");
  if (id === "") throw new TypeError(`the key ${label} has no ID, by which pkcs11-tool finds it`);
  // OpenSC 0.23 cannot write the public key of P-384
  const key = block.includes("EC_POINT:")
    ? encodeEcKey(member(block, "EC_POINT"), member(block, "EC_PARAMS"))
    : await runTool(token, ["--read-object", "--type", "pubkey", "--id", id]);
  return { id, publicKey: createPublicKey({ key, format: "der", type: "spki" }) };
}

/** Encodes a SubjectPublicKeyInfo. The point is in an OCTET STRING. */
function encodeEcKey(point: string, curve: string): Buffer {
  const octets = Buffer.from(point, "hex");
  // the length is one byte, or two for P-521
  const bits = octets.subarray(octets[1] === 0x81 ? 3 : 2);
  const ecPublicKey = Buffer.from("06072a8648ce3d0201", "hex");
  const algorithm = der(0x30, ecPublicKey, Buffer.from(curve, "hex"));
  return der(0x30, algorithm, der(0x03, Buffer.of(0), bits));
}

function der(tag: number, ...contents: readonly Buffer[]): Buffer {
  const content = Buffer.concat(contents);
  const length = content.length < 0x80 ? [content.length] : [0x81, content.length];
  return Buffer.concat([Buffer.of(tag, ...length), content]);
}

const digestOf = (data: Buffer, { hash = "sha256" }: Scheme): Buffer =>
  createHash(hash).update(data).digest();

/** Returns the options for a signature. Tokens can hash the data for RSA, but few can for ECDSA. */
function mechanism({ asymmetricKeyType: type }: KeyObject, scheme: Scheme): readonly string[] {
  const hash = (scheme.hash ?? "").toUpperCase();
  if (type === "ec") return ["--mechanism", "ECDSA", "--signature-format", "openssl"];
  if (type !== "rsa") throw new TypeError(`a token signs with RSA and EC keys, not ${type}`);
  return scheme.pss
    ? ["--mechanism", `${hash}-RSA-PKCS-PSS`, "--mgf", `MGF1-${hash}`, "--salt-len", "-1"]
    : ["--mechanism", `${hash}-RSA-PKCS`];
}

/** Runs the tool with input and returns its output. The PIN is never part of the command line. */
function runTool(
  token: Token,
  words: readonly string[],
  input: Buffer = Buffer.alloc(0),
): Promise<Buffer> {
  const { module, label, pin, tool = "pkcs11-tool" } = token;
  const login = ["--module", module, "--token-label", label, "--login", "--pin", "env:PKCS11_PIN"];
  const child = spawn(tool, [...login, ...words], {
    env: { ...process.env, PKCS11_PIN: pin },
    timeout,
  });
  const [output, errors]: [Buffer[], Buffer[]] = [[], []];
  child.stdout.on("data", (part: Buffer) => output.push(part));
  child.stderr.on("data", (part: Buffer) => errors.push(part));
  child.stdin.on("error", () => undefined); // it may end without reading
  child.stdin.end(input);
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) =>
      code === 0
        ? resolve(Buffer.concat(output))
        : reject(new Error(`${tool}: ${Buffer.concat(errors).toString().trim()}`)),
    );
  });
}
