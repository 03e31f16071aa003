import { createHmac } from "node:crypto";
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { secret, secretBytes } from "../events/receiver.ts";

type IsSigned = (secret: string, headers: Record<string, string>, body: string) => boolean;

it("the signature check in the documentation accepts a signed request, and rejects others without throwing", async () => {
  const page = readFileSync("docs/events.md", "utf8");
  const from = page.indexOf("```js\n") + 6;
  const code = page.slice(from, page.indexOf("\n```", from));
  const module: { readonly isSigned: IsSigned } = (await import(
    `data:text/javascript,${encodeURIComponent(code)}`
  )) as { readonly isSigned: IsSigned };
  const time = String(Math.floor(Date.now() / 1000));
  const mac = createHmac("sha256", secretBytes).update(`id.${time}.{}`).digest("base64");
  const headers = { "webhook-id": "id", "webhook-timestamp": time };
  const check = (signature: string) =>
    module.isSigned(secret, { ...headers, "webhook-signature": signature }, "{}");
  expect(check(`v1,${mac}`)).toBe(true);
  expect(check(`v1,${mac.slice(1)}A`)).toBe(false);
  // the same number of characters, but more bytes
  expect(check("é".repeat(mac.length + 3))).toBe(false);
});
