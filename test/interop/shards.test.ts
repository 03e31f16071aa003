import { execFileSync, spawnSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect } from "vitest";
import { decodePem } from "../../src/base/pem.ts";
import { findExtension, parseCertificate } from "../../src/x509/certificate.ts";
import { readCrlDistributionPoints } from "../../src/x509/distribution-points.ts";
import { extensionOid } from "../../src/x509/oid.ts";
import { authority, type Authority } from "../support/authority.ts";
import { itWith } from "../support/programs.ts";
import { withFiles } from "../x509/fixture.ts";

const base = "http://ca.test/v1/pki/crl/pem";
interface Leaf {
  readonly pem: string;
  readonly serial: string;
  readonly point: string;
}
async function made(): Promise<{
  readonly a: Authority;
  readonly root: string;
  leaf(): Promise<Leaf>;
}> {
  const a = authority();
  const { certificate: root } = await a.root();
  await a.role("web", { ttl: "700h" });
  await a.pki.writeUrls({ crl_distribution_points: [base, "http://other.test/crl"] });
  await a.pki.writeCrlConfig({ shards: 4 });
  const leaf = async (): Promise<Leaf> => {
    const { certificate: pem, serial_number: serial } = await a.pki.issue({
      role: "web",
      common_name: "a.test",
    });
    const [block] = decodePem(pem);
    const points =
      block && findExtension(parseCertificate(block.der), extensionOid.crlDistributionPoints);
    const [point = ""] = points ? readCrlDistributionPoints(points.value) : [];
    return { pem, serial, point };
  };
  return { a, root, leaf };
}
const listAt = async (a: Authority, point: string): Promise<string> =>
  (await a.call("GET", point.replace("http://ca.test/v1/", ""), undefined, { token: "" })).text;

/** Returns the error of `openssl verify` for a leaf with the given CRLs; empty if the leaf is valid. */
function verified(a: Authority, root: string, leaf: string, lists: readonly string[]): string {
  const pems = { "root.pem": root, "leaf.pem": leaf, "lists.pem": lists.join("\n") };
  return withFiles(pems, (path) => {
    const { stderr, status } = spawnSync(
      "openssl",
      [
        "verify",
        "-crl_check",
        "-extended_crl",
        "-attime",
        `${Math.floor(a.clock.now / 1000)}`,
      ].concat("-CAfile", path("root.pem"), "-CRLfile", path("lists.pem"), path("leaf.pem")),
      { encoding: "utf8" },
    );
    return status === 0 ? "" : (/lookup: ?(.*)$/m.exec(stderr)?.[1] ?? stderr);
  });
}

describe("security row 65: the CRL of a shard", () => {
  itWith("openssl", "version")(
    "lets openssl verify the certificates that name it and find a revoked one, but no certificates of other shards",
    async () => {
      const { a, root, leaf } = await made();
      const [bad, ...others] = [
        await leaf(),
        ...(await Promise.all(Array.from({ length: 11 }, leaf))),
      ];
      await a.pki.revoke({ serial_number: bad.serial });
      const own = await listAt(a, bad.point);
      expect(verified(a, root, bad.pem, [own])).toBe("certificate revoked");
      const [beside, elsewhere] = [
        others.find(({ point }) => point === bad.point),
        others.find(({ point }) => point !== bad.point),
      ];
      expect(beside && verified(a, root, beside.pem, [own])).toBe("");
      // the CRL of another shard does not cover it
      expect(elsewhere && verified(a, root, elsewhere.pem, [own])).toBe("different CRL scope");
      const theirs = await listAt(a, elsewhere?.point ?? "");
      expect(elsewhere && verified(a, root, elsewhere.pem, [own, theirs])).toBe("");
      expect(verified(a, root, bad.pem, [own, theirs])).toBe("certificate revoked");
    },
  );

  itWith("go", "version")(
    "has a critical issuing distribution point, which Go reads, with the URLs of its certificates",
    async () => {
      const { a, root, leaf } = await made();
      const { point, serial } = await leaf();
      await a.pki.revoke({ serial_number: serial });
      const output = execFileSync("go", ["run", join(import.meta.dirname, "list-reader.go")], {
        input: `${root}\n${await listAt(a, point)}`,
        encoding: "utf8",
        env: {
          ...process.env,
          GO111MODULE: "off",
          GOTOOLCHAIN: "local",
          GOFLAGS: "",
          CGO_ENABLED: "0",
        },
      });
      const [read] = JSON.parse(output) as readonly {
        readonly signed: boolean;
        readonly extensions: readonly string[];
        readonly points: readonly string[];
        readonly entries: readonly { readonly serial: string }[];
      }[];
      expect([read?.signed, read?.extensions]).toEqual([
        true,
        ["2.5.29.35", "2.5.29.20", "2.5.29.28 critical"],
      ]);
      const [, shard] = point.split("/shard/");
      expect(read?.points).toEqual([point, `http://other.test/crl/shard/${shard}`]);
      expect(read?.entries.map((entry) => entry.serial)).toEqual([serial.replaceAll(":", "")]);
    },
  );
});
