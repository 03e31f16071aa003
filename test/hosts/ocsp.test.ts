import { request, type IncomingMessage, type RequestOptions } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { fromHex, toBase64 } from "../../src/base/bytes.ts";
import { decodePem } from "../../src/base/pem.ts";
import { parseCertificate, type Certificate } from "../../src/x509/certificate.ts";
import { encodeCertId, encodeOcspRequest } from "../../src/x509/ocsp-request.ts";
import { parseOcspResponse, signedAnswers } from "../../src/x509/ocsp-response.ts";
import { apiOf, makeAuthority, noteEvents, type Api } from "../http/api.ts";
import { hosts, type RunningHost } from "./hosts.ts";

let server: RunningHost;
let api: Api;
let issuer: Certificate;
let serial: string;

const requestFor = async (nonce?: Uint8Array): Promise<Uint8Array> =>
  encodeOcspRequest(
    [await encodeCertId("SHA-1", issuer, fromHex(serial.replaceAll(":", "")))],
    nonce,
  );
interface Told {
  readonly status: number;
  readonly type: string | undefined;
  readonly bytes: Uint8Array;
  readonly headers: IncomingMessage["headers"];
}
/** Sends a request with its path and framing unchanged. */
const send = (options: RequestOptions, body?: Uint8Array): Promise<Told> =>
  new Promise((resolve, reject) => {
    const call = request(server.url, options, (answer) => {
      const parts: Buffer[] = [];
      answer.on("data", (part: Buffer) => parts.push(part));
      answer.on("end", () =>
        resolve({
          status: answer.statusCode ?? 0,
          type: answer.headers["content-type"],
          bytes: new Uint8Array(Buffer.concat(parts)),
          headers: answer.headers,
        }),
      );
    });
    call.on("error", reject).end(body);
  });
const headers = { "content-type": "application/ocsp-request" };
const ask = (body: Uint8Array, more: Record<string, string> = {}): Promise<Told> =>
  send({ method: "POST", path: "/v1/pki/ocsp", headers: { ...headers, ...more } }, body);
const statusIn = ({ bytes }: Told) => signedAnswers(bytes).answers[0]?.status;

describe.each(hosts)("OCSP over HTTP at $host", ({ start }) => {
  beforeAll(async () => {
    server = await start({ workers: 2, env: { LOG: "json" } });
    api = apiOf(server);
    const { root } = await makeAuthority(api);
    issuer = parseCertificate(decodePem(root)[0]?.der ?? new Uint8Array());
    const leaf = await api("POST", "pki/issue/web", { common_name: "www.example.com" });
    serial = leaf.data["serial_number"] ?? "";
  });
  afterAll(() => server.stop());
  noteEvents(() => server);

  it("B 2 raw paths: GET accepts base64 with //, + and / in the path, raw or percent-encoded, and so does HEAD", async () => {
    let base64 = "";
    for (let n = 0; !(base64.includes("//") && base64.includes("+")); n++)
      base64 = toBase64(await requestFor(Uint8Array.of(255, 255, n & 255, n >> 8, 251, 239, 190)));
    const escaped = base64.replaceAll("/", "%2F").replaceAll("+", "%2B").replaceAll("=", "%3D");
    for (const rest of [base64, escaped, `/${base64}`]) {
      const answer = await send({ path: `/v1/pki/ocsp/${rest}` });
      expect([answer.status, answer.type]).toEqual([200, "application/ocsp-response"]);
      expect(statusIn(answer)).toBe("good");
      expect(answer.headers["cache-control"]).toBe("max-age=0, must-revalidate");
    }
    const head = await send({ method: "HEAD", path: `/v1/pki/ocsp/${escaped}` });
    expect([head.status, head.bytes.length]).toEqual([200, 0]);
    expect((await send({ path: "/v1/pki/ocsp/ab%2F..%2Fca%2Fpem" })).type).toBe("application/json");
  });

  it("answers identical concurrent requests, and reports revoked after the revocation", async () => {
    const asked = await requestFor();
    const answers = await Promise.all(Array.from({ length: 20 }, () => ask(asked)));
    expect(new Set(answers.map(statusIn))).toEqual(new Set(["good"]));
    // chunked, without Content-Length
    const chunked = await ask(asked, { "transfer-encoding": "chunked" });
    expect(statusIn(chunked)).toBe("good");
    expect((await api("POST", "pki/revoke", { serial_number: serial })).status).toBe(200);
    expect(statusIn(await ask(asked))).toMatchObject({ reason: 0 });
    expect(statusIn(await ask(asked, { "transfer-encoding": "chunked" }))).toMatchObject({
      reason: 0,
    });
  });

  it("B 2 malformedRequest: rejects a request that is too long or malformed, with Content-Length or chunked", async () => {
    const certId = await encodeCertId("SHA-1", issuer, Uint8Array.of(1));
    const bad = [
      new Uint8Array(0),
      new Uint8Array(2048),
      new Uint8Array(1024 * 1024).fill(0x30),
      encodeOcspRequest(Array.from({ length: 10_000 }, () => certId)),
    ];
    for (const body of bad)
      for (const framing of [{}, { "transfer-encoding": "chunked" }]) {
        const answer = await ask(body, framing);
        expect([answer.status, parseOcspResponse(answer.bytes)]).toEqual([
          400,
          { failure: "malformedRequest" },
        ]);
      }
    expect(statusIn(await ask(await requestFor()))).toBeDefined();
  });
});
