import { expect, it } from "vitest";
import { challengeTypesText } from "../../../demo/lib/challenge-types.ts";
import { challengeTypes } from "../../../src/acme/validation/challenge-table.ts";

it("the list of challenge types has every type of the server, those of drafts last", () => {
  const text = challengeTypesText();
  const names = challengeTypes.map(({ name }) => name);
  expect(text.match(/[\w-]+-01/g)?.toSorted()).toEqual(names.toSorted());
  expect(text).toBe(
    "http-01, dns-01, tls-alpn-01; and, defined in Internet-Drafts: dns-account-01, dns-persist-01, device-attest-01",
  );
});
