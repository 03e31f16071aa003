import { generateKeyPairSync, randomBytes, sign, type KeyObject } from "node:crypto";

/** Contents of a template. Times are Unix milliseconds. */
export interface Template {
  readonly commonName: string;
  readonly dnsNames: readonly string[];
  readonly notBefore: number;
  readonly notAfter: number;
  /** SubjectPublicKeyInfo of the CSR, DER. */
  readonly publicKey: Buffer;
}

/** Any key may sign a template, because the CA replaces the signature with its own. */
let key: KeyObject | undefined;
const ownKey = (): KeyObject =>
  (key ??= generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey);

/** Returns a certificate (PEM) as the CA should issue it. */
export function templateCertificate(it: Template, by = ownKey()): string {
  const algorithm = seq(oid("2a8648ce3d040302"));
  const serial = randomBytes(19);
  const names = seq(...it.dnsNames.map((name) => tlv(0x82, Buffer.from(name))));
  const body = seq(
    tlv(0xa0, tlv(0x02, Buffer.of(2))),
    tlv(0x02, Buffer.concat([Buffer.of(0x01), serial])),
    algorithm,
    name("policy service"),
    seq(time(it.notBefore), time(it.notAfter)),
    name(it.commonName),
    it.publicKey,
    tlv(
      0xa3,
      seq(
        // digitalSignature; serverAuth and clientAuth; the names
        extension("551d0f", tlv(0x03, Buffer.of(7, 0x80)), true),
        extension("551d25", seq(oid("2b06010505070301"), oid("2b06010505070302"))),
        extension("551d11", names),
      ),
    ),
  );
  const signature = sign("sha256", body, by);
  const der = seq(body, algorithm, tlv(0x03, Buffer.of(0), signature));
  const lines = der.toString("base64").replace(/.{64}(?=.)/g, "$&\n");
  return `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`;
}

/**
 * Returns the SubjectPublicKeyInfo of a PEM CSR, whose signature the CA has verified, or undefined
 * if it has none.
 */
export function publicKeyOf(csr: string): Buffer | undefined {
  const [, base64 = ""] = /-----BEGIN CERTIFICATE REQUEST-----([\s\S]*?)-----END/.exec(csr) ?? [];
  const [info] = children(Buffer.from(base64, "base64"));
  const [, , spki] = children(info);
  return spki;
}

/** Returns the elements inside a DER element. */
function children(der: Buffer | undefined): Buffer[] {
  const inside = der && contentOf(der);
  if (!der || !inside) return [];
  const found: Buffer[] = [];
  for (let at = inside.start; at < inside.end;) {
    const next = contentOf(der.subarray(at));
    if (!next || at + next.end > inside.end) return [];
    found.push(der.subarray(at, at + next.end));
    at += next.end;
  }
  return found;
}
function contentOf(der: Buffer): { readonly start: number; readonly end: number } | undefined {
  const short = der[1] ?? 0x80;
  const digits = short < 0x80 ? 0 : short - 0x80;
  if (digits > 3) return undefined;
  const length = digits === 0 ? short : der.length < 2 + digits ? NaN : der.readUIntBE(2, digits);
  const start = 2 + digits;
  return start + length <= der.length ? { start, end: start + length } : undefined;
}

function tlv(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const digits = content.length.toString(16).padStart(2, "0");
  const size = Buffer.from(digits.length % 2 === 0 ? digits : `0${digits}`, "hex");
  const length =
    content.length < 0x80 ? size : Buffer.concat([Buffer.of(0x80 + size.length), size]);
  return Buffer.concat([Buffer.of(tag), length, content]);
}
const seq = (...parts: readonly Buffer[]): Buffer => tlv(0x30, ...parts);
const oid = (hex: string): Buffer => tlv(0x06, Buffer.from(hex, "hex"));
const name = (commonName: string): Buffer =>
  seq(tlv(0x31, seq(oid("550403"), tlv(0x0c, Buffer.from(commonName)))));
const extension = (id: string, value: Buffer, critical = false): Buffer =>
  seq(oid(id), ...(critical ? [tlv(0x01, Buffer.of(0xff))] : []), tlv(0x04, value));
/** Encodes a time: as UTCTime until 2049, then as GeneralizedTime. */
function time(at: number): Buffer {
  const text = new Date(at).toISOString().replace(/[-:T]|\.\d+/g, "");
  return text < "2050" ? tlv(0x17, Buffer.from(text.slice(2))) : tlv(0x18, Buffer.from(text));
}
