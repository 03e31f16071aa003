import { flag, int, list, mapOrNull, text, textOrNull } from "../wire/field.ts";
import { systemEndpoint, type Style } from "../wire/endpoint.ts";
import { envelope } from "../wire/style.ts";

/** The token itself stands in the reply: no handler has it, and nothing stores it. */
const own: Style = {
  ...envelope,
  reply: ({ data, ...outcome }, asked) =>
    // only the handler of `lookupSelf` has this style
    envelope.reply(
      { ...outcome, data: { ...(data as object), id: asked.call.token ?? "" } },
      asked,
    ),
};

export const lookupSelf = systemEndpoint({
  id: "lookupSelf",
  at: ["GET /token/lookup-self", "POST /token/lookup-self"],
  access: "known",
  style: own,
  doc: "Returns the properties of the caller's token. Every valid token may call it.",
  body: {},
  reply: {
    id: text.required("The token itself."),
    accessor: text.required("Always empty."),
    display_name: text.required("Name of the caller, as in the log."),
    policies: list.required("Policies of the token."),
    path: text.required("Path at which the token was created."),
    meta: mapOrNull.required("Always null."),
    entity_id: text.required("Id of the caller's entity; empty without one."),
    type: text.required("Always `service`."),
    ttl: int.required("Always 0: the token does not expire."),
    creation_ttl: int.required("Always 0."),
    creation_time: int.required("Always 0: the time of creation is not recorded."),
    explicit_max_ttl: int.required("Always 0."),
    expire_time: textOrNull.required("Always null: the token does not expire."),
    num_uses: int.required("Always 0: the number of uses is not limited."),
    orphan: flag.required("Always true."),
    renewable: flag.required("Always false."),
  },
  run: async (_, __, caller) => ({
    id: "",
    accessor: "",
    display_name: caller.id,
    policies: caller.policies,
    path: caller.policies.includes("root") ? "auth/token/root" : "auth/token/create",
    meta: null,
    entity_id: caller.entity?.id ?? "",
    type: "service",
    ttl: 0,
    creation_ttl: 0,
    creation_time: 0,
    explicit_max_ttl: 0,
    expire_time: null,
    num_uses: 0,
    orphan: true,
    renewable: false,
  }),
});
