import { flag, int, list, mapOrNull, text, textOrNull } from "../wire/field.ts";
import { endpoint, type Style } from "../wire/endpoint.ts";
import { envelope } from "../wire/style.ts";

/** The token itself stands in the reply: no handler has it, and nothing stores it. */
const own: Style = {
  ...envelope,
  reply: ({ data, ...outcome }, call, ...rest) =>
    // only the handler of `lookupSelf` has this style
    envelope.reply({ ...outcome, data: { ...(data as object), id: call.token ?? "" } }, call, ...rest),
};

export const lookupSelf = endpoint({
  id: "lookupSelf",
  at: ["GET /token/lookup-self", "POST /token/lookup-self"],
  access: "known",
  style: own,
  doc: "Tells of the token that was sent whose it is. Every valid token may ask.",
  body: {},
  reply: {
    id: text.required("The token that was sent; empty where the caller has none."),
    accessor: text.required("Empty: the token has no other name."),
    display_name: text.required("Who stands behind it, as logs show it."),
    policies: list.required("Names of its policies."),
    path: text.required("Where it was made; `auth/token/root` for the root token."),
    meta: mapOrNull.required("Always null."),
    entity_id: text.required("Id of the entity behind it, or empty."),
    type: text.required("Always `service`."),
    ttl: int.required("Seconds left; 0, because it does not end."),
    creation_ttl: int.required("Always 0."),
    creation_time: int.required("Always 0: it is not known when it was made."),
    explicit_max_ttl: int.required("Always 0."),
    expire_time: textOrNull.required("Always null: it does not end."),
    num_uses: int.required("Always 0: it may be used any number of times."),
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
