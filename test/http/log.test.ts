import { statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { startServer, type RunningServer } from "../support/server.ts";
import { apiOf, makeAuthority, type Answer } from "./api.ts";

/** More than one page of CRL entries. */
const revocations = 2_000;
const connections = 16;
/**
 * Four times the size at which SQLite checkpoints its log, as a margin for single large commits.
 */
const maxBytes = 16 * 2 ** 20;

let server: RunningServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

/** Returns the size of the write-ahead log in bytes. */
const logSize = (): number => statSync(join(server.dataDir, "sealwright.db-wal")).size;

it(`the write-ahead log stays small during ${revocations} revocations with concurrent issues, role writes and listings`, async () => {
  const api = apiOf(server);
  const done = (answer: Answer): Answer => {
    expect(answer.status, answer.text).toBe(200);
    return answer;
  };
  await makeAuthority(api);
  done(await api("POST", "pki/config/crl", { auto_rebuild: true }));
  let maxSeen = 0;
  let left = revocations;
  const work = async (): Promise<void> => {
    while (left > 0) {
      const n = left--;
      const leaf = done(await api("POST", "pki/issue/web", { common_name: `h${n}.example.com` }));
      done(await api("POST", "pki/revoke", { serial_number: leaf.data["serial_number"] }));
      if (n % 200 === 0) {
        done(await api("POST", `pki/roles/r${n}`, { allow_any_name: true, key_type: "ec" }));
        done(await api("GET", "pki/crl/rotate"));
        expect(done(await api("GET", "pki/certs?list=true")).data.keys).toContain(
          leaf.data["serial_number"],
        );
      }
      if (n % 100 === 0) maxSeen = Math.max(maxSeen, logSize());
    }
  };
  await Promise.all(Array.from({ length: connections }, work));
  maxSeen = Math.max(maxSeen, logSize());
  expect((await api("GET", "pki/certs/revoked?list=true")).data.keys).toHaveLength(revocations);
  expect(maxSeen).toBeLessThan(maxBytes);
});
