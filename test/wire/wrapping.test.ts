import { describe, expect, it } from "vitest";
import type { Authority } from "../support/authority.ts";
import { faultyStores, readOnly, unreachable, type Faulty } from "../support/faulty.ts";
import { infoOf, unwrap, withRole } from "../support/wrapping.ts";

interface Tried extends Authority, Pick<Faulty, "fault" | "calls"> {
  /** Name of the store of the mount `pki`. */
  readonly mount: string;
  /** Sends a call whose reply is wrapped. */
  wrap(path: string, body: object): ReturnType<Authority["call"]>;
}
async function tried(): Promise<Tried> {
  const { stores, fault, calls } = faultyStores();
  const a = await withRole({ stores });
  const { uuid: mount } = await a.sys.readMount({ path: "pki" });
  calls();
  return {
    ...a,
    fault,
    calls,
    mount,
    wrap: (path, body) =>
      a.call("POST", `pki/${path}`, body, { header: { "x-service-wrap-ttl": "60" } }),
  };
}
const rows = async (a: Tried) =>
  (await a.stores(a.mount).list("")).map(([key, { rev }]) => `${key} ${rev}`);

/** Calls that generate a private key and return it once. */
const keyMakers = {
  "issue/web": { common_name: "a.test" },
  "root/generate/exported": { common_name: "Second Root", key_type: "ec" },
  "root/rotate/exported": { common_name: "Third Root", key_type: "ec" },
  "intermediate/generate/exported": { common_name: "Below", key_type: "ec" },
  "keys/generate/exported": { key_type: "ec" },
};

describe("a private key that is wanted behind a token", () => {
  it.each(Object.entries(keyMakers))(
    "is made by %s only where the token can be stored: else nothing is",
    async (path, body) => {
      const a = await tried();
      const before = await rows(a);
      a.fault("sys", readOnly);
      const refused = await a.wrap(path, body);
      expect([refused.status, refused.errors]).toEqual([503, ["the storage is unreachable"]]);
      expect(await rows(a)).toEqual(before);
      a.fault("sys", undefined);
      const { token } = infoOf(await a.wrap(path, body));
      expect((await unwrap(a, token)).data["private_key"]).toContain("PRIVATE KEY");
    },
  );

  it.each(Object.entries(keyMakers))(
    "a wrapped private key of %s cannot be unwrapped if the change stored with it fails",
    async (path, body) => {
      const a = await tried();
      a.fault(a.mount, readOnly);
      const refused = await a.wrap(path, body);
      expect([refused.status, refused.json["wrap_info"]]).toEqual([503, undefined]);
      a.clock.advance(120);
      await a.ca.tickStore("sys");
      expect(await a.stores("sys").list("wrapped/")).toEqual([]);
    },
  );

  it("is that of the stored certificate, if the role changed meanwhile and it was issued again", async () => {
    const a = await tried();
    let changes = 0;
    a.fault(a.mount, (verb, batch) => {
      if (
        verb !== "commit" ||
        !batch?.put?.some(([key]) => key.startsWith("cert/")) ||
        changes++ > 0
      )
        return undefined;
      return a.role("web", { ttl: "7m" }).then(() => undefined);
    });
    const { token } = infoOf(await a.wrap("issue/web", { common_name: "a.test" }));
    a.fault(a.mount, undefined);
    const { data } = await unwrap(a, token);
    expect([changes, data["expiration"]]).toEqual([2, a.clock.now / 1000 + 420]);
    expect((await a.pki.readCert({ serial: String(data["serial_number"]) })).certificate).toBe(
      data["certificate"],
    );
  });

  it("costs the store of the system one commit, with the lease and the warnings of the reply", async () => {
    const a = await tried();
    await a.role("web", { generate_lease: true, ttl: "2m" });
    await a.wrap("issue/web", { common_name: "b.test" });
    a.calls();
    const { token } = infoOf(await a.wrap("issue/web", { common_name: "a.test", role: "other" }));
    expect(a.calls()).toEqual(["sys commit", `${a.mount} commit`]);
    const { json } = await unwrap(a, token);
    expect([json["lease_duration"], json["warnings"]]).toEqual([
      120,
      [expect.stringContaining("captured from the endpoint's path: [role]")],
    ]);
  });

  it("is wrapped even if later additions fail", async () => {
    const a = await tried();
    // the CRL is built after the commit, and the reply reports the failure
    a.fault(a.mount, (verb, batch) =>
      verb === "commit" && batch?.put?.some(([key]) => key.startsWith("crl"))
        ? unreachable()
        : undefined,
    );
    let commits = 0;
    a.fault("sys", (verb) => (verb === "commit" && ++commits > 1 ? unreachable() : undefined));
    const { token } = infoOf(
      await a.wrap("root/generate/exported", { common_name: "Second Root", key_type: "ec" }),
    );
    expect(commits).toBe(2);
    a.fault("sys", undefined);
    expect((await unwrap(a, token)).data["private_key"]).toContain("PRIVATE KEY");
  });
});

describe("a certificate whose reply could not be wrapped", () => {
  it("is named by the refusal and by the log", async () => {
    const a = await tried();
    const { csr } = await a.pki.generateIntermediate({ common_name: "a.test", key_type: "ec" });
    a.fault("sys", readOnly);
    const refused = await a.wrap("sign/web", { csr });
    expect([refused.status, refused.errors]).toEqual([
      503,
      [
        expect.stringMatching(
          /^the request was carried out, but its response could not be wrapped: the storage is unreachable; the serial number is [0-9a-f:]{59}$/,
        ),
      ],
    ]);
    const serial = String(refused.errors[0]).slice(-59);
    expect((await a.pki.readCert({ serial })).certificate).toContain("BEGIN CERTIFICATE");
    expect(a.events.findLast(({ endpoint }) => endpoint === "sign")).toMatchObject({
      status: 503,
      fields: { serial: serial.replaceAll(":", "") },
    });
  });
});
