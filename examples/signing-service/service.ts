import { Buffer } from "node:buffer";
import { createHash, createPrivateKey, timingSafeEqual } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import { join } from "node:path";
import process from "node:process";
import { tokenKeys } from "./pkcs11.ts";
import { localKey, type Scheme, type SigningKey } from "./signing-key.ts";

/** Settings of the service. */
export interface Service {
  /** Keys by name. */
  readonly keys: ReadonlyMap<string, SigningKey>;
  /** Bearer token that grants the use of every key; absent if TLS alone authenticates callers. */
  readonly token?: string;
  /** Logs a signature. */
  log?(line: string): void;
}

/** Maximum size of a request in bytes. */
const maxBytes = 8 * 1024 * 1024;
/** Signature parameters of each scheme. */
const schemes: Readonly<Record<string, Scheme>> = {
  SHA256WithRSA: { hash: "sha256" },
  SHA384WithRSA: { hash: "sha384" },
  SHA512WithRSA: { hash: "sha512" },
  SHA256WithRSAPSS: { hash: "sha256", pss: true },
  SHA384WithRSAPSS: { hash: "sha384", pss: true },
  SHA512WithRSAPSS: { hash: "sha512", pss: true },
  ECDSAWithSHA256: { hash: "sha256" },
  ECDSAWithSHA384: { hash: "sha384" },
  ECDSAWithSHA512: { hash: "sha512" },
  Ed25519: {},
  "ML-DSA-44": {},
  "ML-DSA-65": {},
  "ML-DSA-87": {},
};

/** Returns an HTTPS request handler that implements the protocol. */
export function signingService({ keys, token, log = () => undefined }: Service) {
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const reply = (status: number, body: object): void => {
      response.writeHead(status, { "content-type": "application/json" });
      response.end(JSON.stringify(body));
    };
    if (token !== undefined && !isToken(request.headers.authorization, token))
      return reply(401, { error: "a valid bearer token is needed" });
    const [, name = "", action] = /^\/keys\/([\w.-]+)(?:\/(sign))?$/.exec(request.url ?? "") ?? [];
    const key = keys.get(name);
    if (!key) return reply(404, { error: "no such key" });
    if (action === undefined && request.method === "GET")
      return reply(200, { public_key: spkiOf(key).toString("base64") });
    if (action === undefined || request.method !== "POST")
      return reply(405, { error: "GET a key, POST to sign" });
    const asked = parseRequest(await bodyOf(request));
    const signature = asked && (await signed(key, asked));
    if (!asked || !signature)
      return reply(400, { error: "send a scheme that fits the key, and data in base64" });
    log(`${name} ${asked.scheme} ${asked.data.length} bytes`);
    return reply(200, { signature: signature.toString("base64") });
  };
}

const spkiOf = ({ publicKey }: SigningKey): Buffer =>
  publicKey.export({ type: "spki", format: "der" });

/** Compares hashes, so that timing reveals nothing about the token. */
function isToken(header: string | undefined, token: string): boolean {
  const hash = (text: string): Buffer => createHash("sha256").update(text).digest();
  return timingSafeEqual(hash(header ?? ""), hash(`Bearer ${token}`));
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of request) {
    // requests are read as bytes
    const bytes = part as Buffer;
    size += bytes.length;
    if (size > maxBytes) return "";
    parts.push(bytes);
  }
  return Buffer.concat(parts).toString();
}

interface SigningRequest {
  readonly scheme: string;
  readonly data: Buffer;
}
function parseRequest(body: string): SigningRequest | undefined {
  try {
    const { scheme, data } = JSON.parse(body) as Readonly<Record<string, unknown>>;
    return typeof scheme === "string" && typeof data === "string"
      ? { scheme, data: Buffer.from(data, "base64") }
      : undefined;
  } catch {
    return undefined;
  }
}

/** Signs data. Add your own rules here: `data` is everything that will be signed. */
async function signed(
  key: SigningKey,
  { scheme, data }: SigningRequest,
): Promise<Buffer | undefined> {
  const parameters = schemes[scheme];
  if (!parameters) return undefined;
  const type = /RSA/.test(scheme)
    ? "rsa"
    : scheme.startsWith("ECDSA")
      ? "ec"
      : scheme.toLowerCase();
  return key.publicKey.asymmetricKeyType === type ? key.sign(data, parameters) : undefined;
}

/** Reads the keys in a folder, each from a file `NAME.pem`. */
const keysIn = (folder: string): ReadonlyMap<string, SigningKey> =>
  new Map(
    readdirSync(folder)
      .filter((file) => file.endsWith(".pem"))
      .map((file) => [
        file.slice(0, -".pem".length),
        localKey(createPrivateKey(readFileSync(join(folder, file)))),
      ]),
  );

if (import.meta.main) {
  const print = (line: string): void => void process.stdout.write(`${line}\n`);
  const {
    KEYS = "keys",
    TOKEN,
    TLS_KEY = "",
    TLS_CERT = "",
    CLIENT_CA,
    PKCS11_MODULE,
    PKCS11_TOKEN = "",
    PKCS11_PIN_FILE = "",
    PORT = "9443",
  } = process.env;
  if (!TOKEN && !CLIENT_CA) throw new TypeError("set TOKEN or CLIENT_CA: nobody else may sign");
  const keys = PKCS11_MODULE
    ? await tokenKeys(
        {
          module: PKCS11_MODULE,
          label: PKCS11_TOKEN,
          pin: readFileSync(PKCS11_PIN_FILE, "utf8").trim(),
        },
        KEYS.split(","),
      )
    : keysIn(KEYS);
  const service = signingService({
    keys,
    ...(TOKEN ? { token: TOKEN } : {}),
    log: print,
  });
  const clients = CLIENT_CA
    ? { ca: readFileSync(CLIENT_CA), requestCert: true, rejectUnauthorized: true }
    : {};
  if (!TLS_KEY || !TLS_CERT) throw new TypeError("set TLS_KEY and TLS_CERT: names of PEM files");
  const own = { key: readFileSync(TLS_KEY), cert: readFileSync(TLS_CERT), ...clients };
  createServer(own, (request, response) => {
    service(request, response).catch((error: unknown) => {
      print(String(error));
      response.destroy();
    });
  }).listen(Number(PORT), "127.0.0.1", () => print(`signing on https://127.0.0.1:${PORT}`));
}
