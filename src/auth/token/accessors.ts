import type { Deployment } from "../../engine/deployment.ts";
import type { Row } from "../../engine/ports.ts";
import { systemEndpoint } from "../../wire/endpoint.ts";
import { flag, int, list, records, text } from "../../wire/field.ts";
import { envelope } from "../../wire/style.ts";
import { belowTokens, storedTokens, tokenKeys } from "../rows/tokens.ts";
import { isAlive } from "./identify.ts";
import { details, lookupAccessor, toTokenReply } from "./lookup.ts";

const prefix = belowTokens.accessors;
const accessorOf = (key: string): string => key.slice(prefix.length);
/** Maximum length of an accessor in a request; longer input is truncated. */
const maxAccessorLength = 64;
/** Number of tokens to read at a time. */
const part = 500;

export const listAccessors = systemEndpoint({
  id: "listAccessors",
  at: ["LIST /token/accessors"],
  access: "sudo",
  style: envelope,
  doc: "Lists the accessors of all service tokens.",
  body: {
    after: text.default("", "Return only accessors after this accessor, which need not exist."),
    limit: int.default(0, "Maximum number of accessors to return; 0 means all."),
    detailed: flag.default(false, "Whether to also return the properties of each token."),
  },
  reply: {
    keys: list.required("Accessors."),
    key_info: records(details).optional(
      "Properties of the tokens, by accessor. Present with `detailed` if the caller may look up tokens by accessor. Omits expired tokens, and tokens that the caller may not look up.",
    ),
  },
  run: async (deployment, { after, limit, detailed }, { identity }) => {
    const rows = await deployment.sys.store.list(prefix, {
      values: detailed,
      ...(after === "" ? {} : { after: prefix + after.slice(0, maxAccessorLength) }),
      ...(limit > 0 ? { limit } : {}),
    });
    if (rows.length === 0) return undefined;
    const keys = rows.map(([key]) => accessorOf(key));
    const path = "auth/token/lookup-accessor";
    if (!detailed || !identity.can("update", path)) return { keys };
    const { body: declared } = lookupAccessor;
    const readable = rows.filter(([key]) => {
      const parameters = { accessor: accessorOf(key) };
      return identity.allows({ capability: "update", path, parameters, declared });
    });
    return { keys, key_info: await tokenDetails(deployment, readable) };
  },
});

/** Returns the properties of the tokens with these accessors, leaving out expired tokens. */
async function tokenDetails(
  deployment: Deployment,
  accessors: readonly (readonly [key: string, row: Row])[],
): Promise<Readonly<Record<string, Awaited<ReturnType<typeof toTokenReply>>>>> {
  const { sys, ports } = deployment;
  const tokens: Record<string, Awaited<ReturnType<typeof toTokenReply>>> = {};
  for (let i = 0; i < accessors.length; i += part) {
    const some = accessors.slice(i, i + part);
    const rows = await sys.store.get(
      some.map(([, { value }]) => tokenKeys.token(storedTokens.accessor(value).token)),
    );
    for (const [at, [key]] of some.entries()) {
      const row = rows[at];
      const token = row && storedTokens.token(row.value);
      if (token && isAlive(token, ports.now()))
        tokens[accessorOf(key)] = await toTokenReply(deployment, token);
    }
  }
  return tokens;
}
