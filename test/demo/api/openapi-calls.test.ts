import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { callsOf, matchingCalls } from "../../../demo/api/openapi-calls.ts";
import type { Paths } from "../../../demo/api/openapi.ts";
import { queryWords } from "../../../demo/lib/word-match.ts";
import { root } from "../../support/syntax.ts";

const { paths } = JSON.parse(readFileSync(join(root, "docs/openapi.json"), "utf8")) as {
  readonly paths: Paths;
};
const first = (query: string): string => {
  const [call] = matchingCalls(callsOf(paths, "pki"), queryWords(query));
  return call ? `${call.verb} ${call.path}` : "";
};

it.each([
  ["issue", "POST /v1/pki/issue/:role"],
  ["issue a certificate", "POST /v1/pki/issue/:role"],
  ["revoke certificate", "POST /v1/pki/revoke"],
  ["revoke a certificate", "POST /v1/pki/revoke"],
  ["roles", "LIST /v1/pki/roles"],
  ["writeCrlConfig", "POST /v1/pki/config/crl"],
  ["list the roles", "LIST /v1/pki/roles"],
  ["post /v1/pki/sign/:role", "POST /v1/pki/sign/:role"],
])("a search for “%s” finds %s first", (query, path) => {
  expect(first(query)).toBe(path);
});

it("calls of a mount use its path, however the OpenAPI description names mounts", () => {
  const operation = { operationId: "revoke", responses: {} };
  for (const beginning of ["/v1/pki", "/v1/{pki_mount_path}"])
    expect(
      callsOf({ [`${beginning}/issuer/{issuer_ref}/revoke`]: { post: operation } }, "teams/web"),
    ).toEqual([{ verb: "POST", path: "/v1/teams/web/issuer/:issuer_ref/revoke", operation }]);
});
