import { expect, it } from "vitest";
import { vars, wellKnown } from "../../src/vars/api.ts";
import type { AnyEndpoint } from "../../src/wire/endpoint.ts";
import { expandPatterns } from "../../src/wire/route-patterns.ts";
import { media, service } from "./service.ts";

const mebibyte = 1024 * 1024;
/** Returns a body in chunks of 1 MiB, and the number of bytes read from it. */
function pieces(size: number): {
  readonly taken: () => number;
  readonly body: ReadableStream<Uint8Array>;
} {
  let taken = 0;
  const pull = (control: ReadableStreamDefaultController<Uint8Array>) => {
    if (taken >= size) return control.close();
    taken += mebibyte;
    control.enqueue(new Uint8Array(mebibyte).fill(0x20));
  };
  // no read-ahead
  return { taken: () => taken, body: new ReadableStream({ pull }, { highWaterMark: 0 }) };
}
const paths = [...(vars as readonly AnyEndpoint[]), ...wellKnown].flatMap((endpoint) =>
  expandPatterns(endpoint),
);
const strangers: readonly (readonly [who: string, headers: Readonly<Record<string, string>>])[] = [
  ["without a token", {}],
  ["with an unknown token", { authorization: "Bearer unknown" }],
  ["with a token of another scheme", { authorization: "Basic first-token-of-the-tests" }],
];

it.each(strangers)(
  "the service reads no byte of a body sent by a caller %s, on any path, with or without Content-Length",
  async (_, headers) => {
    const { send } = service();
    const methods = ["POST", "PATCH", "PUT", "DELETE", "LIST"];
    const known = new Set(paths.map(([, path]) => path.replace(/:\w+/g, "ws-EavQ1LztoRTQHSNT")));
    for (const path of ["/ping", "/ping/", "/nothing", ...known])
      for (const method of methods)
        for (const length of [{}, { "content-length": String(8 * mebibyte) }]) {
          const { taken, body } = pieces(8 * mebibyte);
          const url = `http://ca.test${path.startsWith("/.well-known") ? "" : "/api/v2"}${path}`;
          // streamed bodies require this member, which the type lacks
          const init: RequestInit & { duplex: "half" } = {
            method,
            headers: { ...headers, ...length, "content-type": media },
            body,
            duplex: "half",
          };
          const { status } = await send(new Request(url, init));
          expect([method, path, status, taken()]).toEqual([
            method,
            path,
            path.startsWith("/ping") || path.startsWith("/.well-known") ? 404 : 401,
            0,
          ]);
        }
  },
);
it("the service reads a body only up to the limit for a caller with a valid token", async () => {
  const { send } = service();
  const { taken, body } = pieces(100 * mebibyte);
  const headers = { authorization: "Bearer first-token-of-the-tests", "content-type": media };
  // streamed bodies require this member, which the type lacks
  const init: RequestInit & { duplex: "half" } = { method: "POST", headers, body, duplex: "half" };
  expect((await send(new Request("http://ca.test/api/v2/organizations", init))).status).toBe(413);
  expect(taken()).toBeLessThanOrEqual(9 * mebibyte);
});
