import { expect, it } from "vitest";
import { groups } from "../../demo/rolefields.ts";
import { changesOf, roleOf, valuesOf, wrong } from "../../demo/rolevalues.ts";
import { createCa, memoryStore } from "../../src/index.ts";
import { roleFields } from "../../src/pki/leaf/role.ts";

it("the editor has every field of a role once", () => {
  const edited = groups.flatMap(({ fields }) => fields.map(([name]) => name));
  expect(edited.toSorted()).toEqual(Object.keys(roleFields).toSorted());
});

it("a role goes through the controls unchanged, blanks and commas in its values included", async () => {
  const ca = createCa({ stores: memoryStore() });
  await ca.pki.generateRoot({ common_name: "Root", key_type: "ec", ttl: 31_536_000 });
  const fields = {
    organization: ["Fernhill, Ltd", "A B C"],
    street_address: ["1 Long Lane"],
    allowed_domains: ["a.test", "b.test"],
    allowed_other_sans: ["1.2.3.4;UTF8:some one"],
    policy_identifiers: ['{"oid":"1.2.3","notice":"be, careful"}', "1.2.4"],
    ttl: 5400,
    max_ttl: 7_776_000,
    key_type: "ec",
    not_after_bound: "ttl-limited",
  };
  const role = (await ca.pki.writeRole({ name: "any", ...fields })) as Readonly<
    Record<string, unknown>
  >;
  expect(changesOf(valuesOf(role), role)).toEqual({});
  const { allow_token_displayname: _, ...again } = (await ca.pki.writeRole({
    name: "any",
    ...(roleOf(valuesOf(role)) as object),
  })) as Readonly<Record<string, unknown>>;
  expect(role).toMatchObject(again);
});

it("only what was changed is sent", () => {
  const role = {
    ttl: "720h",
    max_ttl: "2160h",
    allowed_domains: ["a.test"],
    allow_subdomains: true,
  };
  const values = { ...valuesOf(role), allowed_domains: "a.test b.test", allow_subdomains: false };
  expect(changesOf(values, role)).toEqual({
    allowed_domains: ["a.test", "b.test"],
    allow_subdomains: false,
  });
  expect(changesOf({ ...valuesOf(role), ttl: "7d" }, role)).toEqual({ ttl: 604_800 });
});

it("what is no duration, no number or a default above the maximum is said", () => {
  expect(wrong({ ttl: "soon", key_bits: "many" })).toMatchObject({
    ttl: expect.stringContaining("not a duration") as string,
    key_bits: expect.stringContaining("not a whole number") as string,
  });
  expect(wrong({ ttl: "90d", max_ttl: "30d" })).toEqual({
    ttl: "Default exceeds the maximum (30d)",
  });
});
