import { expect, it } from "vitest";
import { kindWords, listPath, shardIn, shardKinds } from "../../../demo/lib/crl-kinds.ts";

it.each([
  ["", "crl/der", ""],
  ["delta", "crl/delta/der", " delta"],
  ["8-3", "crl/der/shard/8-3", " shard 8-3"],
  ["16-0-delta", "crl/delta/der/shard/16-0", " shard 16-0 delta"],
])("the list %j is read at %s", (kind, path, words) => {
  expect(listPath(kind)).toBe(path);
  expect(kindWords(kind)).toBe(words);
});

it.each(["8", "8-3-", "-delta", "8-3-delta-delta", "../8-3", "8-3/der", "crl"])(
  "%j names no list",
  (kind) => {
    expect(listPath(kind)).toBeUndefined();
    expect(kindWords(kind)).toBe("");
  },
);

it.each([
  [["https://ca.example/v1/pki/issuer/1/crl/der/shard/8-3"], "8-3"],
  [["ldap://x", "http://ca.example/v1/pki/crl/shard/16-15"], "16-15"],
  [["https://ca.example/v1/pki/crl"], ""],
  [["https://ca.example/shard/8-3/crl"], ""],
  [[], ""],
])("%j names the shard %j", (addresses, shard) => {
  expect(shardIn(addresses)).toBe(shard);
});

it("every shard of so many has a list", () => {
  expect(shardKinds(3)).toEqual(["3-0", "3-1", "3-2"]);
  expect(shardKinds(0)).toEqual([]);
});
