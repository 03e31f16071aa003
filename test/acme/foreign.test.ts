import { describe, expect, it } from "vitest";
import {
  acmeAuthority,
  acmeClient,
  type AcmeAuthority,
  type AcmeClient,
  type AcmeReply,
  clusterPath,
} from "./client.ts";
import { csrOf, finalize, issue, newOrder, orderIn, readyOrder } from "./ordering.ts";

const secretName = "alice.example.com";
/** The objects of one account: a pending order, a ready one, and a certificate. */
interface Belongings {
  readonly alice: AcmeClient;
  /** URL suffixes below its directory. */
  readonly suffixes: Readonly<Record<string, string>>;
  readonly certificate: string;
}
async function belongings(a: AcmeAuthority, at = "acme"): Promise<Belongings> {
  const alice = await a.registered({ at });
  const pending = await newOrder(alice, [secretName]);
  const [authorization = ""] = orderIn(pending).authorizations;
  const { json } = await alice.post(authorization);
  const challenges = json["challenges"] as readonly { readonly url: string }[];
  const ready = await readyOrder(a, alice, [secretName]);
  const { order, leaf } = await issue(a, alice, [secretName]);
  const base = `${clusterPath}/${at}`;
  const below = (url: string) => url.slice(base.length);
  return {
    alice,
    certificate: Buffer.from(leaf.der).toString("base64url"),
    suffixes: {
      account: below(alice.kid),
      "its orders": `${below(alice.kid)}/orders`,
      "a pending order": below(pending.location),
      "its authorization": below(authorization),
      "its challenge": below(challenges[0]?.url ?? ""),
      "a ready order": below(ready),
      "how to finalize it": `${below(ready)}/finalize`,
      "a valid order": below(order),
      "its certificate": `${below(order)}/cert`,
    },
  };
}
/** The payloads that another account tries on each of them. */
const tries = async (): Promise<readonly unknown[]> => [
  undefined,
  {},
  { status: "deactivated" },
  { contact: ["mailto:mallory@example.com"] },
  { csr: await csrOf({ names: [secretName] }) },
];
/** Returns the rows of a mount, except nonces, jobs and the log of denials. */
const rowsOf = async (a: AcmeAuthority, uuid: string) =>
  (await a.stores(uuid).list("")).filter(
    ([key]) => !/^(nonce|job|(logged\/)?audit\/acme_refusal)\//.test(key),
  );

/** Requests all objects of one account as a client of another. */
async function sweep(
  a: AcmeAuthority,
  { suffixes }: Belongings,
  { by, base }: { readonly by: AcmeClient; readonly base: string },
): Promise<void> {
  const before = await rowsOf(a, await a.uuid());
  for (const [what, suffix] of Object.entries(suffixes))
    for (const payload of await tries()) {
      const reply = await by.post(`${base}${suffix}`, payload);
      const told = `${what} with ${JSON.stringify(payload)}: ${reply.status} ${reply.text}`;
      expect([400, 401], told).toContain(reply.status);
      expect(reply.text, told).not.toContain("example.com");
      expect(reply.location, told).toBe("");
    }
  expect(await rowsOf(a, await a.uuid())).toEqual(before);
}
const ready = async () => {
  const a = await acmeAuthority();
  await a.role("web");
  return { a, its: await belongings(a) };
};

describe("objects of another account (security row 27)", () => {
  it("can be read and changed by their own account, which shows that the sweep below requests existing objects", async () => {
    const { its } = await ready();
    for (const [what, suffix] of Object.entries(its.suffixes)) {
      const reads = what !== "how to finalize it";
      const { status } = await its.alice.post(
        `${clusterPath}/acme${suffix}`,
        reads ? undefined : { csr: await csrOf({ names: [secretName] }) },
      );
      expect([what, status]).toEqual([what, 200]);
    }
  });

  it("are inaccessible to another account of the same directory", async () => {
    const { a, its } = await ready();
    const by = await a.registered();
    await sweep(a, its, { by, base: `${clusterPath}/acme` });
  });

  it.each([
    "roles/web/acme",
    "issuer/root/acme",
    "issuer/default/acme",
    "issuer/root/roles/web/acme",
  ])(
    "are inaccessible to an account of the directory %s, also at the paths of that directory",
    async (at) => {
      const { a, its } = await ready();
      const by = await a.registered({ at });
      await sweep(a, its, { by, base: `${clusterPath}/${at}` });
      // nor in alice's directory, where its nonces and its account are unknown
      await sweep(a, its, { by, base: `${clusterPath}/acme` });
    },
  );

  it("are inaccessible to their own key at the paths of another directory", async () => {
    const { a, its } = await ready();
    const by = a.client({ at: "roles/web/acme", key: its.alice.key });
    by.kid = its.alice.kid;
    await sweep(a, its, { by, base: `${clusterPath}/roles/web/acme` });
  });

  it("are inaccessible in another mount, to the same key and to another", async () => {
    const { a, its } = await ready();
    await a.sys.createMount({ path: "second", type: "pki" });
    const second = clusterPath.replace(/pki$/, "second");
    await a.call("POST", "second/config/cluster", { path: second });
    await a.ca.mount("second").generateRoot({ common_name: "Second", key_type: "ec" });
    await a.call("POST", "second/config/acme", { enabled: true });
    for (const key of [its.alice.key, undefined]) {
      const by = acmeClient({
        fetch: (request) => a.ca.fetch(request),
        directory: `${second}/acme/directory`,
        ...(key ? { key } : {}),
      });
      await by.register();
      await sweep(a, its, { by, base: `${second}/acme` });
    }
  });

  it("cannot be read with GET", async () => {
    const { a, its } = await ready();
    for (const suffix of Object.values(its.suffixes)) {
      const { status, text } = await a.call("GET", `pki/acme${suffix}`);
      expect([suffix, status]).toEqual([suffix, 405]);
      expect(text).not.toContain("example.com");
    }
  });

  it("that are certificates cannot be revoked by another account or another key", async () => {
    const { a, its } = await ready();
    const by = await a.registered();
    const url = await by.url("revokeCert");
    const before = await rowsOf(a, await a.uuid());
    for (const send of [by.post, by.postWithKey]) {
      const { status, text } = await send(url, { certificate: its.certificate });
      expect([400, 401, 403], text).toContain(status);
    }
    expect(await rowsOf(a, await a.uuid())).toEqual(before);
  });

  it("are rejected with the same error as missing objects", async () => {
    const { a, its } = await ready();
    const by = await a.registered();
    for (const [what, suffix] of Object.entries(its.suffixes)) {
      if (what === "account" || what === "its orders") continue;
      const absent = suffix.replace(
        /[p\da-f][\da-f]{7}-[\da-f-]{27}/,
        "00000000-0000-4000-8000-000000000000",
      );
      const [foreign, none] = [
        await by.post(`${clusterPath}/acme${suffix}`),
        await by.post(`${clusterPath}/acme${absent}`),
      ];
      expect([what, none.status, none.problem, none.detail]).toEqual([
        what,
        foreign.status,
        foreign.problem,
        foreign.detail,
      ]);
    }
  });
});

describe("an account revoked with pending orders (security row 28)", () => {
  it.each([
    [
      "deactivated by itself",
      (_: AcmeAuthority, { alice }: Belongings) => alice.post(alice.kid, { status: "deactivated" }),
    ],
    [
      "revoked by its administrator",
      (a: AcmeAuthority, { alice }: Belongings) =>
        a.call("POST", `pki/acme/mgmt/account/keyid/${alice.kid.split("/").at(-1)}`, {
          status: "revoked",
        }),
    ],
  ])("%s: none of its objects can be read, changed or completed", async (_, end) => {
    const { a, its } = await ready();
    await end(a, its);
    await sweep(a, its, { by: its.alice, base: `${clusterPath}/acme` });
    const { status, problem } = await its.alice.post(await its.alice.url("newOrder"), {
      identifiers: [{ type: "dns", value: secretName }],
    });
    expect([status, problem]).toEqual([401, "unauthorized"]);
  });

  it("finalize concurrent with a deactivation issues at most one certificate, and none after it", async () => {
    const { a, its } = await ready();
    const { alice, suffixes } = its;
    const order = `${clusterPath}/acme${suffixes["a ready order"]}`;
    const certificates = async () => (await a.stores(await a.uuid()).list("cert/")).length;
    const before = await certificates();
    const [finalized, ended] = await Promise.all([
      finalize(alice, order, { names: [secretName] }),
      alice.post(alice.kid, { status: "deactivated" }),
    ]);
    expect(ended.status).toBe(200);
    expect([200, 401]).toContain(finalized.status);
    expect((await certificates()) - before).toBe(finalized.status === 200 ? 1 : 0);
    const again = await finalize(alice, order, { names: [secretName] });
    expect(again.status).toBe(401);
    expect((await certificates()) - before).toBe(finalized.status === 200 ? 1 : 0);
  });
});

describe("aliases of directory paths (security row 91)", () => {
  const told = ({ status, problem }: AcmeReply) => `${status} ${problem}`;
  it.each(["roles/Web/acme", "roles/WEB/acme", "roles/we%62x/acme", "issuer/Root/acme"])(
    "%s is not an alias of a role or an issuer",
    async (at) => {
      const { a } = await ready();
      const { status, json } = await a.call("GET", `pki/${at}/directory`);
      expect([status, json["type"]]).toEqual([400, "urn:ietf:params:acme:error:malformed"]);
    },
  );

  it.each([
    "ACME",
    "Acme",
    "acme/acme",
    "roles/acme",
    "external-policy/a/b/acme",
    "roles/a/b/acme",
  ])("%s is not a directory", async (at) => {
    const { a } = await ready();
    expect((await a.call("GET", `pki/${at}/directory`)).status).toBe(404);
  });

  it("a percent-encoded path is the same directory, whose URLs have one form", async () => {
    const { a } = await ready();
    const { json } = await a.call("GET", "pki/roles/%77eb/acme/directory");
    expect(json["newOrder"]).toBe(`${clusterPath}/roles/web/acme/new-order`);
    const client = await a.registered({ at: "roles/web/acme" });
    const url = `${clusterPath}/roles/web/acme/new-order`;
    const odd = url.replace("/web/", "/%77eb/");
    const order = { identifiers: [{ type: "dns", value: secretName }] };
    expect(told(await client.post(url, order, { to: odd }))).toBe("201 ");
    expect(told(await client.post(odd, order))).toBe("401 unauthorized");
  });

  it("an issuer's id and name are two directories: an account of one is unknown in the other", async () => {
    const { a } = await ready();
    const { keys } = await a.pki.listIssuers();
    const client = await a.registered({ at: "issuer/root/acme" });
    const at = `issuer/${keys[0]}/acme`;
    const url = `${clusterPath}/${at}/new-order`;
    const other = a.client({ at, key: client.key });
    other.kid = client.kid;
    expect(told(await other.post(url, {}))).toBe("400 malformed");
  });
});

describe("responses of ACME", () => {
  it("a certificate download has one link and one content type (security row 92)", async () => {
    const { its } = await ready();
    const { headers } = await its.alice.post(
      `${clusterPath}/acme${its.suffixes["its certificate"]}`,
    );
    expect(headers.get("content-type")).toBe("application/pem-certificate-chain");
    // several headers would be joined by commas
    expect(headers.get("link")).toBe(`<${clusterPath}/acme/directory>;rel="index"`);
  });

  it("scripts of allowed origins can read nonce, location, link and retry-after", async () => {
    const { a } = await ready();
    const response = await a.ca.fetch(
      new Request(`${clusterPath}/acme/directory`, { headers: { origin: "https://page.test" } }),
      { allowedOrigins: ["https://page.test"] },
    );
    const exposed = response.headers.get("access-control-expose-headers") ?? "";
    for (const name of ["Replay-Nonce", "Location", "Link", "Retry-After"])
      expect(exposed).toContain(name);
  });

  it("/.well-known/acme-challenge/ on this host has no special meaning (security row 46)", async () => {
    const { a, its } = await ready();
    const token = its.suffixes["its challenge"] ?? "";
    for (const path of ["", "x", token.slice(1), "..%2f..%2fv1/pki/ca", "../../v1/sys/mounts"])
      for (const method of ["GET", "POST"]) {
        const { status } = await a.ca.fetch(
          new Request(`http://ca.test/.well-known/acme-challenge/${path}`, {
            method,
            headers: { "x-service-token": "" },
          }),
        );
        expect([path, status >= 400]).toEqual([path, true]);
      }
    const inMount = await a.call("GET", "pki/.well-known/acme-challenge/x", undefined, {
      token: "",
    });
    expect(inMount.status).toBeGreaterThanOrEqual(400);
    const listed = await a.call("LIST", "pki/certs", undefined, { token: "" });
    expect(listed.status).toBe(403);
  });

  it("anonymous callers may not manage accounts, bindings or the configuration (security rows 46 and 94)", async () => {
    const { a } = await ready();
    for (const [method, path] of [
      ["POST", "acme/new-eab"],
      ["LIST", "acme/mgmt/account/keyid"],
      ["POST", "config/acme"],
      ["LIST", "eab"],
    ] as const)
      expect((await a.call(method, `pki/${path}`, {}, { token: "" })).status).toBe(403);
  });
});
