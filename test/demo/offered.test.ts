import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { authority } from "../support/authority.ts";
import { filesBelow, root } from "../support/syntax.ts";

it("what the page shows only where the authority has it is asked for by the names of the authority", async () => {
  const asked = filesBelow("demo", ".ts", ".tsx").flatMap((path) =>
    [...readFileSync(join(root, path), "utf8").matchAll(/\bcan\("([A-Z]+)", "([^"]+)"\)/g)].map(
      ([, verb = "", name = ""]) => `${verb} /v1/pki/${name}`,
    ),
  );
  expect(asked).toEqual(
    expect.arrayContaining([
      "POST /v1/pki/ocsp",
      "POST /v1/pki/tidy",
      "POST /v1/pki/certs/revoke",
      "POST /v1/pki/config/urls/defaults",
      "POST /v1/pki/issuer/{issuer_ref}/ocsp-responder",
    ]),
  );
  const { json } = await authority().call("GET", "sys/internal/specs/openapi");
  const known = Object.entries(json["paths"] as Record<string, object>).flatMap(([path, verbs]) =>
    Object.keys(verbs).map((verb) => `${verb.toUpperCase()} ${path}`),
  );
  expect(asked.filter((one) => !known.includes(one))).toEqual([]);
});
