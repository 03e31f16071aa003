import { X509Certificate } from "node:crypto";
import { execFileSync, spawnSync } from "node:child_process";
import { join } from "node:path";
import { beforeAll, describe, expect } from "vitest";
import { authority, start, type Authority } from "../support/authority.ts";
import { itWith } from "../support/programs.ts";
import { openssl, withFiles } from "../x509/fixture.ts";

const day = 86_400;
interface Chain {
  readonly a: Authority;
  readonly root: string;
  readonly below: string;
  readonly belowId: string;
  /** Leaf certificates of the intermediate. */
  readonly good: string;
  readonly revoked: string;
  readonly serial: string;
}
/** Creates a root, an intermediate and two leaves of it, one of which is revoked. */
async function chain(key: object = {}): Promise<Chain> {
  const a = authority();
  const { certificate: root } = await a.root(key);
  const { id, certificate: below } = await a.intermediate({}, key);
  await a.role("web", { ttl: "700h" });
  const issue = async (common_name: string) =>
    (await a.call("POST", `pki/issuer/${id}/issue/web`, { common_name })).data;
  const [good, bad] = [await issue("good.test"), await issue("bad.test")];
  const serial = String(bad["serial_number"]);
  await a.pki.revoke({ serial_number: serial, reason: "keyCompromise" });
  return {
    a,
    root,
    below,
    belowId: id,
    good: String(good["certificate"]),
    revoked: String(bad["certificate"]),
    serial: serial.replaceAll(":", ""),
  };
}
const serialIn = (pem: string): string => new X509Certificate(pem).serialNumber;

/** Creates a hierarchy whose leaf certificates are in two shards. */
async function sharded() {
  const a = authority();
  const { certificate: root } = await a.root();
  await a.pki.writeCluster({ path: base, aia_path: base });
  await a.pki.writeUrls({
    enable_templating: true,
    crl_distribution_points: ["{{cluster_aia_path}}/issuer/{{issuer_id}}/crl/der"],
  });
  // openssl also requires a CRL of the root; the intermediate is issued before there are shards, so
  // that the complete CRL covers it
  const { id, certificate: below } = await a.intermediate();
  await a.pki.writeCrlConfig({ shards: 2 });
  await a.role("web", { ttl: "700h" });
  const leaves = [];
  for (let i = 0; i < 6; i++) {
    const { data } = await a.call("POST", `pki/issuer/${id}/issue/web`, { common_name: "a.test" });
    const pem = String(data["certificate"]);
    const shard = Number(/shard\/2-([01])/.exec(openssl(["x509", "-noout", "-text"], pem))?.[1]);
    const revoked = i % 2 === 0;
    if (revoked) await a.pki.revoke({ serial_number: String(data["serial_number"]) });
    leaves.push({ pem, shard, revoked });
  }
  return { a, root, below, belowId: id, leaves };
}
const base = "http://ca.test/v1/pki";
const shardOf = async (a: Authority, issuer: string, i: number): Promise<string> =>
  (await a.call("GET", `pki/issuer/${issuer}/crl/pem/shard/2-${i}`)).text;
async function listOf(a: Authority, issuer: string, kind = "crl"): Promise<string> {
  return (await a.call("GET", `pki/issuer/${issuer}/${kind}/pem`)).text;
}

/** Returns the errors of `openssl verify` for a leaf, or an empty text. */
function verified(
  { a, root, below }: Pick<Chain, "a" | "root" | "below">,
  leaf: string,
  lists: readonly string[],
  words: readonly string[] = [],
): string {
  return withFiles(
    { "root.pem": root, "below.pem": below, "leaf.pem": leaf, "lists.pem": lists.join("\n") },
    (path) => {
      const { stderr, status } = spawnSync(
        "openssl",
        `verify -crl_check_all -attime ${Math.floor(a.clock.now / 1000)}`
          .split(" ")
          .concat("-CAfile", path("root.pem"), "-untrusted", path("below.pem"))
          .concat("-CRLfile", path("lists.pem"), words, path("leaf.pem")),
        { encoding: "utf8" },
      );
      const errors = [...stderr.matchAll(/^error (\d+) at (\d) depth lookup: ?(.*)$/gm)];
      return status === 0 ? "" : errors.map(([, , depth, text]) => `${depth} ${text}`).join("; ");
    },
  );
}

describe("CRLs as read by other programs", () => {
  let it1: Chain;
  beforeAll(async () => {
    it1 = await chain();
  });

  itWith("openssl", "version")(
    "openssl verifies a chain against the CRLs of all its CAs and detects revoked certificates",
    async () => {
      const { a, belowId, good, revoked } = it1;
      const lists = [await listOf(a, "root"), await listOf(a, belowId)];
      expect(verified(it1, good, lists)).toBe("");
      expect(verified(it1, revoked, lists)).toBe("0 certificate revoked");
      // a current CRL of each issuer is required
      expect(verified(it1, good, lists.slice(0, 1))).toBe("0 unable to get certificate CRL");
      a.clock.advance(4 * day);
      expect(verified(it1, good, lists)).toContain("CRL has expired");
      const later = [await listOf(a, "root"), await listOf(a, belowId)];
      expect(verified(it1, good, later)).toBe("");
    },
  );

  itWith("openssl", "version")(
    "security row 68: openssl detects a revoked intermediate by the CRL of its issuer",
    async () => {
      const one = await chain();
      const { a, belowId, good } = one;
      await a.call("POST", `pki/issuer/${belowId}/revoke`);
      const lists = [await listOf(a, "root"), await listOf(a, belowId)];
      expect(verified(one, good, lists)).toBe("1 certificate revoked");
    },
  );

  itWith("openssl", "version")(
    "openssl detects a later revocation by the delta CRL, and rejects the delta CRL without its base",
    async () => {
      const one = await chain();
      const { a, belowId, good, revoked } = one;
      // it looks for delta CRLs only if the CRLs name their location
      await a.pki.writeUrls({ delta_crl_distribution_points: [`${base}/crl/delta`] });
      await a.pki.writeCrlConfig({ auto_rebuild: true, enable_delta: true });
      const lists = [await listOf(a, "root"), await listOf(a, belowId)];
      const deltas = async () => [
        await listOf(a, "root", "crl/delta"),
        await listOf(a, belowId, "crl/delta"),
      ];
      const words = ["-use_deltas", "-extended_crl"];
      expect(verified(one, good, [...lists, ...(await deltas())], words)).toBe("");
      await a.pki.revoke({ serial_number: serialIn(good) });
      a.clock.advance(1000);
      await a.ca.tick();
      const later = await deltas();
      expect(verified(one, good, lists, words)).toBe("");
      expect(verified(one, good, [...lists, ...later], words)).toBe("0 certificate revoked");
      expect(verified(one, revoked, [...lists, ...later], words)).toBe("0 certificate revoked");
      expect(verified(one, good, [lists[0] ?? "", ...later], words)).not.toBe("");
    },
  );

  itWith("openssl", "version")(
    "security row 65: openssl accepts the CRL of a certificate's shard, and not that of another shard",
    async () => {
      const one = await sharded();
      const { a } = one;
      const all = await Promise.all([0, 1].map((i) => shardOf(a, one.belowId, i)));
      const above = await listOf(a, "root");
      for (const leaf of one.leaves) {
        const lists = [above, ...all];
        const words = ["-extended_crl"];
        expect(verified(one, leaf.pem, lists, words)).toBe(
          leaf.revoked ? "0 certificate revoked" : "",
        );
        const others = [above, ...all.filter((_, i) => i !== leaf.shard)];
        expect(verified(one, leaf.pem, others, words)).toMatch(
          /different CRL scope|unable to get certificate CRL/i,
        );
      }
    },
  );

  itWith("certtool", "--version")("certtool reads the CRL, its number and its entry", async () => {
    const { a, belowId, serial } = it1;
    const text = execFileSync("certtool", ["--crl-info"], {
      input: await listOf(a, belowId),
      encoding: "utf8",
    });
    expect(text).toContain("Version: 2");
    expect(text).toMatch(/CRL Number \(not critical\): 0*[1-9a-f]/);
    expect(text).toContain("Revoked certificates (1)");
    expect(text).toContain(serial);
    expect(text).not.toContain("Unknown extension");
  });

  itWith("go", "version")(
    "Go reads extensions and entries of CRLs signed with every kind of key",
    async () => {
      const chains = [
        it1,
        await chain({ key_type: "rsa" }),
        await chain({ key_type: "ed25519" }),
        await chain({ key_type: "ec", key_bits: 521 }),
      ];
      const input: string[] = [];
      for (const { a, root, below, belowId } of chains)
        input.push(root, await listOf(a, "root"), below, await listOf(a, belowId));
      const read = goLists(input);
      for (const [i, { serial }] of chains.entries()) {
        const [above, own] = read.slice(2 * i);
        expect([above?.signed, above?.entries]).toEqual([true, []]);
        expect([own?.signed, own?.extensions]).toEqual([true, ["2.5.29.35", "2.5.29.20"]]);
        expect(own?.entries).toEqual([{ serial, at: start / 1000, reason: 1 }]);
        expect((own?.nextUpdate ?? 0) - (own?.thisUpdate ?? 0)).toBe(3 * day);
      }
    },
  );
});

interface GoList {
  readonly number: string;
  readonly signed: boolean;
  readonly thisUpdate: number;
  readonly nextUpdate: number;
  readonly extensions: readonly string[];
  readonly entries: readonly {
    readonly serial: string;
    readonly at: number;
    readonly reason: number;
  }[];
}
function goLists(pems: readonly string[]): readonly GoList[] {
  const output = execFileSync("go", ["run", join(import.meta.dirname, "list-reader.go")], {
    input: pems.map((pem) => `${pem}\n`).join(""),
    encoding: "utf8",
    env: {
      ...process.env,
      GO111MODULE: "off",
      GOTOOLCHAIN: "local",
      GOFLAGS: "",
      CGO_ENABLED: "0",
    },
  });
  return JSON.parse(output) as readonly GoList[];
}
