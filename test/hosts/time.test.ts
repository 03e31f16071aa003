import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { apiOf, makeAuthority, noteEvents, type Api } from "../http/api.ts";
import { crlOf } from "../http/crl.ts";
import { directoryWith, openssl } from "../http/openssl.ts";
import { hosts, runtimes, setClock, type RunningHost } from "./hosts.ts";

const hour = 3_600_000;
let server: RunningHost;
let api: Api;
/** The server's time. */
let now: number;
/** The mount of the running test. */
let mount: string;
let mounts = 0;
const pkiMount = { type: "pki", config: { max_lease_ttl: "87600h" } };

/** Moves the server's clock by `ms`, and resolves when the due jobs have run. */
async function pass(ms: number): Promise<void> {
  now += ms;
  await setClock(server, now);
}
const crl = () => crlOf(api, mount);
async function issued(body: Record<string, unknown> = {}): Promise<Record<string, string>> {
  const answer = await api("POST", `${mount}/issue/web`, {
    common_name: "www.example.com",
    ...body,
  });
  expect(answer.status, answer.text).toBe(200);
  return answer.data;
}
const near = (ms: number) => (value: number) => Math.abs(value - ms) < 60_000;

describe.each(hosts)("over time at $host", ({ start }) => {
  beforeAll(async () => {
    // two processes, one of which runs the jobs
    server = await start({ clocked: true, workers: 2, env: { LOG: "json" } });
    api = apiOf(server);
    now = Date.now();
  });
  afterAll(() => server.stop());
  beforeEach(async () => {
    mount = `time-${mounts++}`;
    expect((await api("POST", `sys/mounts/${mount}`, pkiMount)).status).toBe(204);
    await makeAuthority(api, mount);
  });
  noteEvents(() => server);

  it("a CRL is valid for the expiry of config/crl, and is re-signed before it expires", async () => {
    await api("POST", `${mount}/config/crl`, { expiry: "48h" });
    await api("GET", `${mount}/crl/rotate`);
    const first = await crl();
    expect(first.nextUpdate - first.thisUpdate).toBe(48 * hour);
    await pass(35 * hour);
    expect((await crl()).number).toBe(first.number);
    await pass(14 * hour);
    const next = await crl();
    expect(next.number).toBe(first.number + 1);
    expect(next.thisUpdate).toSatisfy(near(now));
  });

  it("auto_rebuild defers revocations to the next CRL, which is signed before the current one expires", async () => {
    await api("POST", `${mount}/config/crl`, {
      auto_rebuild: true,
      expiry: "72h",
      auto_rebuild_grace_period: "12h",
    });
    // the process that runs the jobs may still be building the CRL of the new issuer
    await pass(0);
    const first = await crl();
    const serial = (await issued({ ttl: "900h" }))["serial_number"];
    await api("POST", `${mount}/revoke`, { serial_number: serial });
    await pass(59 * hour);
    expect(await crl()).toMatchObject({ number: first.number, serials: [] });
    await pass(2 * hour);
    const second = await crl();
    expect(second).toMatchObject({
      number: first.number + 1,
      serials: [serial?.replaceAll(":", "")],
    });
    expect(second.nextUpdate).toSatisfy(near(now + 72 * hour));
    await pass(61 * hour);
    expect((await crl()).number).toBe(second.number + 1);
    await api("POST", `${mount}/config/crl`, { auto_rebuild: false });
    const last = await crl();
    await pass(last.nextUpdate + hour - now);
    expect((await crl()).number).toBe(last.number + 1);
  });

  it("after a clock that was ahead is corrected, CRLs are valid and their numbers still increase", async () => {
    await api("POST", `${mount}/config/crl`, { auto_rebuild: true });
    await pass(24_000 * hour);
    await api("GET", `${mount}/crl/rotate`);
    const ahead = await crl();
    await pass(-24_000 * hour);
    const serial = (await issued({ ttl: "900h" }))["serial_number"];
    await api("POST", `${mount}/revoke`, { serial_number: serial });
    const back = await crl();
    expect(back.number).toBeGreaterThan(ahead.number);
    expect(back.thisUpdate).toSatisfy(near(now));
    await pass(61 * hour);
    expect((await crl()).serials).toEqual([serial?.replaceAll(":", "")]);
  });

  it("a delegated OCSP responder is renewed before its certificate expires, and openssl accepts its responses", async () => {
    const path = `${mount}/issuer/default/ocsp-responder`;
    const first = (await api("POST", path, {})).data;
    const leaf = await issued({ ttl: "700h" });
    await pass(19 * 24 * hour);
    expect((await api("GET", path)).data).toEqual(first);
    await pass(24 * hour);
    const next = (await api("GET", path)).data;
    expect(next["serial_number"]).not.toBe(first["serial_number"]);
    expect(next["active"]).toBe(true);
    const files = {
      "ca.pem": (await api("GET", `${mount}/ca/pem`)).text,
      "leaf.pem": leaf["certificate"] ?? "",
    };
    const { code, output } = openssl(
      directoryWith(files),
      ...`ocsp -issuer ca.pem -CAfile ca.pem -cert leaf.pem -url ${server.url}/v1/${mount}/ocsp`.split(
        " ",
      ),
      ...`-attime ${Math.floor(now / 1000)} -validity_period 9999999 -text`.split(" "),
    );
    const serial = (next["serial_number"] ?? "").toLowerCase();
    expect([code, output]).toEqual([0, expect.stringContaining("Response verify OK")]);
    expect(output).toContain("leaf.pem: good");
    expect(output.toLowerCase()).toContain(serial);
  });

  it("the current CRL is served after superseded CRLs were unpublished", async () => {
    const serial = (await issued())["serial_number"];
    await api("POST", `${mount}/revoke`, { serial_number: serial });
    await pass(hour / 4);
    await pass(hour / 4);
    expect((await crl()).serials).toEqual([serial?.replaceAll(":", "")]);
    // the log names a job only when it fails
    expect(server.output()).not.toContain("job crl-unpublish");
  });

  it("an expired certificate is not revoked unless config/crl allows it", async () => {
    const { serial_number, expiration } = await issued({ ttl: "1h" });
    expect(Number(expiration) * 1000).toSatisfy(near(now + hour));
    await pass(2 * hour);
    const refused = await api("POST", `${mount}/revoke`, { serial_number });
    expect([refused.status, refused.json["data"]]).toEqual([200, null]);
    expect(refused.json["warnings"]).toContain("already expired; refusing to add to CRL");
    expect((await api("GET", `${mount}/cert/${serial_number}`)).data["revocation_time"]).toBe(0);
    await api("POST", `${mount}/config/crl`, { allow_expired_cert_revocation: true });
    expect((await api("POST", `${mount}/revoke`, { serial_number })).data["state"]).toBe("revoked");
    expect((await crl()).serials).toContain(serial_number?.replaceAll(":", ""));
  });

  it("notBefore is backdated by not_before_duration, and an expired issuer issues nothing", async () => {
    await pass(1000 * hour);
    await api("POST", `${mount}/roles/web`, {
      allowed_domains: "example.com",
      allow_subdomains: true,
      key_type: "ec",
      not_before_duration: "2h",
    });
    const { certificate = "" } = await issued({ ttl: "3h" });
    const { output } = openssl(
      directoryWith({ "leaf.pem": certificate }),
      "x509",
      "-in",
      "leaf.pem",
      "-noout",
      "-dates",
    );
    const [begin = 0, end = 0] = output
      .trim()
      .split("\n")
      .map((line) => Date.parse(line.split("=")[1] ?? ""));
    expect(begin).toSatisfy(near(now - 2 * hour));
    expect(end).toSatisfy(near(now + 3 * hour));
    await pass(90_000 * hour);
    expect(
      (await api("POST", `${mount}/issue/web`, { common_name: "www.example.com", ttl: "1h" }))
        .status,
    ).toBe(400);
  });
});

it.each(runtimes)(
  "requests cannot set the time of $host unless it was started for tests",
  async ({ start }) => {
    const plain = await start({ env: { TEST_CLOCK: "1" } });
    try {
      for (const method of ["PUT", "POST", "GET"]) {
        const body = method === "GET" ? {} : { body: JSON.stringify({ now: 0 }) };
        expect(
          (
            await fetch(`${plain.url}/test/clock`, {
              method,
              headers: { TEST_CLOCK: "1", "X-Service-Token": plain.token },
              ...body,
            })
          ).status,
        ).toBe(404);
      }
    } finally {
      await plain.stop();
    }
  },
);
