import { describe, expect, it } from "vitest";
import { CaError } from "../../src/base/errors.ts";
import { memoryStore } from "../../src/index.ts";
import { authority, type Answer } from "../support/authority.ts";

const patch = { header: { "content-type": "application/merge-patch+json" } };
const seen = ({ status, errors }: Answer): readonly unknown[] => [status, errors];
const joined = (...texts: readonly string[]) => `${texts.length} error${texts.length > 1 ? "s" : ""} occurred:\n${texts.map((text) => `\t* ${text}\n`).join("")}\n`;
async function ready() {
  const a = authority();
  await a.root();
  await a.role("web");
  return a;
}

describe("requests", () => {
  it("A 1.1 item 1: takes the token from either header or from a bearer, the documented header before the others, and ignores what clients send besides", async () => {
    const a = await ready();
    const read = (header: Record<string, string>) => a.call("GET", "pki/roles/web", undefined, { token: "", header });
    const extra = { "x-vault-request": "true", "x-service-request": "true", "x-vault-mfa": "x", "x-vault-policy-override": "true", "x-vault-no-request-forwarding": "1" };
    expect((await read({ "x-service-token": "root", ...extra })).data["ttl"]).toBe("0s");
    expect((await read({ "x-vault-token": "root", ...extra })).data["ttl"]).toBe(0);
    expect((await read({ authorization: "Bearer root" })).data["ttl"]).toBe(0);
    expect((await read({ authorization: "bearer root" })).status).toBe(403);
    expect((await read({ "x-vault-token": "root", authorization: "Bearer stranger" })).status).toBe(200);
    expect((await read({ "x-service-token": "root", "x-vault-token": "stranger" })).data["ttl"]).toBe("0s");
    expect((await read({ "x-vault-token": "root", "x-vault-namespace": "" })).headers.get("x-vault-namespace")).toBe("");
    for (const name of ["x-vault-namespace", "x-service-namespace"])
      expect(seen(await read({ "x-vault-token": "root", [name]: "team" }))).toEqual([404, [expect.stringContaining("no handler for route")]]);
  });

  it("A 1.1 item 2: reads with GET and HEAD, lists with LIST and ?list=true, writes with POST and PUT, and refuses other methods with 405", async () => {
    const a = await ready();
    expect((await a.call("GET", "pki/roles/web")).status).toBe(200);
    const head = await a.call("HEAD", "pki/roles/web");
    expect([head.status, head.text]).toEqual([200, ""]);
    for (const method of ["POST", "PUT"]) expect((await a.call(method, "pki/roles/api", { key_type: "ec" })).status).toBe(200);
    expect((await a.call("LIST", "pki/roles")).data["keys"]).toEqual(["api", "web"]);
    expect((await a.call("GET", "pki/roles?list=true")).data["keys"]).toEqual(["api", "web"]);
    expect((await a.call("PATCH", "pki/roles/web", { ttl: 60 }, patch)).data["ttl"]).toBe("1m");
    expect((await a.call("DELETE", "pki/roles/api")).status).toBe(204);
    const other = await a.call("PROPFIND", "pki/roles/web");
    expect([other.status, other.text]).toEqual([405, '{"errors":[]}\n']);
  });

  it("A 1.1 item 3: reads list= as a boolean, and lists the path with and without a slash", async () => {
    const a = await ready();
    for (const value of ["1", "t", "T", "true", "TRUE", "True"])
      for (const path of ["pki/roles", "pki/roles/"]) expect((await a.call("GET", `${path}?list=${value}`)).data["keys"]).toEqual(["web"]);
    for (const path of ["pki/issuers", "pki/issuers/"]) expect((await a.call("LIST", path)).status).toBe(200);
    for (const value of ["0", "f", "false"]) expect((await a.call("GET", `pki/roles?list=${value}`)).status).toBe(405);
    for (const value of ["yes", "tRUE", "2"]) expect((await a.call("GET", `pki/roles?list=${value}`)).status).toBe(400);
  });

  it("A 1.1 item 4: refuses writes to a path with a slash at its end, dot segments, and parameters that end in a dot", async () => {
    const a = await ready();
    for (const method of ["POST", "PUT"]) expect(seen(await a.call(method, "pki/roles/web/", {}))).toEqual([400, ["cannot write to a path ending in '/'"]]);
    expect(seen(await a.call("PATCH", "pki/roles/web/", {}, patch))).toEqual([400, ["cannot write to a path ending in '/'"]]);
    // a URL parser resolves plain dots before anything is sent
    expect((await a.call("GET", "pki/roles/%2e%2e%2fweb")).status).toBe(400);
    expect(seen(await a.call("GET", "pki/roles/web."))).toEqual([404, [joined("unsupported path")]]);
  });

  it("A 1.1 item 5: reads JSON without a media type, forms with one, and an empty body as no fields; refuses what is neither and what is too large", async () => {
    const a = await ready();
    const write = (body: string | Uint8Array | undefined, type?: string) => a.call("POST", "pki/roles/web", body, type === undefined ? {} : { header: { "content-type": type } });
    expect((await write('{"max_ttl":"1h"}')).data["max_ttl"]).toBe("1h");
    expect((await write("")).data["max_ttl"]).toBe("0s");
    expect((await write(undefined)).status).toBe(200);
    const form = "application/x-www-form-urlencoded";
    expect((await write("allowed_domains=a.test&allowed_domains=b.test&max_ttl=1h", form)).data).toMatchObject({ max_ttl: "1h", allowed_domains: ["a.test", "b.test"] });
    expect((await write(' {"max_ttl":"2h"}', form)).data["max_ttl"]).toBe("2h");
    for (const bad of ["{", "[]", "x", '"x"', "{}x"]) expect(seen(await write(bad))).toEqual([400, [expect.stringMatching(/^failed to decode JSON input: /)]]);
    expect(seen(await write(new Uint8Array(8 * 1024 * 1024 + 1)))).toEqual([413, ["http: request body too large"]]);
    const large = new Uint8Array(9 * 1024 * 1024).fill(0x20);
    for (const path of ["resign-crls", "sign-revocation-list"]) expect((await a.call("POST", `pki/issuer/root/${path}`, large)).status).toBe(200);
    expect((await a.call("POST", "pki/issuer/root/resign-crls", new Uint8Array(32 * 1024 * 1024 + 1))).status).toBe(413);
  });

  it("A 1.1 item 6: patches only with the media type of a merge patch, with or without parameters", async () => {
    const a = await ready();
    const write = (type: string) => a.call("PATCH", "pki/roles/web", { ttl: 60 }, { header: { "content-type": type } });
    for (const type of ["application/merge-patch+json", "application/merge-patch+json; charset=utf-8"]) expect((await write(type)).status).toBe(200);
    expect(seen(await write("application/json"))).toEqual([415, ["PATCH requires Content-Type of application/merge-patch+json, provided application/json"]]);
    expect(seen(await a.call("PATCH", "pki/roles/web", new TextEncoder().encode("{}")))).toEqual([400, [expect.stringContaining("PATCH requires Content-Type")]]);
  });

  it("A 1.1 item 7: takes query parameters of reads for fields, and warns of those it does not know", async () => {
    const a = await ready();
    for (const [method, path] of [["GET", "pki/roles/web?b=1&a=2"], ["LIST", "pki/roles?b=1&a=2"], ["DELETE", "pki/issuer/none?b=1&a=2"]] as const) {
      const answer = await a.call(method, path, undefined, { compat: true });
      expect([answer.status, answer.json["warnings"]]).toEqual([200, ["Endpoint ignored these unrecognized parameters: [a b]"]]);
    }
  });

  it("A 1.1 item 8: needs the capability of the method alone, whether the thing exists or not, and sudo where everything is at stake", async () => {
    const asked: string[] = [];
    const can = (capability: string, path: string) => (asked.push(`${capability} ${path}`), true);
    const a = authority({ authenticate: async () => ({ id: "any", can }) });
    const { certificate } = await a.root();
    const sent = async (method: string, path: string, body?: unknown, header: Record<string, string> = {}) => {
      asked.length = 0;
      await a.call(method, path, body, { header });
      return [...asked];
    };
    for (const method of ["POST", "PUT"]) for (const _ of [1, 2]) expect(await sent(method, "pki/roles/web", {})).toEqual(["update pki/roles/web"]);
    expect(await sent("PATCH", "pki/roles/web", {}, patch.header)).toEqual(["patch pki/roles/web"]);
    expect(await sent("LIST", "pki/roles")).toEqual(["list pki/roles"]);
    expect(await sent("GET", "pki/roles/web")).toEqual(["read pki/roles/web"]);
    expect(await sent("DELETE", "pki/roles/web")).toEqual(["delete pki/roles/web"]);
    expect(await sent("POST", "pki/root/sign-self-issued", { certificate })).toEqual(["update pki/root/sign-self-issued", "sudo pki/root/sign-self-issued"]);
    expect(await sent("DELETE", "pki/root")).toEqual(["delete pki/root", "sudo pki/root"]);
    const b = await ready();
    expect((await b.call("DELETE", "pki/root", undefined, { token: "operator" })).status).toBe(403);
    expect((await b.call("POST", "pki/root/sign-self-issued", { certificate }, { token: "operator" })).status).toBe(403);
  });

  it("A 1.1 item 9: shows issuers to anyone, whatever token comes along", async () => {
    const a = await ready();
    for (const token of ["", "stranger"]) {
      expect((await a.call("LIST", "pki/issuers", undefined, { token })).status).toBe(200);
      for (const form of ["json", "der", "pem"]) expect((await a.call("GET", `pki/issuer/root/${form}`, undefined, { token })).status).toBe(200);
      expect((await a.call("GET", "pki/issuer/root", undefined, { token })).status).toBe(403);
    }
  });
});

describe("answers", () => {
  it("A 1.2 item 1: are 404 for a read or a list of nothing, 204 without a body for a write, and 200 where there is a warning", async () => {
    const a = authority();
    for (const [method, path] of [["GET", "pki/roles/none"], ["LIST", "pki/roles"], ["LIST", "pki/issuers"]] as const) {
      const answer = await a.call(method, path);
      expect([answer.status, answer.text]).toEqual([404, '{"errors":[]}\n']);
    }
    const key = await a.pki.generateCaKey({ key_type: "ec" });
    const empty = await a.call("DELETE", "pki/roles/none?unknown=1");
    expect([empty.status, empty.text, empty.headers.get("content-type")]).toEqual([204, "", null]);
    expect((await a.call("DELETE", "pki/key/none")).status).toBe(204);
    // the default key was cleared, which is worth a warning
    const warned = await a.call("DELETE", `pki/key/${key.key_id}`);
    expect([warned.status, warned.json["data"]]).toEqual([200, null]);
    expect(warned.json["warnings"]).not.toBe("");
    const found = await ready();
    const answer = await found.call("GET", "pki/roles/web", undefined, { compat: true });
    expect(answer.headers.get("content-type")).toBe("application/json");
    expect(answer.headers.get("cache-control")).toBe("no-store");
    expect(answer.text.endsWith("\n")).toBe(true);
    expect({ ...answer.json, data: 0 }).toEqual({
      request_id: expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
      lease_id: "",
      renewable: false,
      lease_duration: 0,
      data: 0,
      wrap_info: null,
      warnings: null,
      auth: null,
      mount_type: "pki",
    });
  });

  it("A 1.2 item 2: are 200 with data null where a deletion of an issuer has nothing to tell", async () => {
    const answer = await authority().call("DELETE", "pki/issuer/none", undefined, { compat: true });
    expect([answer.status, answer.json["data"], answer.json["warnings"]]).toEqual([200, null, null]);
  });

  it("A 1.2 item 3: are 404 for a list without entries", async () => {
    const a = authority();
    for (const path of ["roles", "issuers", "keys", "certs", "certs/revoked"]) {
      const answer = await a.call("LIST", `pki/${path}`);
      expect([path, answer.status, answer.text]).toEqual([path, 404, '{"errors":[]}\n']);
    }
  });

  it("A 1.2 item 4: are the bytes alone with their own media type where bytes are asked for, 204 for none and 304 without a body", async () => {
    const a = authority();
    const none = await a.call("GET", "pki/ca");
    expect([none.status, none.text]).toEqual([204, ""]);
    await a.root();
    const der = await a.call("GET", "pki/issuer/root/der");
    expect([der.headers.get("content-type"), der.bytes[0]]).toEqual(["application/pkix-cert", 0x30]);
    const pem = await a.call("GET", "pki/issuer/root/pem");
    expect([pem.headers.get("content-type"), pem.text.slice(0, 10)]).toEqual(["application/pem-certificate-chain", "-----BEGIN"]);
    const unchanged = await a.call("GET", "pki/issuer/root/pem", undefined, { header: { "if-none-match": pem.headers.get("etag") ?? "" } });
    expect([unchanged.status, unchanged.text]).toEqual([304, ""]);
  });
});

describe("refusals", () => {
  it('A 1.3 handler "error response", A 1.3 handler failure: are 400 with the bare text, also where the mistake was once an error of the server', async () => {
    const a = await ready();
    for (const compat of [false, true]) {
      expect(seen(await a.call("POST", "pki/root/generate/internal", { format: "x" }, { compat }))).toEqual([400, ['the "format" path parameter must be "pem", "der", or "pem_bundle"']]);
      expect(seen(await a.call("POST", "pki/roles/web", { cn_validations: ["x"] }, { compat }))).toEqual([400, [expect.not.stringContaining("error occurred")]]);
    }
  });
  it("A 1.3 field coercion failed: names the field and says why", async () => {
    expect(seen(await authority().call("POST", "pki/roles/web", { allow_localhost: "yes" }))).toEqual([
      400,
      ['Field validation failed: error converting input for field "allow_localhost": cannot parse \'yes\' as bool'],
    ]);
  });
  it("A 1.3 no such mount, A 1.3 mount exists, A 1.3 path exists: are told apart by status and text", async () => {
    const a = authority();
    expect(seen(await a.call("GET", "none/roles/web"))).toEqual([404, ['no handler for route "none/roles/web". route entry not found.']]);
    expect(seen(await a.call("GET", "pki/nothing"))).toEqual([404, [joined("unsupported path")]]);
    expect(seen(await a.call("DELETE", "pki/config/issuers"))).toEqual([405, [joined("unsupported operation")]]);
    expect(seen(await a.call("GET", "pki/config/ca"))).toEqual([405, [joined("unsupported operation")]]);
  });
  it("A 1.3 no token, A 1.3 bad/expired token, A 1.3 policy denies: are 403", async () => {
    const a = await ready();
    const read = (token: string) => a.call("GET", "pki/config/issuers", undefined, { token });
    expect(seen(await read(""))).toEqual([403, [expect.stringContaining("permission denied")]]);
    expect(seen(await read("stranger"))).toEqual([403, [joined("permission denied", "invalid token")]]);
    expect(seen(await a.call("POST", "pki/roles/web", {}, { token: "reader" }))).toEqual([403, [joined("permission denied")]]);
  });
  it("A 1.3 sealed / not ready: is 503 where the store does not answer", async () => {
    const inner = memoryStore();
    let open = true;
    const a = authority({
      stores: (name) => {
        const store = inner(name);
        const shut = () => {
          if (!open) throw new CaError("storage", "the store cannot be reached");
        };
        return {
          get: async (keys) => (shut(), store.get(keys)),
          list: async (prefix, page) => (shut(), store.list(prefix, page)),
          commit: async (batch) => (shut(), store.commit(batch)),
        };
      },
    });
    await a.root();
    open = false;
    a.clock.advance(5);
    expect((await a.call("POST", "pki/roles/web", {})).status).toBe(503);
    open = true;
    expect((await a.call("POST", "pki/roles/web", {})).status).toBe(200);
  });

  it("A 1.3 item 1: an issuer that does not exist is 500 in the compat dialect with the text that clients match, else 404 on reads and 400 on writes", async () => {
    const a = await ready();
    const text = "unable to find PKI issuer for reference: gone";
    const calls = [
      ["GET", "", 404],
      ["POST", "", 400],
      ["PATCH", "", 400],
      ["GET", "/json", 404],
      ["GET", "/pem", 404],
      ["GET", "/der", 404],
      ["POST", "/revoke", 400],
    ] as const;
    for (const [method, path, status] of calls) {
      const header = method === "PATCH" ? patch.header : {};
      const send = (compat: boolean) => a.call(method, `pki/issuer/gone${path}`, method === "GET" ? undefined : {}, { compat, header });
      expect([method, path, ...seen(await send(false))]).toEqual([method, path, status, [text]]);
      expect([method, path, ...seen(await send(true))]).toEqual([method, path, 500, [text]]);
    }
    const without = authority();
    expect(seen(await without.call("GET", "pki/issuer/default"))).toEqual([404, ["no default issuer currently configured"]]);
    expect(seen(await without.call("GET", "pki/issuer/default", undefined, { compat: true }))).toEqual([500, ["no default issuer currently configured"]]);
  });

  it("A 1.3 item 2, A 1.3 item 3: issuing from an issuer that is missing, keyless or not meant for it says which", async () => {
    const a = authority();
    await a.role("web");
    const issue = async (compat = false) => seen(await a.call("POST", "pki/issue/web", { common_name: "a.test" }, { compat }));
    const fetch = "could not fetch the CA certificate (was one set?): ";
    expect(await issue()).toEqual([400, [`${fetch}no default issuer currently configured`]]);
    expect(await issue(true)).toEqual([500, [`${fetch}no default issuer currently configured`]]);
    await a.role("web", { issuer_ref: "gone" });
    expect(await issue()).toEqual([400, [`${fetch}unable to find PKI issuer for reference: gone`]]);
    expect(await issue(true)).toEqual([500, [`${fetch}unable to find PKI issuer for reference: gone`]]);
    const { certificate } = await authority({ seed: 2 }).root();
    const [id = ""] = (await a.pki.importCertificates({ pem_bundle: certificate })).imported_issuers ?? [];
    await a.role("web", { issuer_ref: id });
    expect(await issue()).toEqual([400, [`${fetch}unable to fetch corresponding key for issuer ${id}; unable to use this issuer for signing`]]);
    const root = await a.root();
    await a.pki.patchIssuer({ issuer_ref: "root", usage: "crl-signing" });
    await a.role("web", { issuer_ref: "root" });
    expect(await issue()).toEqual([
      400,
      [
        `error fetching CA certificate: error while attempting to use issuer ${root.issuer_id}: requested usage issuing-certificates for issuer [id:${root.issuer_id} / name:root] but only had usage crl-signing,read-only`,
      ],
    ]);
  });

  it("A 1.3 item 4: a key that does not exist is 500 in the compat dialect with the text that clients match, else 404 on reads and 400 on writes", async () => {
    const a = authority();
    for (const [ref, text] of [["gone", "unable to find PKI key for reference: gone"], ["default", "no default key currently configured"]] as const) {
      expect(seen(await a.call("GET", `pki/key/${ref}`))).toEqual([404, [text]]);
      expect(seen(await a.call("POST", `pki/key/${ref}`, {}))).toEqual([400, [text]]);
      for (const method of ["GET", "POST"]) expect(seen(await a.call(method, `pki/key/${ref}`, method === "POST" ? {} : undefined, { compat: true }))).toEqual([500, [text]]);
    }
  });

  it("A 1.3 item 5: a role with bad validations or policies is the caller's mistake in both dialects", async () => {
    const a = authority();
    for (const body of [{ cn_validations: ["x"] }, { policy_identifiers: ["x"] }])
      for (const compat of [false, true]) expect((await a.call("POST", "pki/roles/web", body, { compat })).status).toBe(400);
  });

  it("A 1.3 item 6: a self-issued certificate of another kind of key is refused where kinds must match", async () => {
    const a = await ready();
    const other = await authority({ seed: 3 }).root({ key_type: "ed25519" });
    const body = { certificate: other.certificate, require_matching_certificate_algorithms: true };
    expect(seen(await a.call("POST", "pki/root/sign-self-issued", body))).toEqual([400, [expect.stringMatching(/^signing certificate is of type ec /)]]);
  });

  it("A 1.3 item 7: an intermediate that its signer's chain forbids is refused and not a failure of the server", async () => {
    const a = authority();
    await a.root({ max_path_length: 0 });
    const { csr } = await a.pki.generateIntermediate({ common_name: "I", key_type: "ec" });
    for (const compat of [false, true]) {
      const answer = await a.call("POST", "pki/root/sign-intermediate", { csr }, { compat });
      expect(seen(answer)).toEqual([400, ["signing certificate has a max path length of zero, and cannot issue further CA certificates"]]);
    }
  });
});

describe("warnings", () => {
  it("A 1.4 item 1: name the fields that are not known, sorted, and stand on no empty answer", async () => {
    const a = authority();
    const answer = await a.call("POST", "pki/roles/web", { zeta: 1, alpha: 2 }, { compat: true });
    expect(answer.json["warnings"]).toContain("Endpoint ignored these unrecognized parameters: [alpha zeta]");
    expect((await a.call("DELETE", "pki/roles/web?zeta=1")).status).toBe(204);
  });
  it("A 1.4 item 2: name the fields that the path gave instead, and the path wins", async () => {
    const a = await ready();
    const replaced = (name: string) => `Endpoint replaced the value of these parameters with the values captured from the endpoint's path: [${name}]`;
    const role = await a.call("POST", "pki/roles/api", { name: "other", key_type: "ec" }, { compat: true });
    expect(role.json["warnings"]).toContain(replaced("name"));
    expect((await a.call("LIST", "pki/roles")).data["keys"]).toEqual(["api", "web"]);
    const issued = await a.call("POST", "pki/issue/web", { role: "none", common_name: "a.test", ttl: "1h" }, { compat: true });
    expect(issued.json["warnings"]).toContain(replaced("role"));
    const issuer = await a.call("POST", "pki/issuer/root", { issuer_ref: "none", issuer_name: "root" }, { compat: true });
    expect([issuer.data["issuer_name"], issuer.json["warnings"]]).toEqual(["root", [replaced("issuer_ref")]]);
  });
});

describe("fields", () => {
  const coerced = async (field: string, value: unknown) => {
    const a = authority();
    const answer = await a.call("POST", "pki/roles/web", { [field]: value, key_type: "ec" }, { compat: true });
    return answer.status === 200 ? answer.data[field] : answer.status;
  };
  it("A 1.5 string: takes numbers, booleans and null as text, and no array or object, not even for names", async () => {
    for (const [value, text] of [["x", "x"], [12, "12"], [true, "1"], [false, "0"]] as const) expect(await coerced("issuer_ref", value)).toBe(text);
    expect(await coerced("issuer_ref", null)).toBe("default");
    for (const value of [["x"], {}]) expect(await coerced("issuer_ref", value)).toBe(400);
    const a = await ready();
    for (const name of ["common_name", "alt_names"])
      expect(seen(await a.call("POST", "pki/issue/web", { common_name: "a.test", [name]: ["a.test"] }))).toEqual([400, [expect.stringContaining(`"${name}"`)]]);
  });
  it("A 1.5 int: takes whole numbers, and texts in the base that they announce", async () => {
    for (const [value, number] of [[384, 384], ["384", 384], ["0x180", 384], ["0b110000000", 384], ["0600", 384], ["", 0], [null, 0], [false, 0]] as const)
      expect(await coerced("key_bits", value)).toBe(number === 0 ? 256 : number);
    for (const value of [1.5, "1.5", "1e3", "x", [256]]) expect(await coerced("key_bits", value)).toBe(400);
  });
  it("A 1.5 bool: takes the words, the empty text, 0 and 1, and null as false", async () => {
    for (const value of [true, "1", "t", "T", "TRUE", "true", "True", 1]) expect(await coerced("allow_localhost", value)).toBe(true);
    for (const value of [false, "0", "f", "F", "FALSE", "false", "False", "", 0, null]) expect(await coerced("allow_localhost", value)).toBe(false);
    for (const value of ["yes", 2, [], {}]) expect(await coerced("allow_localhost", value)).toBe(400);
  });
  it("A 1.5 duration: takes seconds, days and sequences of units, no negative and no mixture, and null as not sent", async () => {
    const cases = [[3600, 3600], ["3600", 3600], ["2d", 172_800], ["1h30m", 5400], ["1.5h", 5400], ["2160h0m0s", 7_776_000], ["1500ms", 1], ["", 0], [null, 0]] as const;
    for (const [value, seconds] of cases) expect(await coerced("max_ttl", value)).toBe(seconds);
    for (const value of [1.5, "1d2h", "1x", "h", [1]]) expect(await coerced("max_ttl", value)).toBe(400);
    expect(seen(await authority().call("POST", "pki/roles/web", { max_ttl: "-5s" }))).toEqual([400, [expect.stringContaining("cannot provide negative value '-5'")]]);
  });
  it("A 1.5 comma list: takes arrays as they are and splits text, trims both, and keeps what is empty in between", async () => {
    const cases = [
      [["a.test, b", " c "], ["a.test, b", "c"]],
      [" a.test , b.test", ["a.test", "b.test"]],
      ["", []],
      [null, []],
      [[], []],
      [7, ["7"]],
      [[7, true], ["7", "1"]],
    ] as const;
    for (const [value, list] of cases) expect(await coerced("allowed_domains", value)).toEqual(list);
    expect(await coerced("allowed_domains", {})).toBe(400);
    const a = authority();
    await a.root();
    await a.pki.writeRole({ name: "web", key_type: "ec", allowed_domains: "a.test,,b.test", allow_bare_domains: true });
    expect((await a.pki.issue({ role: "web", common_name: "b.test", ttl: 60 })).certificate).toContain("BEGIN");
  });
  it("A 1.5 string list: takes a text as one element", async () => {
    const a = await ready();
    const crl = (await a.call("GET", "pki/crl/pem")).text;
    for (const crls of [crl, [crl]]) expect((await a.call("POST", "pki/issuer/root/resign-crls", { crls })).status).toBe(200);
    expect(seen(await a.call("POST", "pki/issuer/root/resign-crls", { crls: `${crl},${crl}` }))).toEqual([400, ["invalid crl; should be one PEM block only"]]);
  });
  it("A 1.5 list, map: take a JSON array and a JSON object", async () => {
    const a = await ready();
    expect((await a.call("POST", "pki/issuer/root/sign-revocation-list", { revoked_certs: {} })).status).toBe(400);
    expect((await a.call("POST", "pki/issuer/root/sign-revocation-list", { revoked_certs: [] })).status).toBe(200);
    expect((await a.call("POST", "sys/mounts/two", { type: "pki", config: [] })).status).toBe(400);
    expect((await a.call("POST", "sys/mounts/two", { type: "pki", config: { max_lease_ttl: "1h" } })).status).toBe(204);
  });
});

describe("leases", () => {
  it("A 1.7 leases: are given exactly where the role wants them and stores, and end with the mount's maximum at the latest", async () => {
    const a = await ready();
    await a.role("leased", { generate_lease: true });
    await a.role("unstored", { generate_lease: true, no_store: true });
    const issue = (role: string, body: object = { ttl: "1h" }) => a.call("POST", `pki/issue/${role}`, { common_name: "a.test", ...body }, { compat: true });
    const { json } = await issue("leased");
    expect(json).toMatchObject({ lease_id: expect.stringMatching(/^pki\/issue\/leased\/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/), lease_duration: 3600, renewable: false });
    for (const role of ["web", "unstored"]) expect((await issue(role)).json).toMatchObject({ lease_id: "", lease_duration: 0 });
    await a.pki.patchIssuer({ issuer_ref: "root", leaf_not_after_behavior: "permit" });
    const long = await issue("leased", { not_after: "2099-01-01T00:00:00Z" });
    expect(long.json["lease_duration"]).toBe(87_600 * 3600);
    expect(long.json["warnings"]).toContain("The lease ends after 87600h0m0s, the mount's maximum, before the certificate does.");
  });
});
