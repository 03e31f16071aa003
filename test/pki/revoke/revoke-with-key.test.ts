import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it, vi } from "vitest";
import { toHex } from "../../../src/base/bytes.ts";
import {
  bitString,
  explicit,
  integer,
  nullValue,
  octets,
  oid,
  readDer,
  sequence,
} from "../../../src/base/der.ts";
import { implicit } from "../../support/der.ts";
import { decodePem, encodePem } from "../../../src/base/pem.ts";
import { openPkcs8, traditionalKey } from "../../../src/keys/signer.ts";
import { eachRevoked, parseCrl } from "../../../src/x509/crl.ts";
import { keyOid } from "../../algorithms/parameters.ts";
import { kinds, openssl, opensslKey, opensslTraditional } from "../../keys/openssl.ts";
import { authority, start, type Authority } from "../../support/authority.ts";
import { threadTime } from "../../support/spent.ts";

const directory = mkdtempSync(join(tmpdir(), "revoke-with-key-"));
afterAll(() => rmSync(directory, { recursive: true }));
const file = (name: string, text = ""): string => {
  const path = join(directory, name);
  if (text !== "") writeFileSync(path, text);
  return path;
};

const keys = Object.fromEntries(kinds.map((kind) => [kind, opensslKey(kind)])) as Record<
  (typeof kinds)[number],
  string
>;
const request = (key: string): string =>
  openssl(["req", "-new", "-key", file("key.pem", key), "-subj", "/CN=a.test"]);

async function ready(options: Parameters<typeof authority>[0] = {}) {
  const a = authority(options);
  await a.root();
  await a.role("web", { key_type: "any" });
  return a;
}
/** Returns a certificate for a key made by openssl. */
const certified = (a: Authority, key: string) =>
  a.pki.sign({ role: "web", csr: request(key), ttl: "100h" });
const post = (a: Authority, body: object) => a.call("POST", "pki/revoke-with-key", body);
const listed = async (a: Authority): Promise<number> =>
  [...eachRevoked(parseCrl((await a.call("GET", "pki/crl")).bytes))].length;

describe("POST revoke-with-key", () => {
  it.each(kinds)(
    "B 1.1 private_key, B 1.1 proof kinds: accepts a %s key of openssl as PKCS#8 or in its traditional form, by serial number or certificate",
    async (kind) => {
      const a = await ready();
      const forms = [keys[kind], opensslTraditional(keys[kind])];
      for (const private_key of forms) {
        const one = await certified(a, keys[kind]);
        expect((await post(a, { serial_number: one.serial_number, private_key })).data).toEqual({
          revocation_time: start / 1000,
          revocation_time_rfc3339: "2030-01-02T03:04:05Z",
          state: "revoked",
        });
        const other = await certified(a, keys[kind]);
        const answer = await post(a, { certificate: other.certificate, private_key });
        expect([answer.status, answer.data["state"]]).toEqual([200, "revoked"]);
      }
      expect(await listed(a)).toBe(4);
    },
  );

  it("accepts a key after EC PARAMETERS, between text, with CRLF, or with a compressed point", async () => {
    const a = await ready();
    const key = openssl(["ecparam", "-name", "prime256v1", "-genkey"]);
    const compressed = openssl(["ec", "-conv_form", "compressed"], key);
    for (const private_key of [
      key,
      `my key\r\n${key.replaceAll("\n", "\r\n")}\r\nthat was it`,
      compressed,
    ]) {
      const { serial_number } = await certified(a, key);
      expect((await post(a, { serial_number, private_key })).data["state"]).toBe("revoked");
    }
  });

  it("B 1.1 rule 11: responds like revoke, but access to it does not permit revoking by serial number alone", async () => {
    const a = await ready({
      authenticate: async (token) => ({
        id: token,
        can: (capability, path) =>
          token === "root" || (path === "pki/revoke-with-key" && capability === "update"),
      }),
    });
    const holder = { token: "holder" };
    const { serial_number } = await certified(a, keys["P-256"]);
    const body = { serial_number, private_key: keys["P-256"] };
    const stranger = await a.call("POST", "pki/revoke-with-key", body, { token: "" });
    expect([stranger.status, await listed(a)]).toEqual([403, 0]);
    expect((await a.call("POST", "pki/revoke", body, holder)).status).toBe(403);
    const answer = await a.call("PUT", "pki/revoke-with-key", body, holder);
    expect([answer.status, await listed(a)]).toEqual([200, 1]);
    expect(answer.data).toEqual(await a.pki.revoke({ serial_number }));
  });

  it("follows the rules of revoke for repetition, expired certificates, reasons and auto_rebuild", async () => {
    const a = await ready();
    const private_key = keys["ed25519"];
    const one = await certified(a, private_key);
    const body = { serial_number: one.serial_number, private_key, reason: "keyCompromise" };
    const first = await post(a, body);
    const list = (await a.call("GET", "pki/crl")).bytes;
    expect([...eachRevoked(parseCrl(list))].map(({ reason }) => reason)).toEqual([1]);
    a.clock.advance(60);
    expect((await post(a, body)).data).toEqual(first.data);
    expect((await a.call("GET", "pki/crl")).bytes).toEqual(list);
    await a.pki.writeCrlConfig({ auto_rebuild: true });
    const two = await certified(a, private_key);
    expect((await post(a, { ...body, serial_number: two.serial_number })).status).toBe(200);
    expect((await a.call("GET", "pki/crl")).bytes).toEqual(list);
    const three = await certified(a, private_key);
    a.clock.advance(101 * 3600);
    const ended = await post(a, { certificate: three.certificate, private_key });
    expect(ended.json).toMatchObject({
      data: null,
      warnings: expect.stringMatching(/already expired/),
    });
  });

  it("accepts weak keys of certificates that an imported issuer signed elsewhere: weakness is a reason to revoke", async () => {
    const ca = openssl(["genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256"]);
    const subject = ["-subj", "/CN=From elsewhere", "-days", "9999"];
    const root = openssl(["req", "-x509", "-new", "-key", file("ca.key", ca), ...subject]);
    const a = authority();
    await a.pki.importBundle({ pem_bundle: `${root}${ca}` });
    const signed = ["-CA", file("ca.pem", root), "-CAkey", file("ca.key"), "-days", "9000"];
    for (const options of ["rsa_keygen_bits:1024", "rsa_keygen_pubexp:3", "rsa_keygen_bits:2050"]) {
      const key = openssl(["genpkey", "-algorithm", "RSA", "-pkeyopt", options]);
      const csr = file("weak.csr", request(key));
      const certificate = openssl(["x509", "-req", "-in", csr, ...signed]);
      const answer = await post(a, { certificate, private_key: opensslTraditional(key) });
      expect([options, answer.errors, answer.status]).toEqual([options, [], 200]);
    }
    expect(await listed(a)).toBe(3);
  });
});

const mismatch = "provided private key does not match certificate's public key";
const unreadable = "provided key PEM block contained no data or failed to parse";
const derOf = (pem: string): Uint8Array => decodePem(pem)[0]?.der ?? new Uint8Array();
const rsaParts = (pem: string): Uint8Array[] => {
  const key = readDer(traditionalKey(derOf(pem)).der, "key").enter("RSAPrivateKey");
  return Array.from({ length: 9 }, () => key.unsigned("a part"));
};
const rsaPem = (parts: readonly Uint8Array[]): string =>
  encodePem("RSA PRIVATE KEY", sequence(...parts.map((part) => integer(part))));
const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64");

describe("a private key that proves nothing", () => {
  /**
   * Asserts that each key is rejected for a certificate of type `kind`, without revealing or
   * changing anything.
   */
  async function refused(
    kind: (typeof kinds)[number],
    wrong: readonly string[],
    text: string | RegExp,
  ) {
    const a = await ready();
    const { serial_number, certificate } = await certified(a, keys[kind]);
    for (const private_key of wrong)
      for (const named of [{ serial_number }, { certificate }]) {
        const began = threadTime();
        const answer = await post(a, { ...named, private_key });
        expect(threadTime() - began).toBeLessThan(2000);
        expect([answer.status, answer.errors]).toEqual([
          400,
          [typeof text === "string" ? text : expect.stringMatching(text)],
        ]);
      }
    expect((await a.call("LIST", "pki/certs/revoked")).status).toBe(404);
    expect(await listed(a)).toBe(0);
  }

  it.each(kinds)("B 1.1 key differs: is rejected if it is another %s key", async (kind) => {
    await refused(kind, [opensslKey(kind), opensslTraditional(opensslKey(kind))], mismatch);
  });

  it("security row 62, B 1.1 processing order: is not parsed if the certificate is missing, ambiguous, unknown, an issuer's or altered", async () => {
    const a = await ready();
    const { certificate: root, private_key = "" } = await a.pki.generateExportedRoot({
      common_name: "Exported",
      key_type: "ec",
    });
    const { serial_number, certificate } = await certified(a, keys["P-256"]);
    const foreign = authority({ seed: 8 });
    await foreign.root({ common_name: "Other" });
    await foreign.role("web", { key_type: "any" });
    const theirs = await certified(foreign, keys["P-256"]);
    const { uuid } = (await a.call("GET", "sys/mounts/pki")).data as { readonly uuid: string };
    const row = `cert/${serial_number.replaceAll(":", "")}`;
    const no = "x".repeat(64);
    for (const [named, text] of [
      [{}, "The serial number or certificate to revoke must be provided."],
      [
        { serial_number, certificate },
        "Must provide either the certificate or the serial to revoke; not both.",
      ],
      [{ serial_number: "" }, "The serial number must be provided"],
      [{ serial_number: "0a:0b" }, "certificate with serial 0a:0b not found."],
      [{ certificate: "a.pem" }, /^provided certificate data was too short/],
      [{ certificate: theirs.certificate }, /^unable to verify signature on presented cert/],
    ] as const) {
      const answer = await post(a, { ...named, private_key: no });
      expect([answer.status, answer.errors]).toEqual([
        400,
        [typeof text === "string" ? text : expect.stringMatching(text)],
      ]);
    }
    const issuer = await post(a, { certificate: root, private_key });
    expect([issuer.status, issuer.errors]).toEqual([
      400,
      [expect.stringMatching(/^adding issuer \(id: .*\) to its own CRL is not allowed$/)],
    ]);
    const store = a.stores(uuid);
    const [held] = await store.get([row]);
    const altered = { ...(held?.value as object), crc: 1 };
    await store.commit({ put: [[row, altered, { not_after: 1, name: "", role: "web" }]] });
    expect((await post(a, { serial_number, private_key: no })).status).toBe(500);
    // the presented certificate is the one that was signed
    const whole = await a.pki.revokeWithKey({ certificate, private_key: keys["P-256"] });
    expect(whole.state).toBe("revoked");
  });

  it("B 1.1 key type differs: is rejected if it has another type or curve", async () => {
    const type = "provided private key type does not match certificate's public key type";
    await refused("P-256", [keys.rsa, keys.ed25519], type);
    await refused("rsa", [keys["P-224"], keys.ed25519], type);
    await refused("P-384", [keys["P-256"], keys["P-224"], keys["P-521"]], mismatch);
  });

  it("security row 19: is rejected even if sent with the public key of the certificate", async () => {
    const [n = nothing, e = nothing] = rsaParts(keys.rsa).slice(1);
    const other = rsaParts(opensslKey("rsa"));
    const [zero = nothing, , , ...rest] = other;
    const own = rsaParts(keys.rsa);
    const lie = /a public key that does not match|the platform refuses it/;
    await refused(
      "rsa",
      [
        rsaPem([zero, n, e, ...rest]),
        // without any secret: 1 * n = n
        rsaPem([zero, n, e, one, one, n, one, one, one]),
        rsaPem([zero, n, e, one, n, one, one, one, one]),
        // only the exponent differs
        rsaPem(own.map((part, i) => (i === 3 ? (other[3] ?? part) : part))),
      ],
      lie,
    );
    const point = readDer(
      derOf(openssl(["pkey", "-pubout", "-outform", "PEM"], keys["P-256"])),
      "key",
    ).enter("SubjectPublicKeyInfo");
    point.raw("the algorithm");
    const bits = point.wholeBits("the point");
    const scalar = readDer(traditionalKey(derOf(opensslKey("P-256"))).der, "key").enter("the key");
    scalar.number("the version");
    const secret = octets(scalar.octets("the key"));
    const curve = explicit(0, oid(keyOid.p256));
    const sec1 = sequence(integer(1), secret, curve, explicit(1, bitString(bits)));
    await refused("P-256", [encodePem("EC PRIVATE KEY", sec1)], lie);
    const seed = openPkcs8(derOf(opensslKey("ed25519"))).key;
    const identity = sequence(oid("1.3.101.112"));
    const edBits = derOf(openssl(["pkey", "-pubout"], keys.ed25519)).subarray(-32);
    const two = sequence(integer(1), identity, octets(seed), implicit(1, bitString(edBits)));
    await refused("ed25519", [encodePem("PRIVATE KEY", two)], lie);
  });

  it("B 1.1 no private_key, B 1.1 key too short, B 1.1 key PEM unparsable: is rejected if missing or malformed", async () => {
    const a = await ready();
    const { serial_number, certificate } = await certified(a, keys.rsa);
    expect((await post(a, { serial_number })).errors).toEqual([
      "Must have private key to revoke via the /revoke-with-key path.",
    ]);
    await refused("rsa", ["", "/etc/ssl/key.pem"], /^Provided data for private_key was too short;/);
    const cut = keys.rsa.slice(0, -200);
    await refused(
      "rsa",
      [
        "x".repeat(64),
        cut,
        certificate,
        encodePem("PRIVATE KEY", derOf(keys.rsa).subarray(0, 700)),
        encodePem("PRIVATE KEY", new Uint8Array(500)),
        encodePem(`${base64(derOf(keys.rsa)).slice(0, 60)} PRIVATE KEY`, derOf(keys.rsa)),
      ],
      unreadable,
    );
    await refused("rsa", [`${keys.rsa}${keys.rsa}`], "only one private key can be sent");
  });

  it("security row 19: is rejected if encrypted, whatever the encryption", async () => {
    const of = (...options: string[]) =>
      openssl(["pkcs8", "-topk8", "-passout", "pass:secret", ...options], keys.rsa);
    const older = openssl(["rsa", "-aes128", "-traditional", "-passout", "pass:secret"], keys.rsa);
    expect(older).toContain("ENCRYPTED");
    await refused(
      "rsa",
      [of("-v2", "aes-256-cbc", "-iter", "50000"), of("-scrypt", "-scrypt_N", "16"), older],
      "encrypted private keys are not accepted",
    );
  });

  it("security row 19: is rejected if huge or hostile, before any expensive computation", async () => {
    const before = threadTime();
    const big = (bits: number) => new Uint8Array(bits / 8).fill(0xb7);
    const version = new Uint8Array(1);
    const f4 = Uint8Array.of(1, 0, 1);
    const of = (n: Uint8Array, e = f4, d = n) => rsaPem([version, n, e, d, n, n, n, n, n]);
    await refused(
      "rsa",
      [
        of(big(16384), f4, one).replaceAll("\n", "\r\n"),
        of(big(12000), f4, f4),
        of(big(2048), big(2048)),
        of(big(2048), new Uint8Array([1, ...new Uint8Array(3)])),
        rsaPem([one, ...rsaParts(keys.rsa).slice(1)]),
        rsaPem([version, big(2048), f4, big(2048), version, version, one, one, one]),
        rsaPem([version, one, one, one, one, one, one, one, one]),
        encodePem(
          "PRIVATE KEY",
          sequence(integer(0), sequence(oid("1.2.3"), nullValue), octets(one)),
        ),
        encodePem("PRIVATE KEY", new Uint8Array(40_000).fill(0x30)),
        `${"-----BEGIN PRIVATE KEY-----\nAA==\n-----END PRIVATE KEY-----\n".repeat(1000)}`,
        `-----BEGIN PRIVATE KEY-----\n${"A".repeat(7_000_000)}\n-----END PRIVATE KEY-----\n`,
        `${"-----BEGIN ".repeat(600_000)}`,
        encodePem("EC PRIVATE KEY", sequence(integer(1), octets(big(8000)))),
      ],
      /./,
    );
    expect(threadTime() - before).toBeLessThan(10_000);
  });

  it("security row 19: causes the same cryptographic operations as a matching key", async () => {
    const a = await ready();
    await a.pki.writeCrlConfig({ auto_rebuild: true });
    const work = async (private_key: string, own: string): Promise<readonly string[]> => {
      const { serial_number } = await certified(a, own);
      const done: string[] = [];
      const spies = (["importKey", "sign", "verify", "exportKey"] as const).map((name) => {
        const real = crypto.subtle[name].bind(crypto.subtle) as (...all: unknown[]) => unknown;
        return vi.spyOn(crypto.subtle, name).mockImplementation(((...all: unknown[]) => {
          done.push(name);
          return real(...all);
        }) as never);
      });
      const answer = await post(a, { serial_number, private_key });
      for (const spy of spies) spy.mockRestore();
      return [String(answer.status), ...done];
    };
    for (const kind of ["rsa", "P-256", "ed25519"] as const) {
      const [status, ...fitting] = await work(keys[kind], keys[kind]);
      expect([status, fitting.includes("sign")]).toEqual(["200", true]);
      expect(await work(keys[kind], opensslKey(kind))).toEqual(["400", ...fitting]);
      expect(await work(keys[kind], keys["P-521"])).toEqual(["400", ...fitting]);
    }
  });
});

describe("the private key in a request", () => {
  it("is in no row, log entry or response, whether it matches or not", async () => {
    const a = await ready();
    const one = await certified(a, keys["P-256"]);
    const two = await certified(a, keys.rsa);
    const texts: string[] = [];
    for (const [serial_number, private_key] of [
      [two.serial_number, keys["P-256"]],
      [two.serial_number, `${keys.rsa}${keys.rsa}`],
      [one.serial_number, keys.rsa],
      [one.serial_number, keys["P-256"]],
      [two.serial_number, opensslTraditional(keys.rsa)],
    ]) {
      const answer = await post(a, { serial_number, private_key });
      texts.push(answer.text, JSON.stringify([...answer.headers]));
    }
    texts.push(JSON.stringify(a.events));
    const mounts = (await a.ca.sys.listMounts({})) as unknown as Readonly<
      Record<string, { readonly uuid: string }>
    >;
    const rows = await a.stores(mounts["pki/"]?.uuid ?? "").list("");
    texts.push(
      ...rows.map(([key, { value }]) =>
        JSON.stringify([key, value], (_, one) => (one instanceof Uint8Array ? toHex(one) : one)),
      ),
    );
    const scalar = readDer(traditionalKey(derOf(keys["P-256"])).der, "key").enter("the key");
    scalar.number("the version");
    const secrets = [
      toHex(scalar.octets("the key")),
      ...rsaParts(keys.rsa)
        .slice(3)
        .map((part) => toHex(part).slice(4, 44)),
      ...[keys.rsa, opensslTraditional(keys.rsa), keys["P-256"]].map((pem) => pem.slice(80, 120)),
    ];
    expect(secrets.every((secret) => secret.length >= 32)).toBe(true);
    for (const secret of secrets) expect(texts.some((text) => text.includes(secret))).toBe(false);
  });
});

const [one, nothing] = [Uint8Array.of(1), new Uint8Array()];
