import { expect, it } from "vitest";
import { checked, configured, yes, type Asked } from "./service.ts";

const entity = {
  id: "e1",
  name: "alice",
  metadata: { team: "web" },
  aliases: {
    auth_userpass_1: { id: "a1", name: "alice", metadata: {}, custom_metadata: {} },
  },
  groups: [
    { id: "g1", name: "admins", metadata: { level: "1" } },
    { id: "g2", name: "web" },
  ],
};
const told = async (config: object): Promise<unknown> => {
  let seen: Asked | undefined;
  const a = await configured(
    {
      authenticate: async () => ({
        id: "token",
        can: () => true,
        entity,
      }),
      externalPolicy: async (asked) => yes((seen = { ...asked })),
    },
    { external_service_url: "", trusted_ca: "", ...config },
  );
  const answer = await checked(a);
  if (!seen) return answer;
  return seen["identity_request_key_values"];
};

it("a policy service receives the parts of the caller's identity that the expressions select (B 7.1, B 7.3)", async () => {
  expect(await told({})).toEqual({ entity_id: "e1" });
  expect(await told({ entity_jmespath: "@", group_jmespath: "@" })).toEqual({
    entity_id: "e1",
    entity: {
      id: "e1",
      name: "alice",
      metadata: { team: "web" },
      aliases: [
        {
          id: "a1",
          name: "alice",
          metadata: {},
          custom_metadata: {},
          mount_accessor: "auth_userpass_1",
        },
      ],
    },
    groups: [
      { id: "g1", name: "admins", metadata: { level: "1" } },
      { id: "g2", name: "web", metadata: {} },
    ],
  });
  expect(
    await told({ entity_jmespath: "metadata.team", group_jmespath: "[?name=='web'].id" }),
  ).toEqual({ entity_id: "e1", entity: "web", groups: ["g2"] });
});
