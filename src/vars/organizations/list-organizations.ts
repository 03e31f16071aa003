import { byCodePoint } from "../../base/code-point.ts";
import { storeEndpoint } from "../../wire/endpoint.ts";
import { parameter } from "../jsonapi/document.ts";
import { pagedStyle, pageOf, pagedReply, pageFields } from "../jsonapi/paging.ts";
import { organizationsOf, teamsOf } from "../rights/principal-teams.ts";
import { organizationRights } from "../rights/rights.ts";
import { organizationDocument, organizationSchema } from "./organization-document.ts";

export const listOrganizations = storeEndpoint({
  id: "listOrganizations",
  at: ["GET /organizations"],
  access: "known",
  style: pagedStyle,
  doc: "Lists the organizations that the caller can see.",
  body: {
    ...pageFields,
    q: parameter("Substring of the name or email address."),
    "q[name]": parameter("Substring of the name."),
    "q[email]": parameter("Part of the email address."),
  },
  reply: pagedReply(organizationSchema),
  refuses: ["malformed"],
  run: async (storeContext, input, caller) => {
    const teams = await teamsOf(storeContext, caller.identity.id);
    const rows = await organizationsOf(storeContext, { principal: caller.identity.id, teams });
    const has = (text: string, part: string | undefined) =>
      part === undefined || text.toLowerCase().includes(part.toLowerCase());
    const matching = rows
      .filter(
        ({ name, email }) =>
          (has(name, input.q) || has(email, input.q)) &&
          has(name, input["q[name]"]) &&
          has(email, input["q[email]"]),
      )
      .toSorted((one, other) => byCodePoint(one.name, other.name));
    const documents = matching.map((organization) =>
      organizationDocument({
        organization,
        rights: organizationRights(caller.identity.id, teams, organization.id),
      }),
    );
    return pageOf(documents, input, { whole: true });
  },
});
