import {
  constants,
  createHash,
  createHmac,
  createPublicKey,
  generateKeyPairSync,
  privateEncrypt,
  randomBytes,
  sign,
  type KeyObject,
} from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer, type Server, type ServerOptions } from "node:https";
import { p256, p384, p521 } from "@noble/curves/nist.js";
import { fromHex } from "../../src/base/bytes.ts";
import { certificate, dial, listening, now, type Certified } from "../net/tls-fixture.ts";
import { authority, clockAt, type Authority, type AuthorityOptions } from "./authority.ts";

/** Responds to a request with its body. */
export type Answering = (
  request: IncomingMessage,
  body: string,
  response: ServerResponse,
) => void | Promise<void>;

/** A key service over real HTTPS, and an authority that reaches it by any name. */
export interface Kept {
  readonly a: Authority;
  /** Options of another authority that reaches it. */
  readonly reaching: AuthorityOptions;
  readonly ca: Certified;
  /** Its response to requests; can be replaced. */
  answer: Answering;
  readonly requests: { readonly url: string; readonly body: string }[];
  close(): void;
}
const tlsRoot = await certificate({ name: "private CA", ca: true });
const tlsOwn = await certificate({ issuer: tlsRoot, names: { dns: ["keeper.example"] } });
/** The server's own certificate, for pinning. */
export const ownPem = tlsOwn.pem;
export const rootPem = tlsRoot.pem;
/** A client certificate that the service accepts when it requires one. */
export const client = await certificate({ issuer: tlsRoot, name: "sealwright" });

export async function keeping(
  answer: Answering,
  options: { readonly tls?: ServerOptions; readonly authority?: AuthorityOptions } = {},
): Promise<Kept> {
  const requests: Kept["requests"][number][] = [];
  const own = { key: tlsOwn.key.pem, cert: tlsOwn.pem, ...options.tls };
  const server: Server = createServer(own, (request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      const body = Buffer.concat(parts).toString();
      requests.push({ url: request.url ?? "", body });
      void service.answer(request, body, response);
    });
  });
  const port = await listening(server);
  const reaching: AuthorityOptions = {
    clock: clockAt(now * 1000),
    dial: () => dial(port),
    resolve: async ({ type }) => (type === "A" ? ["10.1.2.3"] : []),
    ...options.authority,
  };
  const service: Kept = {
    a: authority(reaching),
    reaching,
    ca: tlsRoot,
    answer,
    requests,
    close: () => server.close().closeAllConnections(),
  };
  return service;
}

export const json = (response: ServerResponse, status: number, body: object): void => {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
};
export const spkiOf = (key: KeyObject): Buffer =>
  createPublicKey(key).export({ type: "spki", format: "der" });

/** Returns a private key of a kind: `rsa`, `P-256`, `P-384`, `P-521`, `ed25519`, `ml-dsa-65`. */
export function keeperKey(kind: string): KeyObject {
  if (kind === "rsa") return generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey;
  if (kind === "ed25519") return generateKeyPairSync("ed25519").privateKey;
  if (kind === "ml-dsa-44" || kind === "ml-dsa-65") return generateKeyPairSync(kind).privateKey;
  return generateKeyPairSync("ec", { namedCurve: kind }).privateKey;
}

const prefixes: Readonly<Record<string, string>> = {
  sha256: "3031300d060960864801650304020105000420",
  sha384: "3041300d060960864801650304020205000430",
  sha512: "3051300d060960864801650304020305000440",
};
/**
 * Signs a digest as key services do: PKCS #1 v1.5, PSS with a salt of the hash's length, or ECDSA.
 */
export function signDigest(
  key: KeyObject,
  hash: string,
  digest: Buffer,
  form: "pkcs1" | "pss" | "der" | "raw",
): Buffer {
  if (form === "pkcs1")
    return privateEncrypt(
      { key, padding: constants.RSA_PKCS1_PADDING },
      Buffer.concat([fromHex(prefixes[hash] ?? ""), digest]),
    );
  if (form === "pss")
    return privateEncrypt(
      { key, padding: constants.RSA_NO_PADDING },
      emsaPss(hash, digest, (key.asymmetricKeyDetails?.modulusLength ?? 0) / 8),
    );
  const { d = "", crv } = key.export({ format: "jwk" });
  const curve = crv === "P-256" ? p256 : crv === "P-384" ? p384 : p521;
  const secret = Buffer.from(d, "base64url");
  const signed = curve.sign(digest, secret, {
    prehash: false,
    lowS: false,
    extraEntropy: randomBytes(32),
    format: form === "raw" ? "compact" : "der",
  });
  return Buffer.from(signed);
}
/** Encodes EMSA-PSS with MGF1 (RFC 8017 section 9.1.1), for moduli of whole octets. */
function emsaPss(hash: string, digest: Buffer, length: number): Buffer {
  const hashed = (...parts: readonly Buffer[]) =>
    createHash(hash).update(Buffer.concat(parts)).digest();
  const salt = randomBytes(digest.length);
  const h = hashed(Buffer.alloc(8), digest, salt);
  const db = Buffer.concat([Buffer.alloc(length - 2 * digest.length - 2), Buffer.of(1), salt]);
  const mask: Buffer[] = [];
  for (let i = 0; i * digest.length < db.length; i++) mask.push(hashed(h, Buffer.of(0, 0, 0, i)));
  const masked = db.map((byte, i) => byte ^ (Buffer.concat(mask)[i] ?? 0));
  masked[0] = (masked[0] ?? 0) & 0x7f;
  return Buffer.concat([masked, h, Buffer.of(0xbc)]);
}

/** Returns a signing service with our own protocol for one key. */
export const serviceOf =
  (key: KeyObject, encoding?: "raw"): Answering =>
  (request, body, response) => {
    if (request.headers.authorization !== "Bearer the-token") return json(response, 401, {});
    if (request.method === "GET")
      return json(response, 200, { public_key: spkiOf(key).toString("base64") });
    const { scheme, digest, data } = JSON.parse(body) as Readonly<Record<string, string>>;
    const hash = /SHA(\d+)/.exec(scheme ?? "")?.[1];
    const form = scheme?.endsWith("PSS") ? "pss" : /RSA/.test(scheme ?? "") ? "pkcs1" : "der";
    const signature = digest
      ? signDigest(key, `sha${hash}`, Buffer.from(digest, "base64"), encoding ?? form)
      : sign(null, Buffer.from(data ?? "", "base64"), key);
    const options = encoding && digest ? { encoding } : {};
    json(response, 200, { signature: signature.toString("base64"), ...options });
  };
/** The settings that register its key. */
export const serviceKey = {
  url: "https://keeper.example/signing",
  token: "the-token",
  trusted_ca: tlsRoot.pem,
  allow_private_network: true,
  any_mount: true,
};

/** Credentials that the AWS KMS stand-in accepts. */
export const aws = { access_key: "AKIDEXAMPLE", secret_key: "wJalrXUtnFEMI/K7MDENG+bPxRfiCY" };
export const awsKey = {
  ...aws,
  region: "eu-central-1",
  endpoint: "https://keeper.example/",
  kms_key: "alias/ca",
  trusted_ca: tlsRoot.pem,
  allow_private_network: true,
  any_mount: true,
};
const hmac = (key: string | Buffer, text: string): Buffer =>
  createHmac("sha256", key).update(text).digest();
const hex = (text: string): string => createHash("sha256").update(text).digest("hex");

/**
 * Returns the error in the signature of a request (Signature Version 4), computed only from the
 * request; undefined for none.
 */
export function signatureFault(
  request: IncomingMessage,
  body: string,
  { at, region = "eu-central-1" }: { readonly at: number; readonly region?: string },
): string | undefined {
  const form =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([\w-]+)\/kms\/aws4_request, ?SignedHeaders=([\w;-]+), ?Signature=([\da-f]{64})$/;
  const [, id, day = "", place = "", names = "", signature] =
    form.exec(request.headers.authorization ?? "") ?? [];
  const date = String(request.headers["x-amz-date"]);
  if (id !== aws.access_key || place !== region) return "the credentials are of another scope";
  for (const name of ["host", "x-amz-date", "x-amz-target"])
    if (!names.split(";").includes(name)) return `${name} is not signed`;
  const time = Date.parse(date.replace(/(....)(..)(..T..)(..)(..Z)/, "$1-$2-$3:$4:$5"));
  if (!date.startsWith(day) || Math.abs(time - at) > 1000) return "the time is another one";
  const canonical = [
    request.method,
    request.url,
    "",
    ...names.split(";").map((name) => `${name}:${String(request.headers[name]).trim()}`),
    "",
    names,
    hex(body),
  ].join("\n");
  const scope = `${day}/${place}/kms/aws4_request`;
  const text = ["AWS4-HMAC-SHA256", date, scope, hex(canonical)].join("\n");
  const key = [day, place, "kms", "aws4_request"].reduce<Buffer>(
    (signed, part) => hmac(signed, part),
    Buffer.from(`AWS4${aws.secret_key}`),
  );
  return hmac(key, text).toString("hex") === signature ? undefined : "the signature does not match";
}

const kmsSchemes: Readonly<Record<string, readonly ["pkcs1" | "pss" | "der", string]>> = {
  RSASSA_PKCS1_V1_5_SHA_256: ["pkcs1", "sha256"],
  RSASSA_PKCS1_V1_5_SHA_384: ["pkcs1", "sha384"],
  RSASSA_PKCS1_V1_5_SHA_512: ["pkcs1", "sha512"],
  RSASSA_PSS_SHA_256: ["pss", "sha256"],
  RSASSA_PSS_SHA_384: ["pss", "sha384"],
  RSASSA_PSS_SHA_512: ["pss", "sha512"],
  ECDSA_SHA_256: ["der", "sha256"],
  ECDSA_SHA_384: ["der", "sha384"],
  ECDSA_SHA_512: ["der", "sha512"],
};
/** Returns an AWS KMS stand-in with keys by alias. `at`: the time that requests must have. */
export function kmsOf(keys: Map<string, KeyObject>, at: () => number): Answering {
  const created = new Map<string, KeyObject>();
  const specs: Readonly<Record<string, string>> = { RSA_2048: "rsa", ECC_NIST_P384: "P-384" };
  return (request, body, response) => {
    const fault = signatureFault(request, body, { at: at() });
    const failed = (type: string, status = 400) => json(response, status, { __type: type });
    if (fault) return failed("InvalidSignatureException");
    if (request.headers["content-type"] !== "application/x-amz-json-1.1") return failed("Serial");
    const operation = String(request.headers["x-amz-target"]).replace("TrentService.", "");
    const input = JSON.parse(body) as Readonly<Record<string, string>>;
    if (operation === "CreateKey") {
      created.set("made", keeperKey(specs[input["KeySpec"] ?? ""] ?? ""));
      return json(response, 200, { KeyMetadata: { KeyId: "made" } });
    }
    if (operation === "CreateAlias") {
      const key = created.get(input["TargetKeyId"] ?? "");
      if (key) keys.set(input["AliasName"] ?? "", key);
      return json(response, 200, {});
    }
    const key = keys.get(input["KeyId"] ?? "");
    if (!key) return failed("com.amazonaws.kms#NotFoundException");
    if (operation === "GetPublicKey")
      return json(response, 200, {
        PublicKey: spkiOf(key).toString("base64"),
        KeyUsage: "SIGN_VERIFY",
      });
    const message = Buffer.from(input["Message"] ?? "", "base64");
    if (input["MessageType"] === "RAW") {
      const own = key.asymmetricKeyType === "ed25519" ? "ED25519_SHA_512" : "ML_DSA_SHAKE_256";
      if (input["SigningAlgorithm"] !== own || message.length > 4096)
        return failed("ValidationException");
      return json(response, 200, { Signature: sign(null, message, key).toString("base64") });
    }
    const [form, hash] = kmsSchemes[input["SigningAlgorithm"] ?? ""] ?? [];
    if (!form || !hash) return failed("ValidationException");
    const signature = signDigest(key, hash, message, form);
    return json(response, 200, { Signature: signature.toString("base64") });
  };
}
