import { decodePem } from "../src/base/pem.ts";
import { fromHex, toBase64 } from "../src/base/bytes.ts";
import { parseCertificate } from "../src/x509/certificate.ts";
import { encodeCertId, encodeOcspRequest } from "../src/x509/ocsp-request.ts";
import { signedAnswers } from "../src/x509/ocsp-response.ts";
import { workers } from "./flags.ts";
import { atLeast, figure, memoryText, round } from "./figures.ts";
import { floorKinds, issued, medianOf, ratio, roundsOf, type Kinds } from "./kinds.ts";
import { drive, get, post } from "./load.ts";
import { startFloor, type Program } from "./programs.ts";
import { startSubject, type Subject } from "./server.ts";

/** Options for the OCSP benchmark. */
export interface OcspOptions {
  readonly seconds: number;
  readonly rounds: number;
  readonly certificates: number;
}
/** Number of serial numbers that are queried in turn, one in ten of which is revoked. */
const serialCount = 1000;

/** Measures OCSP with a P-256 issuer, relative to a server that does nothing. */
export async function benchOcsp(options: OcspOptions): Promise<void> {
  const floor = await startFloor(workers);
  const subject = await startSubject().catch(async (error: unknown) => {
    await floor.stop();
    throw error;
  });
  try {
    const serials = await issued(subject, options.certificates);
    await revokeTenth(subject, serials);
    const ids = await certIdsOf(subject, serials);
    await check(subject, ids);
    const { empty, "empty read": emptyRead } = floorKinds(floor);
    if (!empty || !emptyRead)
      throw new TypeError("the floor must have the kinds empty and empty read");
    const kinds = { empty, "empty read": emptyRead, ...ocspKinds(subject, ids) };
    const seen = await roundsOf(kinds, options);
    for (const name of Object.keys(kinds)) {
      const of = (part: Parameters<typeof medianOf>[2]): string =>
        round(medianOf(seen, name, part));
      const errors = (seen[name] ?? []).reduce((sum, one) => sum + one.errors, 0);
      const first = (seen[name] ?? []).find(({ firstError }) => firstError)?.firstError ?? "";
      figure(
        `OCSP: ${name}`,
        `${of(({ rps }) => rps)}/s p50 ${of(({ p50 }) => p50)} p99 ${of(({ p99 }) => p99)} ms cpu ${of(({ cpu }) => cpu)} ms${errors ? `, ${errors} errors: ${first}` : ""}`,
        "no error",
        errors === 0,
      );
    }
    const rps = ({ rps: rate }: { readonly rps: number }): number => rate;
    atLeast("OCSP by POST, relative to an empty request", ratio(seen, "post", "empty", rps), 0.6);
    atLeast("OCSP by GET, relative to an empty read", ratio(seen, "get", "empty read", rps), 0.6);
    for (const name of ["post with nonce", "any serial"])
      figure(`OCSP: ${name}, relative to an empty request`, round(ratio(seen, name, "empty", rps)));
    figure("resident memory, MiB", memoryText(subject.pid));
  } finally {
    await subject.stop();
    await floor.stop();
  }
}

const isRevoked = (_: unknown, n: number): boolean => n % 10 === 0;
async function revokeTenth(subject: Subject, serials: readonly string[]): Promise<void> {
  await subject.call("config/crl", { auto_rebuild: true });
  const revoked = serials.filter(isRevoked);
  const { errors, firstError } = await drive({
    url: subject.url,
    connections: 32,
    count: revoked.length,
    request: (n) =>
      post("/v1/pki/revoke", subject.token, JSON.stringify({ serial_number: revoked[n] })),
  });
  figure(`${revoked.length} of them revoked`, firstError, "no error", errors === 0);
}

/** Returns the CertIDs of serial numbers for the default issuer. */
export async function certIdsOf(
  { call }: Pick<Subject, "call">,
  serials: readonly string[],
): Promise<readonly Uint8Array[]> {
  const { certificate } = await call("cert/ca");
  const issuer = parseCertificate(decodePem(String(certificate))[0]?.der ?? new Uint8Array());
  return Promise.all(
    serials.map((serial) => encodeCertId("SHA-1", issuer, fromHex(serial.replaceAll(":", "")))),
  );
}

/** Returns the kinds of OCSP requests for CertIDs. */
export function ocspKinds(server: Program, ids: readonly Uint8Array[]): Kinds {
  const some = Math.min(serialCount, ids.length);
  const posts = ids.map((id) => postOf(encodeOcspRequest([id])));
  const gets = ids.slice(0, some).map((id) => {
    const base64 = toBase64(encodeOcspRequest([id]));
    return get(`/v1/pki/ocsp/${base64.replaceAll("+", "%2B").replaceAll("/", "%2F")}`);
  });
  const nonced = (n: number) =>
    postOf(
      encodeOcspRequest(
        [ids[n % some] ?? new Uint8Array()],
        crypto.getRandomValues(new Uint8Array(32)),
      ),
    );
  const at = (list: readonly Buffer[], n: number) => list[n] ?? Buffer.alloc(0);
  const of = (request: (n: number) => Buffer) => ({ server, connections: 32, request });
  return {
    post: of((n) => at(posts, n % some)),
    get: of((n) => at(gets, n % some)),
    "post with nonce": of(nonced),
    // more serial numbers than the cache can contain, so that each is looked up and signed
    "any serial": of((n) => at(posts, (n * 7919) % posts.length)),
  };
}
const postOf = (request: Uint8Array): Buffer =>
  Buffer.concat([
    Buffer.from(
      `POST /v1/pki/ocsp HTTP/1.1\r\nHost: bench\r\nContent-Type: application/ocsp-request\r\nContent-Length: ${request.length}\r\n\r\n`,
    ),
    request,
  ]);

/**
 * Checks that the first certificates have the expected status, so that valid responses are
 * measured.
 */
async function check(subject: Subject, ids: readonly Uint8Array[]): Promise<void> {
  for (const [n, id] of ids.slice(0, 20).entries()) {
    const answer = await fetch(`${subject.url}/v1/pki/ocsp`, {
      method: "POST",
      headers: { "content-type": "application/ocsp-request" },
      // the bytes are never in shared memory
      body: encodeOcspRequest([id]) as BodyInit,
    });
    const status = signedAnswers(new Uint8Array(await answer.arrayBuffer())).answers[0]?.status;
    if ((status !== "good") !== isRevoked(id, n) || status === "unknown")
      throw new TypeError(`certificate ${n} has the wrong OCSP status ${JSON.stringify(status)}`);
  }
}
