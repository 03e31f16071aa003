import { describe, expect, it } from "vitest";
import { validateHttp01 } from "../../src/acme/validation/http-01-validation.ts";
import {
  PermanentFailure,
  type ValidationNetwork,
} from "../../src/acme/validation/challenge-type.ts";
import { CaError } from "../../src/base/errors.ts";
import { fromUtf8 } from "../../src/base/bytes.ts";
import { peer, type Peer } from "../net/streams.ts";
import { never, network, proof, verdict } from "./validation-network.ts";

const right = proof.keyAuthorization;
const page =
  (body: string, status = 200) =>
  () =>
    peer([`HTTP/1.1 ${status} X\r\nContent-Length: ${body.length}\r\n\r\n${body}`]);
const redirect =
  (to: string, status = 302) =>
  () =>
    peer([`HTTP/1.1 ${status} X\r\nLocation: ${to}\r\nContent-Length: 0\r\n\r\n`]);
/** Returns one response after another, for any address. */
function inTurn(...answers: readonly (() => Peer)[]): () => Peer {
  let at = 0;
  return () => (answers[at++] ?? page("no more answers"))();
}
const judged = (reach: ValidationNetwork, name = "a.example", signal = never) =>
  verdict(validateHttp01(name, proof, reach, signal));
const four = { "A a.example": ["8.8.4.4"] };

describe("http-01 (B 5.10)", () => {
  it("B 5.10 http-01: requests the token on port 80 of the name, and accepts the key authorization with surrounding whitespace", async () => {
    const asked = page(` ${right}\r\n`)();
    const reach = network(four, { "8.8.4.4": () => asked });
    expect(await judged(reach)).toBe("proven");
    expect(reach.dialled).toEqual(["8.8.4.4 80"]);
    expect(fromUtf8(asked.received())).toMatch(
      new RegExp(
        `^GET /\\.well-known/acme-challenge/${proof.token} HTTP/1\\.1\r\nHost: a\\.example\r\n`,
      ),
    );
    expect(asked.closed()).toBe(true);
  });

  it("ignores the status code", async () => {
    expect(await judged(network(four, { "8.8.4.4": page(right, 404) }))).toBe("proven");
  });

  it.each([
    ["another text", "no"],
    ["nothing", ""],
    ["the token alone", proof.token],
    ["more behind it", `${right}x`],
  ])(
    "rejects %s as incorrectResponse with the address, without revealing the body",
    async (_, body) => {
      const text = await judged(network(four, { "8.8.4.4": page(body) }));
      expect(text).toBe(
        "incorrect_response: the response from a.example at 8.8.4.4 port 80 is not the expected key authorization",
      );
    },
  );

  it("rejects a body that is not UTF-8 with the same error", async () => {
    const head = "HTTP/1.1 200 X\r\nContent-Length: 3\r\n\r\n";
    const binary = () => peer([head, Uint8Array.of(0xff, 0xfe, 0x80)]);
    expect(await judged(network(four, { "8.8.4.4": binary }))).toBe(
      "incorrect_response: the response from a.example at 8.8.4.4 port 80 is not the expected key authorization",
    );
  });

  it.each([
    ["another text", page("no"), true],
    ["a status 404", page("no", 404), true],
    ["a long page of a status 404", page("x".repeat(600), 404), true],
    ["a redirect that is not followed", redirect("ftp://a.example/"), true],
    ["a redirect to itself", redirect(`/.well-known/acme-challenge/${proof.token}`), true],
    ["a redirect to an address that may not be asked", redirect("http://10.0.0.1/"), true],
    ["a status 503", page("no", 503), false],
    ["a long page of a status 502", page("x".repeat(600), 502), false],
    ["a status 429", page("no", 429), false],
    ["no answer", () => peer([]), false],
  ])("B 5.10 permanent failures: after %s: %s", async (_, answer, isFinal) => {
    const failure = validateHttp01("a.example", proof, network(four, { "8.8.4.4": answer }), never);
    const error: unknown = await failure.then(
      () => undefined,
      (cause: unknown) => cause,
    );
    expect([error instanceof CaError, error instanceof PermanentFailure]).toEqual([true, isFinal]);
  });

  it.each([
    ["10.0.0.1", true],
    ["8.8.8.8", false],
  ])("B 5.10 permanent failures: the address %s, which does not respond: %s", async (ip, is) => {
    const judging = validateHttp01("a.example", proof, network({ "A a.example": [ip] }, {}), never);
    await expect(judging).rejects.toSatisfy((error) => error instanceof PermanentFailure === is);
  });

  it("B 5.10 http-01 body: rejects a body of more than 512 bytes (security row 37)", async () => {
    const padded = (length: number) => page(right.padEnd(length));
    expect(await judged(network(four, { "8.8.4.4": padded(512) }))).toBe("proven");
    expect(await judged(network(four, { "8.8.4.4": padded(513) }))).toBe(
      "incorrect_response: the response from a.example at 8.8.4.4 port 80 was rejected: the response has more than 512 bytes",
    );
  });

  it.each([
    ["compressed", `HTTP/1.1 200 X\r\nContent-Encoding: gzip\r\n\r\n${right}`],
    [
      "in endless chunk extensions",
      `HTTP/1.1 200 X\r\nTransfer-Encoding: chunked\r\n\r\n1;${"x".repeat(20_000)}\r\na\r\n`,
    ],
    ["in a head without an end", `HTTP/1.1 200 X\r\n${"X: y\r\n".repeat(5000)}`],
  ])("rejects a response %s (security row 37)", async (_, answer) => {
    expect(await judged(network(four, { "8.8.4.4": () => peer([answer]) }))).toMatch(
      /^incorrect_response: the response from a\.example at 8\.8\.4\.4 port 80 was rejected: the /,
    );
  });

  it.each(["no head", "no body"])("times out if a server sends %s", async (what) => {
    const parts = what === "no head" ? ["HTTP/1.1 200"] : ["HTTP/1.1 200 X\r\n\r\n", "a"];
    const limits: AbortController[] = [];
    const timeout = () => {
      const limit = new AbortController();
      limits.push(limit);
      return limit.signal;
    };
    const reach = network(four, { "8.8.4.4": () => peer(parts, "stalls") }, { timeout });
    const result = judged(reach);
    // one timeout each for DNS, for connecting and for every request
    const count = what === "no head" ? 3 : 4;
    while (limits.length < count) await new Promise((resolve) => setTimeout(resolve));
    limits.at(-1)?.abort();
    expect(await result).toBe("connection: a.example at 8.8.4.4 port 80 did not respond in time");
  });

  it.each([
    ["a DNS that does not answer", 1, "dns: cannot resolve the addresses of a.example"],
    ["an address that does not accept", 2, "proven"],
  ])("times out for %s", async (_, which, text) => {
    let count = 0;
    const reach = network(
      { "A a.example": ["8.8.4.4", "8.8.8.8"] },
      { "8.8.4.4": () => new Promise(() => undefined), "8.8.8.8": page(right) },
      { timeout: () => (++count === which ? AbortSignal.timeout(1) : never) },
    );
    const resolve: ValidationNetwork["resolve"] = (question, signal) =>
      which === 1 ? new Promise(() => undefined) : reach.resolve(question, signal);
    expect(await judged({ ...reach, resolve })).toBe(text);
    expect(reach.dialled).toEqual(which === 1 ? [] : ["8.8.4.4 80", "8.8.8.8 80"]);
  });

  it("tries IPv6 first, then IPv4 if IPv6 does not respond", async () => {
    const both = { "A a.example": ["8.8.4.4"], "AAAA a.example": ["2620:fe::fe"] };
    const six = network(both, { "2620:fe::fe": page(right), "8.8.4.4": page("no") });
    expect(await judged(six)).toBe("proven");
    expect(six.dialled).toEqual(["2620:fe::fe 80"]);
    const fallen = network(both, { "8.8.4.4": page(right) });
    expect(await judged(fallen)).toBe("proven");
    expect(fallen.dialled).toEqual(["2620:fe::fe 80", "8.8.4.4 80"]);
  });

  it("requests an IP address directly, IPv6 in brackets, without DNS", async () => {
    const asked = page(right)();
    const reach = network({}, { "2620:fe::fe": () => asked });
    expect(await judged(reach, "2620:fe::fe")).toBe("proven");
    expect(fromUtf8(asked.received())).toContain("\r\nHost: [2620:fe::fe]\r\n");
  });

  it("B 5.10 error types: reports a failed connection as connection, without the error text of the system", async () => {
    expect(await judged(network(four, {}))).toBe(
      "connection: cannot connect to a.example at 8.8.4.4 port 80",
    );
  });

  it.each([
    [{}, "dns: DNS has no A or AAAA record for a.example"],
    [{ "A a.example": "fails" }, "dns: cannot resolve the addresses of a.example"],
    [
      { "A a.example": "fails", "AAAA a.example": "fails" },
      "dns: cannot resolve the addresses of a.example",
    ],
  ] as const)("distinguishes a missing record from a DNS failure: %j", async (records, text) => {
    expect(await judged(network(records, {}))).toBe(text);
  });

  it("uses the addresses of one family if DNS fails for the other", async () => {
    const reach = network({ ...four, "AAAA a.example": "fails" }, { "8.8.4.4": page(right) });
    expect(await judged(reach)).toBe("proven");
  });

  it("dials the configured ports instead of 80 and 443", async () => {
    const reach = network(four, { "8.8.4.4 5002": page(right) }, { httpPort: 5002 });
    expect(await judged(reach)).toBe("proven");
    expect(reach.dialled).toEqual(["8.8.4.4 5002"]);
  });
});

describe("addresses contacted by http-01 (security rows 35 and 38)", () => {
  it.each([
    "127.0.0.1",
    "10.1.2.3",
    "169.254.169.254",
    "100.64.0.1",
    "::1",
    "fd00::1",
    "::ffff:10.0.0.1",
    "64:ff9b::a00:1",
  ])("%s is not dialled, and the error names the setting that permits it", async (address) => {
    const type = address.includes(":") ? "AAAA" : "A";
    const reach = network({ [`${type} a.example`]: [address] }, { [address]: page(right) });
    const text = await judged(reach);
    expect(text).toContain(`connection: a.example: ${address} is `);
    expect(text).toMatch(/challenge_permitted_ip_ranges/);
    expect(reach.dialled).toEqual([]);
  });

  it("only the permitted addresses of a name are dialled", async () => {
    const reach = network(
      { "A a.example": ["10.0.0.1", "8.8.4.4"] },
      { "8.8.4.4": page(right), "10.0.0.1": page("no") },
    );
    expect(await judged(reach)).toBe("proven");
    expect(reach.dialled).toEqual(["8.8.4.4 80"]);
  });

  it("only a few addresses of a name are checked, so that a zone with thousands cannot keep the server busy", async () => {
    const inside = (count: number) =>
      Array.from({ length: count }, (_, i) => `10.0.${i >> 8}.${i % 256}`);
    const named = (count: number) =>
      network({ "A a.example": [...inside(count), "8.8.4.4"] }, { "8.8.4.4": page(right) });
    expect(await judged(named(15))).toBe("proven");
    expect(await judged(named(16))).toMatch(/^connection: a\.example: 10\.0\.0\.0 is a private/);
  });

  it("permitted ranges exclude all others, and excluded ranges take precedence", async () => {
    const rules = { permitted: ["10.0.0.0/8"], excluded: ["10.0.0.0/24"], privateNetworks: false };
    const ask = (address: string) =>
      judged(network({ "A a.example": [address] }, { [address]: page(right) }, { rules }));
    expect(await ask("10.1.0.1")).toBe("proven");
    expect(await ask("10.0.0.1")).toMatch(/challenge_excluded_ip_ranges/);
    expect(await ask("8.8.4.4")).toMatch(/challenge_permitted_ip_ranges/);
  });

  it("a redirect to a name with a private address is rejected without revealing the address", async () => {
    const reach = network(
      { ...four, "A inside.example": ["10.1.2.3"] },
      { "8.8.4.4": redirect("http://inside.example/secret"), "10.1.2.3": page(right) },
    );
    const text = await judged(reach);
    expect(text).toBe(
      "connection: the target of redirect 1 has an address that is not contacted, because of ACME_PRIVATE_NETWORKS",
    );
    expect(reach.dialled).toEqual(["8.8.4.4 80"]);
  });

  it("every redirect is dialled at the address that was checked, even if each DNS response differs", async () => {
    const answers = [["8.8.4.4"], ["127.0.0.1"]];
    const reach = network(
      {},
      { "8.8.4.4": redirect("/again"), "127.0.0.1": page(right) },
      { resolve: async ({ type }) => (type === "A" ? (answers.shift() ?? []) : []) },
    );
    expect(await judged(reach)).toMatch(/^connection: the target of redirect 1 has an address/);
    expect(reach.dialled).toEqual(["8.8.4.4 80"]);
  });
});

describe("redirects followed by http-01 (security row 36)", () => {
  const chain = (count: number) =>
    inTurn(...Array.from({ length: count }, (_, at) => redirect(`/${at}`)), page(right));

  it("B 5.10 http-01 redirects: are limited to eight", async () => {
    expect(await judged(network(four, { "8.8.4.4": chain(8) }))).toBe("proven");
    const nine = network(four, { "8.8.4.4": chain(9) });
    expect(await judged(nine)).toBe("connection: a.example redirects more than 8 times");
    expect(nine.dialled).toHaveLength(9);
  });

  it.each([301, 302, 303, 307, 308])("may have the status code %i", async (status) => {
    const reach = network(four, { "8.8.4.4": inTurn(redirect("/x", status), page(right)) });
    expect(await judged(reach)).toBe("proven");
  });

  it("may lead to another name, which is resolved", async () => {
    const reach = network(
      { ...four, "A b.example": ["9.9.9.9"] },
      { "8.8.4.4": redirect("http://b.example/x?y#z"), "9.9.9.9": page(right) },
    );
    expect(await judged(reach)).toBe("proven");
    expect(reach.dialled).toEqual(["8.8.4.4 80", "9.9.9.9 80"]);
  });

  it.each([
    ["ftp://b.example/", "leads to neither http nor https"],
    ["file:///etc/passwd", "leads to neither http nor https"],
    ["data:text/plain,x", "leads to neither http nor https"],
    ["http://b.example:8080/", "leads to a port other than 80 and 443"],
    ["https://b.example:22/", "leads to a port other than 80 and 443"],
    ["http://user@b.example/", "leads to a URL with a user name or password"],
    ["http://u:p@b.example/", "leads to a URL with a user name or password"],
    ["http://[fe80::1%25eth0]/", "leads to an invalid URL"],
    [
      "http://b.example.well-known/acme-challenge/x",
      "leads to a host that ends in .well-known: a slash before the path is missing",
    ],
    ["http://b_c.example/", "leads to an invalid host name"],
    ["http://", "leads to an invalid URL"],
    ["http://b.example/ x", "leads to an invalid URL"],
    ["http://b.example/é", "leads to an invalid URL"],
    [`http://b.example/${"x".repeat(1984)}`, "leads to a URL of more than 2000 characters"],
    ["http://0x7f.1/", "has an address that is not contacted"],
    ["http://127.0.0.1/", "has an address that is not contacted"],
    ["http://[::1]/", "has an address that is not contacted"],
  ])("may not lead to %s", async (to, why) => {
    const reach = network(
      { ...four, "A b.example": ["9.9.9.9"] },
      { "8.8.4.4": redirect(to), "9.9.9.9": page(right) },
    );
    const text = await judged(reach);
    expect(text).toContain(`redirect 1 ${why}`);
    expect(text).toMatch(/^connection: /);
    expect(text).not.toContain("b.example:");
    expect(reach.dialled).toEqual(["8.8.4.4 80"]);
  });

  it("may have a URL of 2000 characters", async () => {
    const to = "http://b.example/".padEnd(2000, "x");
    const reach = network(
      { ...four, "A b.example": ["9.9.9.9"] },
      { "8.8.4.4": redirect(to), "9.9.9.9": page(right) },
    );
    expect(await judged(reach)).toBe("proven");
  });

  it("may name the ports that the deployment dials", async () => {
    const reach = network(
      four,
      {
        "8.8.4.4 5002": inTurn(
          redirect("http://a.example:5002/x"),
          redirect("http://a.example:80/y"),
          page(right),
        ),
      },
      { httpPort: 5002 },
    );
    expect(await judged(reach)).toBe("proven");
    expect(reach.dialled).toEqual(["8.8.4.4 5002", "8.8.4.4 5002", "8.8.4.4 5002"]);
  });

  it("may not form a loop", async () => {
    const circle = inTurn(redirect("/a"), redirect("/b"), redirect("/a#again"));
    expect(await judged(network(four, { "8.8.4.4": circle }))).toBe(
      "connection: redirect 3 leads back to an earlier location",
    );
  });

  it("do not reveal their target if they fail", async () => {
    const reach = network(
      { ...four, "A secret.internal": ["9.9.9.9"] },
      { "8.8.4.4": redirect("http://secret.internal/path"), "9.9.9.9": page("internal text") },
    );
    expect(await judged(reach)).toBe(
      "incorrect_response: the response from the target of redirect 1 is not the expected key authorization",
    );
  });

  it("without a Location are treated as a response", async () => {
    const bare = () => peer([`HTTP/1.1 302 X\r\nContent-Length: ${right.length}\r\n\r\n${right}`]);
    expect(await judged(network(four, { "8.8.4.4": bare }))).toBe("proven");
  });
});
