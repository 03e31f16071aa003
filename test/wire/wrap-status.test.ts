import { expect, it } from "vitest";
import { endpoint } from "../../src/wire/endpoint.ts";
import { text } from "../../src/wire/field.ts";
import { envelope } from "../../src/wire/style.ts";
import { bench } from "./fixture.ts";

it("response wrapping: a reply with status 201 is wrapped like any other", async () => {
  const made = endpoint({
    id: "made",
    at: ["POST /made"],
    access: "token",
    style: envelope,
    status: 201,
    doc: "Makes a secret.",
    body: {},
    reply: { secret: text.required("The secret.") },
    run: async () => ({ secret: "hidden" }),
  });
  const { fetch } = bench([made]);
  const plain = await fetch("POST", "/v1/pki/made");
  expect([plain.status, plain.json["data"]]).toEqual([201, { secret: "hidden" }]);
  const wrapped = await fetch("POST", "/v1/pki/made", { headers: { "x-service-wrap-ttl": "60" } });
  expect([wrapped.json["data"], wrapped.json["wrap_info"]]).toEqual([null, expect.anything()]);
  expect(wrapped.text).not.toContain("hidden");
});
