import { X509Certificate } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { LaunchError } from "../../server/settings/launch-error.ts";
import { readTls, servedNames, type TlsRole } from "../../server/settings/tls-settings.ts";
import { memoryStore } from "../../src/index.ts";
import { issueTls, type TlsRequest } from "../../server/process/issue-tls.ts";
import { RoleSource } from "../../server/process/role-source.ts";
import type { TlsPair } from "../../server/http/tls-layer.ts";
import { authority, type Authority } from "../support/authority.ts";
import { temporaryDirectory } from "../support/server.ts";

const day = 24 * 60 * 60;
const own: TlsRole = { mount: "sealwright-tls", role: "server", creates: true, names: undefined };
const byRole: TlsRole = { mount: "pki", role: "server", creates: false, names: ["ca.example"] };

/** Returns a server over an authority in memory; `source` simulates a start. */
function stage(from: TlsRole = own, a: Authority = authority(), dataDir = temporaryDirectory()) {
  const [requests, reports]: [TlsRequest[], string[]] = [[], []];
  let names: readonly string[] = ["ca.example", "192.0.2.7"];
  const serving = {
    secure: () => undefined,
    now: () => a.clock.now,
    issueTls: (request: TlsRequest) => {
      requests.push(request);
      return issueTls(a.ca, request);
    },
  };
  return {
    a,
    dataDir,
    requests,
    reports,
    serving,
    setNames: (given: readonly string[]) => void (names = given),
    source: () =>
      new RoleSource({
        from,
        dataDir,
        servedNames: () => names,
        report: (sentence) => reports.push(sentence),
      }),
  };
}
const certificatesIn = ({ cert }: TlsPair) =>
  (cert.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? []).map(
    (pem) => new X509Certificate(pem),
  );
const leafOf = (pair: TlsPair) => new X509Certificate(pair.cert);

describe("TLS=own", () => {
  it("creates mount, root and role, and stores certificate and root readable by the owner only", async () => {
    const { source, serving, dataDir, a } = stage();
    const first = source();
    expect(first.initial(serving)).toBeUndefined();
    const pair = await first.start(serving);
    const [leaf, ...others] = certificatesIn(pair);
    // clients are expected to have the root
    expect(others).toEqual([]);
    expect(leaf?.subjectAltName).toBe("DNS:ca.example, IP Address:192.0.2.7");
    const root = new X509Certificate(readFileSync(join(dataDir, "tls-root.pem")));
    expect(leaf?.checkIssued(root) && leaf.verify(root.publicKey)).toBe(true);
    expect(root.subject).toBe("CN=Sealwright Root of ca.example");
    for (const name of ["tls.pem", "tls-root.pem"])
      expect(statSync(join(dataDir, name)).mode & 0o077).toBe(0);
    expect(await a.ca.sys.readMount({ path: "sealwright-tls" })).toMatchObject({ type: "pki" });
  });

  it("leaves an existing root and role unchanged", async () => {
    const { source, serving, a, dataDir } = stage();
    await source().start(serving);
    rmSync(join(dataDir, "tls.pem"));
    const pki = a.ca.mount("sealwright-tls");
    await pki.patchRole({ name: "server", ttl: "48h" });
    const leaf = leafOf(await source().start(serving));
    expect(leaf.validToDate.getTime() - a.clock.now).toBe(2 * day * 1000);
    expect((await pki.listIssuers()).keys).toHaveLength(1);
  });

  it("creates one root if several servers of a database start for the first time at once", async () => {
    const stores = memoryStore();
    const serverWith = (seed: number) => stage(own, authority({ stores, seed }));
    const servers = [serverWith(1), serverWith(2), serverWith(3)] as const;
    const pairs = await Promise.all(servers.map(({ source, serving }) => source().start(serving)));
    const roots = servers.map(({ dataDir }) => readFileSync(join(dataDir, "tls-root.pem"), "utf8"));
    expect(new Set(roots).size).toBe(1);
    expect(new Set(pairs.map(({ cert }) => cert)).size).toBe(3);
    const { keys } = await servers[0].a.ca.mount("sealwright-tls").listIssuers();
    expect(keys).toHaveLength(1);
  });

  it("reissues and updates its role when the server's names change, unless an operator has changed the role", async () => {
    const { source, serving, setNames, a, reports } = stage();
    await source().start(serving);
    setNames(["ca.example", "localhost", "127.0.0.1"]);
    const other = await source().start(serving);
    expect(leafOf(other).subjectAltName).toBe(
      "DNS:ca.example, DNS:localhost, IP Address:127.0.0.1",
    );
    const pki = a.ca.mount("sealwright-tls");
    await pki.patchRole({ name: "server", allowed_domains: ["corp.example"] });
    setNames(["b.example"]);
    expect((await source().start(serving)).cert).toBe(other.cert);
    expect(reports).toEqual([
      expect.stringMatching(/^TLS: sealwright-tls\/issue\/server issued no .*\(.*b\.example.*\); /),
    ]);
  });
});

describe("a role as the source of the TLS certificate", () => {
  const withRole = async (from: TlsRole = byRole) => {
    const staged = stage(from);
    await staged.a.root();
    await staged.a.role("server", { ttl: "72h" });
    return staged;
  };

  it("issues a certificate that is served with its intermediates, but without the root", async () => {
    const { serving, a, dataDir } = stage();
    const signer = await a.root();
    const { id } = await a.intermediate();
    await a.role("server", { issuer_ref: id });
    const pair = await stage(byRole, a, dataDir).source().start(serving);
    const [leaf, intermediate, ...others] = certificatesIn(pair);
    const root = new X509Certificate(signer.certificate);
    expect(others).toEqual([]);
    expect(intermediate && leaf?.checkIssued(intermediate)).toBe(true);
    expect(intermediate?.checkIssued(root)).toBe(true);
    const stored = new X509Certificate(readFileSync(join(dataDir, "tls-root.pem")));
    expect(stored.fingerprint256).toBe(root.fingerprint256);
  });

  it("issues once: a restart presents the stored certificate at once", async () => {
    const { source, serving, requests } = await withRole();
    const pair = await source().start(serving);
    const again = source();
    expect(again.initial(serving)).toMatchObject({ cert: pair.cert, key: pair.key });
    expect((await again.start(serving)).cert).toBe(pair.cert);
    expect(requests).toHaveLength(1);
  });

  it("renews after two thirds of the lifetime, even at a start", async () => {
    const { source, serving, requests, a } = await withRole();
    const running = source();
    const first = await running.start(serving);
    const { validFromDate, validToDate } = leafOf(first);
    const [from, to] = [validFromDate.getTime(), validToDate.getTime()];
    a.clock.now = from + ((to - from) * 2) / 3 - 1000;
    expect(await running.next(false, serving)).toBeUndefined();
    expect((await source().start(serving)).cert).toBe(first.cert);
    a.clock.advance(1);
    const second = await running.next(false, serving);
    expect(second?.cert).not.toBe(first.cert);
    expect(await running.next(false, serving)).toBeUndefined();
    expect((await source().start(serving)).cert).toBe(second?.cert);
    expect(requests).toHaveLength(2);
  });

  it("reissues on request, and if the stored certificate is damaged or another role's", async () => {
    const { source, serving, dataDir } = await withRole();
    const running = source();
    const pairs = [await running.start(serving), await running.next(true, serving)];
    const path = join(dataDir, "tls.pem");
    const stored = readFileSync(path, "utf8");
    const onlyKey = stored.slice(0, stored.indexOf("-----BEGIN CERTIFICATE"));
    for (const text of [
      stored.replace("pki/issue", "b/issue"),
      stored.slice(0, 900),
      onlyKey,
      "",
    ]) {
      writeFileSync(path, text);
      expect(source().initial(serving)).toBeUndefined();
      pairs.push(await source().start(serving));
    }
    expect(new Set(pairs.map((pair) => pair?.cert)).size).toBe(6);
  });

  it("is retried after a failure with delays from ten seconds to an hour", async () => {
    const { source, serving, requests, a } = await withRole();
    const running = source();
    await running.start(serving);
    await a.pki.deleteRole({ name: "server" });
    a.clock.advance(2.5 * day);
    const waits: number[] = [];
    for (let failures = 0, seconds = 0; failures < 11; seconds++) {
      const refused = await running.next(false, serving).catch((error: unknown) => error);
      if (refused instanceof Error) {
        expect(refused.message).toMatch(/^TLS: pki\/issue\/server issued no certificate .*\)$/);
        waits.push(seconds);
        [failures, seconds] = [failures + 1, 0];
      }
      a.clock.advance(1);
    }
    expect(waits.slice(0, 4)).toEqual([0, 10, 20, 40]);
    expect(waits.at(-1)).toBe(3600);
    expect(requests).toHaveLength(12);
    await a.role("server");
    a.clock.advance(3600);
    expect(await running.next(false, serving)).toBeDefined();
  });

  it("that is missing stops the start, unless a certificate is stored, which is then served", async () => {
    const { source, serving, a, reports } = await withRole();
    await a.pki.deleteRole({ name: "server" });
    await expect(source().start(serving)).rejects.toThrow(LaunchError);
    await expect(source().start(serving)).rejects.toThrow(
      /^TLS: pki\/issue\/server issued no certificate for this server \([^\n]*\); start without TLS to create the role, or with TLS=own\.$/,
    );
    await a.role("server", { ttl: "72h" });
    const { cert } = await source().start(serving);
    await a.pki.deleteRole({ name: "server" });
    a.clock.advance(4 * day);
    const late = source();
    expect(late.initial(serving)).toBeUndefined();
    expect((await late.start(serving)).cert).toBe(cert);
    expect(reports).toHaveLength(1);
  });

  it("presents a certificate that cannot be stored, and reports it", async () => {
    const { source, serving, dataDir, reports } = await withRole();
    mkdirSync(join(dataDir, "tls-root.pem"));
    expect(certificatesIn(await source().start(serving))).toHaveLength(1);
    expect(reports).toEqual([
      expect.stringMatching(
        /tls-root\.pem cannot be written \(\w+\)\. The certificate will be issued again at the next start\./,
      ),
    ]);
    expect(existsSync(join(dataDir, "tls.pem"))).toBe(false);
  });
});

describe("the settings of TLS", () => {
  it.each([
    [{ TLS: "own" }, own],
    [{ TLS: "pki/issue/server", TLS_NAMES: "CA.example" }, byRole],
    [
      { TLS: "a/b/issue/c", TLS_NAMES: "bücher.example, [2001:DB8::1], 192.0.2.7," },
      {
        mount: "a/b",
        role: "c",
        creates: false,
        names: ["xn--bcher-kva.example", "2001:db8::1", "192.0.2.7"],
      },
    ],
  ])("are parsed: %j", (env, from) => expect(readTls(env)).toEqual({ from }));

  it.each([
    [{ TLS: "yes" }, 'TLS must be own, or a role such as pki/issue/server, not "yes".'],
    [{ TLS: "pki/sign/server" }, "TLS must be own"],
    [{ TLS: "pki/issue/" }, "TLS must be own"],
    [{ TLS: "own", TLS_KEY: "x" }, "Set either TLS, or TLS_CERT and TLS_KEY, not both."],
    [{ TLS_NAMES: "a.example" }, "TLS_NAMES requires TLS"],
    [
      { TLS: "own", TLS_NAMES: "a b" },
      "TLS_NAMES must be comma-separated host names or IP addresses",
    ],
    [{ TLS: "own", TLS_NAMES: "https://a.example" }, "TLS_NAMES must be"],
    [{ TLS: "own", TLS_NAMES: "*.example" }, "TLS_NAMES must be"],
    [{ TLS: "own", TLS_NAMES: "192.0.2" }, "TLS_NAMES must be"],
  ])("are rejected in one sentence: %j", (env, sentence) => {
    expect(() => readTls(env)).toThrow(LaunchError);
    expect(() => readTls(env)).toThrow(sentence);
  });

  it.each([
    ["127.0.0.1", undefined, ["127.0.0.1", "localhost"]],
    ["127.0.0.1", "https://ca.example/a", ["ca.example", "127.0.0.1", "localhost"]],
    ["0.0.0.0", "https://ca.example:8443", ["ca.example", "localhost", "127.0.0.1"]],
    ["::", "https://[2001:db8::1]", ["2001:db8::1", "localhost", "127.0.0.1", "::1"]],
    ["192.0.2.7", undefined, ["192.0.2.7"]],
  ])("default to the names of a server at %s with the public URL %s", (host, publicUrl, names) => {
    expect(servedNames(host, publicUrl)).toEqual(names);
  });
});
