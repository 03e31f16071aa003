import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { toHex } from "../../src/base/bytes.ts";
import type { Batch, Store } from "../../src/engine/ports.ts";
import { memoryStore } from "../../src/index.ts";
import { parseEntry, signedDigest } from "../../src/log/tree/entry.ts";
import { digestOf } from "../../src/log/tree/hash.ts";
import { assembleSigned, parseCertificate } from "../../src/x509/certificate.ts";
import { parseCrl } from "../../src/x509/crl.ts";
import { parseCsr } from "../../src/x509/csr.ts";
import { nameText } from "../../src/x509/name.ts";
import { algorithmIdentifier } from "../../src/x509/public-key.ts";
import { ecdsaToDer } from "../../src/algorithms/nist-curves.ts";
import { run } from "../../tools/examples/run.ts";

/** A signature by a private key: the signed data, and the complete signed structure. */
interface Signature {
  readonly data: Uint8Array;
  readonly der: Uint8Array;
}
const all: Signature[] = [];
/** IDs of the endpoints that signed, and whether each always stores an event. */
const signing = new Map<string, boolean>();
/** SHA-256 digests of the structures that the log entries record. */
const logged = new Set<string>();

/** Returns stores in memory that collect log entries from the commits. */
function collecting(): ReturnType<typeof memoryStore> {
  const stores = memoryStore();
  const open = (name: string): Store => {
    const store = stores(name);
    return {
      ...store,
      commit: async (batch: Batch) => {
        const done = await store.commit(batch);
        for (const [prefix, value] of done ? (batch.log ?? []) : [])
          if (prefix === "tlog/entry/" && value instanceof Uint8Array)
            logged.add(toHex(signedDigest(parseEntry(value))));
        return done;
      },
    };
  };
  return Object.assign(open, { durable: false, partitions: true });
}

/** Returns the complete signed structure, for the schemes of the examples. */
function assembled(
  name: string,
  { algorithm }: CryptoKey,
  data: Uint8Array,
  signature: Uint8Array,
): Uint8Array {
  // keys of Ed25519 sign with one scheme, EC keys of the examples with SHA-256 or SHA-384
  const curve = "namedCurve" in algorithm ? algorithm.namedCurve : "";
  const hash = curve === "P-384" ? "SHA-384" : curve === "P-521" ? "SHA-512" : "SHA-256";
  const scheme =
    name === "Ed25519"
      ? ({ name } as const)
      : name === "ECDSA"
        ? ({ name, hash } as const)
        : ({ name: "RSASSA-PKCS1-v1_5", hash } as const);
  const bytes = name === "ECDSA" ? ecdsaToDer(signature) : signature;
  return assembleSigned(data, algorithmIdentifier(scheme), bytes);
}
const bytesIn = (data: BufferSource): Uint8Array =>
  data instanceof ArrayBuffer
    ? new Uint8Array(data)
    : new Uint8Array(data.buffer, data.byteOffset, data.byteLength).slice();

beforeAll(async () => {
  const { sign } = crypto.subtle;
  vi.spyOn(crypto.subtle, "sign").mockImplementation(async (algorithm, key, data) => {
    const signature = await sign.call(crypto.subtle, algorithm, key, data);
    if (key.type !== "private") return signature;
    const name = typeof algorithm === "string" ? algorithm : algorithm.name;
    const signed = bytesIn(data);
    all.push({ data: signed, der: assembled(name, key, signed, new Uint8Array(signature)) });
    return signature;
  });
  let isFirst = true;
  await run(
    (send) =>
      async (...request) => {
        if (isFirst) await send("writeLogConfig", { enabled: true });
        isFirst = false;
        const before = all.length;
        const came = await send(...request);
        const { id, audits, access } = came.endpoint;
        // a public read that refreshes what it reads signs without the caller asking for it
        const isRead = access === "open" && came.method === "GET";
        if (all.length > before && !isRead)
          signing.set(id, audits !== false && audits?.always === true);
        if (id === "createMount")
          await send("writeLogConfig", { enabled: true }, { at: "/v1/other" }).catch(
            () => undefined,
          );
        return came;
      },
    collecting(),
  );
});
afterAll(() => vi.restoreAllMocks());

/**
 * OCSP is public: anyone may repeat its calls. The policy service of the examples signs with its
 * own CA, whose certificate is dropped. Reading a responder proves that its key can be unsealed.
 */
const exempt = new Set(["askOcsp", "checkExternalPolicy", "readResponder"]);

/** Returns the type of a signed structure and its issuer or subject; undefined for other data. */
function kindOf(der: Uint8Array): readonly [kind: string, name: string] | undefined {
  const readers = [
    () => ["certificate", nameText(parseCertificate(der).issuer)] as const,
    () => ["crl", nameText(parseCrl(der).issuer)] as const,
    () => ["request", nameText(parseCsr(der).subject)] as const,
  ];
  for (const read of readers)
    try {
      return read();
    } catch {
      // of another type
    }
  return undefined;
}

describe("in a run through all endpoints", () => {
  it("every endpoint that signs with a CA key stores its event before the reply", () => {
    expect([...signing.keys()]).toContain("signRevocationList");
    expect([...signing].filter(([id, always]) => !always && !exempt.has(id))).toEqual([]);
  });

  it("every certificate, CRL and CSR signed by a mount's key has an entry in the log", () => {
    const signed = all.flatMap(({ der }) => {
      const kind = kindOf(der);
      return kind ? [{ kind, isLogged: logged.has(toHex(digestOf(der))) }] : [];
    });
    const counts = ["certificate", "crl", "request"].map(
      (kind) => signed.filter((one) => one.isLogged && one.kind[0] === kind).length,
    );
    expect(
      counts.every((count) => count > 3),
      counts.join(" "),
    ).toBe(true);
    const unlogged = signed.filter(({ isLogged }) => !isLogged).map(({ kind }) => kind.join(" "));
    // the CA of the policy service, and a CSR without a subject for a leaf key that it receives
    expect([...new Set(unlogged)].sort()).toEqual([
      "certificate CN=Drafts",
      "crl CN=Drafts",
      "request ",
    ]);
  });
});
