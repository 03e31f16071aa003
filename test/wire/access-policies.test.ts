import { describe, expect, it } from "vitest";
import { expandPatterns } from "../../src/wire/route-patterns.ts";
import { authority } from "../support/authority.ts";
import { tokensOf } from "../support/tokens.ts";
import type { Forms } from "../../src/wire/endpoint-list.ts";
import { cases, judgedShape, requests } from "./everywhere.ts";

type Headers = Readonly<Record<string, string>>;
const guarded = cases.filter(
  ({ endpoint }) => endpoint.access === "token" || endpoint.access === "sudo",
);
const privileged = guarded.filter(({ endpoint }) => endpoint.access === "sudo");

/** Creates an authority, and a function that creates tokens with one policy each. */
async function world() {
  const made = authority();
  for (const type of new Set(cases.flatMap(({ base }) => /^auth\/(.+)/.exec(base)?.[1] ?? [])))
    await made.call("POST", `sys/auth/${type}`, { type });
  const token = tokensOf(made);
  let count = 0;
  const holding = async (policy: string): Promise<string> => {
    const name = `p${count++}`;
    expect((await made.call("PUT", `sys/policies/acl/${name}`, { policy })).status).toBe(204);
    return (await token([name])).token;
  };
  /** Returns the status of a call and the endpoint that it reached. */
  const ask = async (method: string, path: string, token: string, header: Headers) => {
    const body = ["POST", "PUT", "PATCH"].includes(method) ? { body: "{}" } : {};
    const headers = { "x-service-token": token, ...header };
    const asked = new Request(`http://ca.test/v1/${path}`, { method, headers, ...body });
    const answer = await made.ca.fetch(asked);
    return {
      status: answer.status,
      text: await answer.text(),
      reached: made.events.at(-1)?.endpoint,
    };
  };
  return { ...made, holding, ask };
}
const block = (path: string, ...capabilities: readonly string[]): string =>
  `path "${path}" { capabilities = [${capabilities.map((one) => `"${one}"`).join()}] }\n`;
const all = ["create", "read", "update", "delete", "list", "patch"] as const;

describe("a token with policies", () => {
  it("is rejected everywhere and in every form of the path, if the policies allow only other paths", async () => {
    const { holding, ask } = await world();
    const weak = await holding(block("other/*", ...all, "sudo"));
    for (const { base, endpoint } of guarded)
      for (const [method, path, header] of requests(base, endpoint))
        expect([method, path, (await ask(method, path, weak, header)).status]).toEqual([
          method,
          path,
          403,
        ]);
  });

  it("is rejected if its policies allow everything except the capability on this path", async () => {
    const { holding, ask } = await world();
    for (const { base, endpoint } of guarded) {
      const tokens = new Map<string, string>();
      for (const [method, path, header, capability, judged] of requests(base, endpoint)) {
        const others = [...all, "sudo"].filter((one) => one !== capability);
        const key = `${capability} ${judged}`;
        const token =
          tokens.get(key) ??
          (await holding(
            block("*", ...all, "sudo") +
              block(judged, ...others) +
              block(`${judged}/`, ...others) +
              block(`${judged}/*`, ...all, "sudo"),
          ));
        tokens.set(key, token);
        const { status } = await ask(method, path, token, header);
        expect([method, path, status]).toEqual([method, path, 403]);
      }
    }
  });

  it("that is denied a path is denied every form of that path", async () => {
    const { holding, ask } = await world();
    for (const { base, endpoint } of guarded)
      for (const [method, path, header, , judged] of requests(base, endpoint)) {
        if (path.includes("?") || path.endsWith("/")) continue;
        const token = await holding(
          block("*", ...all, "sudo") + block(judged, "deny") + block(`${judged}/`, "deny"),
        );
        for (const written of spelledOtherwise(path)) {
          const { status, reached } = await ask(method, written, token, header);
          // either it reaches an endpoint and is denied, or it reaches none
          const nowhere = reached === "none" && [400, 404, 405].includes(status);
          expect([method, written, nowhere ? 403 : status]).toEqual([method, written, 403]);
        }
      }
  });

  it("that is denied a name in capitals is denied every form of the name", async () => {
    const { holding, ask } = await world();
    let tried = 0;
    for (const { base, endpoint, forms } of guarded)
      for (const [method, path, header, , judged, shape] of requests(base, endpoint)) {
        if (path.includes("?") || path.endsWith("/")) continue;
        const capitals = inCapitals(path, shape, forms);
        if (capitals === path) continue;
        tried++;
        const pattern = inCapitals(judged, judgedShape(shape), forms);
        const token = await holding(block("*", ...all, "sudo") + block(pattern, "deny"));
        for (const written of [path, capitals])
          expect([method, written, (await ask(method, written, token, header)).status]).toEqual([
            method,
            written,
            403,
          ]);
      }
    expect(tried).toBeGreaterThan(100);
  });

  it.for(privileged)("requires sudo for $id", async ({ base, endpoint }) => {
    const { holding, ask } = await world();
    const without = await holding(block("*", ...all));
    for (const [method, path, header] of requests(base, endpoint))
      expect([method, path, (await ask(method, path, without, header)).status]).toEqual([
        method,
        path,
        403,
      ]);
    for (const [method, path, header, capability, judged] of requests(base, endpoint)) {
      const exact = capability === "list" ? `${judged}/` : judged;
      const token = await holding(block(exact, capability, "sudo"));
      const { text } = await ask(method, path, token, header);
      expect([method, path, text]).not.toEqual([method, path, expect.stringContaining("denied")]);
    }
  });

  it.for(guarded)(
    "may call $id with a policy for just that path and capability",
    async ({ base, endpoint }) => {
      const { holding, ask } = await world();
      const sudo = endpoint.access === "sudo" ? ["sudo"] : [];
      for (const [method, path, header, capability, judged] of requests(base, endpoint)) {
        const token = await holding(block(judged, capability, ...sudo));
        const { text } = await ask(method, path, token, header);
        expect([method, path, text]).not.toEqual([method, path, expect.stringContaining("denied")]);
      }
    },
  );
});

/** Returns a path with the values of case-insensitive parameters in capitals. */
function inCapitals(path: string, shape: string, forms: Forms): string {
  const names = shape.split("/").map((name) => /^:(.+)/.exec(name)?.[1]);
  return path
    .split("/")
    .map((segment, i) => (Object.hasOwn(forms, names[i] ?? "") ? segment.toUpperCase() : segment))
    .join("/");
}

/** Returns other forms of a path, which reach the same endpoint or none. */
function spelledOtherwise(path: string): readonly string[] {
  const segments = path.split("/");
  const [first = "", ...rest] = segments;
  const last = segments.at(-1) ?? "";
  const head = segments.slice(0, -1).join("/");
  const escaped = (text: string) =>
    [...text].map((one) => `%${(one.codePointAt(0) ?? 0).toString(16).padStart(2, "0")}`).join("");
  return [
    path,
    `${path}/`,
    `${head}/${escaped(last[0] ?? "")}${last.slice(1)}`,
    segments.map(escaped).join("/"),
    segments.join("//"),
    segments.join("%2f"),
    segments.join("%2F"),
    segments.join("/./"),
    segments.join("/x/../"),
    segments.join("/%2e/"),
    segments.join("/x/%2e%2e/"),
    `${path};a=b`,
    `${path}%00`,
    `/${path}`,
    [first.toUpperCase(), ...rest].join("/"),
    `${head}\\${last}`,
    `${path}#x`,
  ];
}

/** Paths that require sudo wherever they are served (P 9.5.1, A 1.1 item 8). */
const needSudo: readonly RegExp[] = [
  /^\w+ auth\/token\/accessors/,
  /^\w+ auth\/token\/revoke-orphan(\/|$)/,
  /^\w+ sys\/auth\/./,
  /^\w+ sys\/remount$/,
  /^\w+ sys\/(audit|raw|rotate)(\/|$)/,
  /^\w+ sys\/config\/(cors$|auditing\/.|ui\/headers\/.)/,
  /^\w+ sys\/plugins\/catalog\/./,
  /^\w+ sys\/(leases\/)?revoke-(prefix|force)\/./,
  /^\w+ sys\/leases$/,
  /^\w+ sys\/leases\/lookup\/./,
  /^\w+ sys\/internal\/inspect\/./,
  /^\w+ sys\/(seal|step-down)$/,
  /^DELETE pki\/root$/,
  /^POST pki\/root\/sign-self-issued$/,
];
/** Our extensions that require sudo because they have the same effect. */
const ours: readonly RegExp[] = [
  /^POST pki\/issuer\/[^/]+\/sign-self-issued$/,
  /^POST sys\/begin-anew$/,
  /^\w+ sys\/storage\/(snapshot|stores)/,
  // a sink receives the contents of the audit log
  /^\w+ sys\/events\/sinks/,
  // without a prefix it lists all leases
  /^LIST sys\/leases\/lookup$/,
];
const spelled = cases.flatMap(({ base, endpoint }) =>
  expandPatterns(endpoint).map(([method, path]) => ({
    endpoint,
    line: `${method} ${base}${path}`,
  })),
);

describe("sudo", () => {
  it("is required by exactly the endpoints that need it", () => {
    const wrong = spelled.flatMap(({ endpoint, line }) => {
      const needed = [...needSudo, ...ours].some((pattern) => pattern.test(line));
      return needed === (endpoint.access === "sudo") ? [] : [`${line} ${endpoint.access}`];
    });
    expect(wrong).toEqual([]);
  });
});
