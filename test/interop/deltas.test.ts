import { spawnSync } from "node:child_process";
import { describe, expect } from "vitest";
import { authority, start } from "../support/authority.ts";
import { itWith } from "../support/programs.ts";
import { withFiles } from "../x509/fixture.ts";

/**
 * Returns openssl's error for a certificate, given a complete CRL and its delta CRL; empty if the
 * certificate is good.
 */
function verified(root: string, leaf: string, lists: readonly string[], more: readonly string[]) {
  const files = { "root.pem": root, "leaf.pem": leaf, "lists.pem": `${lists.join("\n")}\n` };
  return withFiles(files, (path) => {
    const time = ["-attime", String(start / 1000 + 60)];
    const given = ["-CAfile", path("root.pem"), "-CRLfile", path("lists.pem")];
    const { status, stderr } = spawnSync(
      "openssl",
      ["verify", "-crl_check", "-extended_crl", ...time, ...given, ...more, path("leaf.pem")],
      { encoding: "utf8" },
    );
    return status === 0 ? "" : (/^error \d+ at \d+ depth lookup: ?(.*)$/m.exec(stderr)?.[1] ?? "?");
  });
}

describe("a complete CRL and its delta CRL", () => {
  itWith("openssl", "version")(
    "security row 66: let openssl find a certificate revoked after the complete CRL was issued, also in shards",
    async () => {
      for (const shards of [0, 3]) {
        const a = authority();
        const { certificate: root } = await a.root();
        await a.role("web", { ttl: "700h" });
        await a.pki.writeUrls({
          crl_distribution_points: "http://ca.test/v1/pki/crl",
          delta_crl_distribution_points: "http://ca.test/v1/pki/crl/delta",
        });
        await a.pki.writeCrlConfig({ auto_rebuild: true, enable_delta: true, shards });
        const issue = () => a.pki.issue({ role: "web", common_name: "a.test" });
        const [bad, good] = [await issue(), await issue()];
        await a.pki.revoke({ serial_number: bad.serial_number });
        await a.pki.rotateDeltaCrl({});
        a.clock.advance(1);
        const pem = async (path: string) => (await a.call("GET", `pki/${path}`)).text;
        const listsOf = async (serial: string) => {
          const number = Number.parseInt(serial.replaceAll(":", "").slice(-6, -1), 16) % 3;
          const behind = shards ? `/shard/${shards}-${number}` : "";
          return Promise.all([pem(`crl/pem${behind}`), pem(`crl/delta/pem${behind}`)]);
        };
        for (const [{ certificate, serial_number }, verdict] of [
          [bad, "certificate revoked"],
          [good, ""],
        ] as const) {
          const lists = await listsOf(serial_number);
          expect(verified(root, certificate, lists, [])).toBe("");
          expect(verified(root, certificate, lists, ["-use_deltas"])).toBe(verdict);
        }
      }
    },
  );
});
