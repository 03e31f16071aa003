import { describe, expect, it } from "vitest";
import { fromHex, toBase64 } from "../../src/base/bytes.ts";
import { decodePem } from "../../src/base/pem.ts";
import { verifySignature } from "../../src/x509/public-key.ts";
import { parseCertificate } from "../../src/x509/certificate.ts";
import { encodeCertId, encodeOcspRequest } from "../../src/x509/ocsp-request.ts";
import { parseOcspResponse, signedAnswers } from "../../src/x509/ocsp-response.ts";
import worker, { type Env } from "../../worker/index.ts";
import { bound, newMount } from "./worker-fixture.ts";

/** Creates a mount with a root, and functions that send OCSP requests for its certificates. */
async function prepared() {
  const { path, api } = await newMount();
  const { certificate = "" } = (await api("GET", `/v1/${path}/cert/ca`)).data;
  const issuer = parseCertificate(decodePem(certificate)[0]?.der ?? new Uint8Array());
  const issued = async () =>
    (await api("POST", `/v1/${path}/issue/web`, { common_name: "a.test", ttl: "1h" })).data[
      "serial_number"
    ] ?? "";
  const requestFor = async (serial: string, nonce?: Uint8Array) =>
    encodeOcspRequest(
      [await encodeCertId("SHA-256", issuer, fromHex(serial.replaceAll(":", "")))],
      nonce,
    );
  const send = (environment: Env, request: Uint8Array) =>
    worker.fetch(
      new Request(`https://ca.test/v1/${path}/ocsp`, {
        method: "POST",
        headers: { "content-type": "application/ocsp-request" },
        // plain bytes, never shared memory
        body: request as BodyInit,
      }),
      environment,
    );
  const statusIn = async (answer: Response) => {
    expect(answer.headers.get("content-type")).toBe("application/ocsp-response");
    const read = signedAnswers(new Uint8Array(await answer.arrayBuffer()));
    const { spki } = issuer;
    expect(await verifySignature(spki, read.algorithm, read.tbs, read.signature)).toBe(true);
    return read.answers[0]?.status;
  };
  return { path, api, issued, requestFor, send, statusIn };
}

describe("OCSP in a Worker", () => {
  it("shows a revocation at once, in the isolate that made it and in a new one", async () => {
    const { path, api, issued, requestFor, send, statusIn } = await prepared();
    const serials = await Promise.all(Array.from({ length: 5 }, issued));
    const [first = "", second = ""] = serials;
    for (const serial of serials)
      expect(await statusIn(await send(bound, await requestFor(serial)))).toBe("good");
    for (const [serial, reason] of [
      [first, "keyCompromise"],
      [second, "superseded"],
    ] as const)
      await api("POST", `/v1/${path}/revoke`, { serial_number: serial, reason });
    // another environment has its own engine, with cold caches
    for (const environment of [bound, { ...bound }]) {
      const statuses = [];
      for (const serial of serials.slice(0, 3))
        statuses.push(await statusIn(await send(environment, await requestFor(serial))));
      expect(statuses).toEqual([
        expect.objectContaining({ reason: 1 }),
        expect.objectContaining({ reason: 4 }),
        "good",
      ]);
    }
  });

  it("answers concurrent requests, each with its own nonce", async () => {
    const { issued, requestFor, send } = await prepared();
    const serial = await issued();
    const nonces = await Promise.all(
      Array.from({ length: 20 }, async (_, n) => {
        const answer = await send(bound, await requestFor(serial, Uint8Array.of(n)));
        return signedAnswers(new Uint8Array(await answer.arrayBuffer())).nonce?.[0];
      }),
    );
    expect(nonces).toEqual(Array.from({ length: 20 }, (_, n) => n));
  });

  it("GET accepts base64 with // and + in the path, and cannot be used for path traversal", async () => {
    const { path, issued, requestFor, statusIn } = await prepared();
    const serial = await issued();
    let base64 = "";
    for (let n = 0; !/\/\/.*\+|\+.*\/\//.test(base64); n++)
      base64 = toBase64(
        await requestFor(serial, Uint8Array.of(255, 255, 251, n & 255, n >> 8, 255)),
      );
    const get = (rest: string) =>
      worker.fetch(new Request(`https://ca.test/v1/${path}/ocsp/${rest}`), bound);
    expect(await statusIn(await get(base64))).toBe("good");
    const refused = await get("abc%2F..%2F..%2Fca%2Fpem");
    expect([refused.status, refused.headers.get("content-type")]).toEqual([
      400,
      "application/json",
    ]);
  });

  it("rejects a body of a mebibyte, and malformed requests", async () => {
    const { send } = await prepared();
    for (const body of [new Uint8Array(1024 * 1024), new Uint8Array(9), new Uint8Array(0)]) {
      const answer = await send(bound, body);
      expect(answer.status).toBe(400);
      expect(parseOcspResponse(new Uint8Array(await answer.arrayBuffer()))).toEqual({
        failure: "malformedRequest",
      });
    }
  });
});
