import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { fromHex } from "../../src/base/bytes.ts";
import { decodePem } from "../../src/base/pem.ts";
import { sqliteStore } from "../../src/node/index.ts";
import { parseCertificate } from "../../src/x509/certificate.ts";
import { eachRevoked, parseCrl } from "../../src/x509/crl.ts";
import { encodeCertId, encodeOcspRequest } from "../../src/x509/ocsp-request.ts";
import { signedAnswers } from "../../src/x509/ocsp-response.ts";
import { databaseIn } from "../../server/data/database.ts";
import { apiOf, makeAuthority, noteEvents, type Api } from "../http/api.ts";
import { builtServer } from "../support/built.ts";
import {
  pinnedNode,
  startServer,
  temporaryDirectory,
  type RunningServer,
} from "../support/server.ts";

const dataDir = temporaryDirectory();
let server: RunningServer | undefined;
const start = async (): Promise<Api> => {
  server = await startServer({ dataDir, env: { WORKERS: "2", LOG: "json" } });
  return apiOf(server);
};
noteEvents(() => server);
afterAll(async () => void (await server?.stop()));

const bytesOf = async (path: string, init: RequestInit = {}) =>
  new Uint8Array(await (await fetch(`${server?.url}/v1/${path}`, init)).arrayBuffer());
/** Returns how many of the certificates are revoked according to the CRL and to OCSP. */
async function revokedOf(root: string, serials: readonly string[]) {
  const crl = parseCrl(await bytesOf("big/crl"));
  const issuer = parseCertificate(decodePem(root)[0]?.der ?? new Uint8Array());
  const statuses = await Promise.all(
    serials.map(async (serial) => {
      const id = await encodeCertId("SHA-1", issuer, fromHex(serial.replaceAll(":", "")));
      const headers = { "content-type": "application/ocsp-request" };
      const body = encodeOcspRequest([id]).slice();
      const bytes = await bytesOf("big/ocsp", { method: "POST", headers, body });
      return JSON.stringify(signedAnswers(bytes).answers[0]?.status);
    }),
  );
  return {
    crl: [...eachRevoked(crl)].length,
    ocsp: statuses.filter((status) => status.includes("revoked")).length,
  };
}

it("a partitioned mount issues, lists and revokes, and survives a restart, and a backup and restore", async () => {
  let api = await start();
  const made = await api("POST", "sys/mounts/big", {
    type: "pki",
    config: { partitions: 4, max_lease_ttl: "87600h" },
  });
  expect(made.status, made.text).toBe(204);
  const { root: certificate } = await makeAuthority(api, "big");
  const serials: string[] = [];
  for (let n = 0; n < 16; n++) {
    const issued = await api("POST", "big/issue/web", { common_name: `n${n}.example.com` });
    expect(issued.status, issued.text).toBe(200);
    serials.push(issued.data["serial_number"] ?? "");
  }
  for (const serial_number of serials.slice(0, 6))
    expect((await api("POST", "big/revoke", { serial_number })).status).toBe(200);
  const listed = async () => (await api("GET", "big/certs?list=true")).data.keys;
  const before = await listed();
  expect(before).toEqual(expect.arrayContaining([...serials]));
  await expect.poll(() => revokedOf(certificate, serials)).toEqual({ crl: 6, ocsp: 6 });

  await server?.stop();
  const file = sqliteStore(databaseIn(dataDir));
  const [route] = await file("sys").get(["mounts/big"]);
  const { uuid = "" } = (route?.value ?? {}) as { readonly uuid?: string };
  const counts = await Promise.all(
    [uuid, `${uuid}.1`, `${uuid}.2`, `${uuid}.3`].map(
      async (name) => (await file(name).list("cert/", { values: false })).length,
    ),
  );
  file.close();
  expect(counts.reduce((sum, count) => sum + count, 0)).toBe(17);
  expect(counts.filter((count) => count > 0).length).toBeGreaterThan(2);

  api = await start();
  expect(await listed()).toEqual(before);
  expect(await revokedOf(certificate, serials)).toEqual({ crl: 6, ocsp: 6 });
  const { data } = await api("GET", "sys/mounts/big/partitions");
  expect(data).toMatchObject({ count: 4 });

  const headers = { "X-Service-Token": server?.token ?? "" };
  const backup = join(temporaryDirectory(), "big.ndjson");
  writeFileSync(backup, await bytesOf("sys/storage/snapshot/big", { headers }));
  expect((await api("DELETE", "sys/mounts/big")).status).toBe(204);
  const words = ["--data-dir", dataDir, "--file", backup, "--mount", "big", "--partitions", "16"];
  const args = [await builtServer(), "restore", ...words];
  const restored = spawnSync(pinnedNode(), args, { encoding: "utf8" });
  expect([restored.status, restored.stderr]).toEqual([0, ""]);
  expect((await api("GET", "sys/mounts/big/partitions")).data).toMatchObject({ count: 16 });
  expect(await listed()).toEqual(before);
  const last = await api("POST", "big/issue/web", { common_name: "last.example.com" });
  expect(last.status, last.text).toBe(200);
  expect((await api("POST", "big/revoke", { serial_number: serials[7] })).status).toBe(200);
  // the revocation waits for the CRL only briefly, and another process may answer
  await expect.poll(() => revokedOf(certificate, serials)).toEqual({ crl: 7, ocsp: 7 });
});
