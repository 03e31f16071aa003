import { expect, it } from "vitest";
import { kindLabel, parseCrlKind, shardIn, shardKinds } from "../../../demo/lib/crl-kinds.ts";

it.each([
  ["", "", false, ""],
  ["delta", "", true, " delta"],
  ["8-3", "8-3", false, " shard 8-3"],
  ["16-0-delta", "16-0", true, " shard 16-0 delta"],
])("the CRL kind %j has the shard %j, delta: %j", (kind, shard, delta, words) => {
  expect(parseCrlKind(kind)).toEqual({ shard, delta });
  expect(kindLabel(kind)).toBe(words);
});

it.each(["8", "8-3-", "-delta", "8-3-delta-delta", "../8-3", "8-3/der", "crl"])(
  "%j is not a CRL kind",
  (kind) => {
    expect(parseCrlKind(kind)).toBeUndefined();
    expect(kindLabel(kind)).toBe("");
  },
);

it.each([
  [["https://ca.example/v1/pki/issuer/1/crl/der/shard/8-3"], "8-3"],
  [["ldap://x", "http://ca.example/v1/pki/crl/shard/16-15"], "16-15"],
  [["https://ca.example/v1/pki/crl"], ""],
  [["https://ca.example/shard/8-3/crl"], ""],
  [[], ""],
])("distribution points %j name the shard %j", (addresses, shard) => {
  expect(shardIn(addresses)).toBe(shard);
});

it("shardKinds returns a CRL kind for each shard", () => {
  expect(shardKinds(3)).toEqual(["3-0", "3-1", "3-2"]);
  expect(shardKinds(0)).toEqual([]);
});
