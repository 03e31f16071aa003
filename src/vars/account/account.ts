import { storeEndpoint } from "../../wire/endpoint.ts";
import { bytesStyle, jsonapi } from "../jsonapi/style.ts";
import { oneUser as reply, userDocument } from "../organizations/user-document.ts";
import { rowOf } from "../rows/change.ts";
import { rowKeys } from "../rows/keys.ts";
import { isUser } from "../rows/rows.ts";
import { storedRows } from "../rows/stored.ts";

export const readAccount = storeEndpoint({
  id: "readAccount",
  at: ["GET /account/details"],
  access: "known",
  style: jsonapi,
  doc: "Returns the caller's account.",
  body: {},
  reply,
  run: async (storeContext, _input, caller) => {
    const user = isUser(caller.identity.id)
      ? await rowOf(storeContext, storedRows.user, rowKeys.user(caller.identity.id))
      : undefined;
    return {
      data: user
        ? userDocument(user, false)
        : userDocument(
            {
              id: caller.identity.id,
              username: caller.identity.id,
              email: `${caller.identity.id}@localhost`,
            },
            true,
          ),
    };
  },
});

export const ping = storeEndpoint({
  id: "ping",
  at: ["GET /ping"],
  access: "open",
  style: jsonapi,
  doc: "Returns an empty response. Clients read only its headers.",
  body: {},
  reply: {},
  run: async () => undefined,
});

/**
 * Content of the service discovery response (V 9). `versions.v1` is omitted on purpose, because
 * clients would call that service first.
 */
const services = {
  "modules.v1": "/api/registry/v1/modules/",
  "motd.v1": "/api/terraform/motd",
  "state.v2": "/api/v2/",
  "tfe.v2": "/api/v2/",
  "tfe.v2.1": "/api/v2/",
  "tfe.v2.2": "/api/v2/",
} as const;
export const discovery = storeEndpoint({
  id: "discovery",
  at: ["GET /.well-known/terraform.json"],
  access: "open",
  style: bytesStyle,
  doc: "Returns the base paths of the API, for service discovery.",
  body: {},
  reply: {},
  run: async () => ({ type: "application/json", bytes: JSON.stringify(services) }),
});
