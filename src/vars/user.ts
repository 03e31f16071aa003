import type { UserRow } from "./rows.ts";

/** A user's resource object. Teams and organizations with a token count as service accounts. `token` only where it is made. */
export const userDocument = ({ id, username, email }: UserRow, service: boolean, token?: string) => ({
  id,
  type: "users",
  attributes: { username, email, "is-service-account": service, ...(token === undefined ? {} : { token }) },
  links: { self: `/api/v2/users/${id}` },
});
