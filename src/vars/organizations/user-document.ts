import { answer } from "../jsonapi/document.ts";
import type { UserRow } from "../rows/rows.ts";

/** What is told of a user; the mail address is null where it is nobody's business. */
export type ShownUser = Pick<UserRow, "id" | "username"> & { readonly email: string | null };
/**
 * A user's resource object. Teams and organizations with a token count as service accounts. `token`
 * only where it is made.
 */
export const userDocument = (
  { id, username, email }: ShownUser,
  service: boolean,
  token?: string,
) => ({
  id,
  type: "users",
  attributes: {
    username,
    email,
    "is-service-account": service,
    ...(token === undefined ? {} : { token }),
  },
  links: { self: `/api/v2/users/${id}` },
});
/** An answer with one user. */
export const oneUser = {
  data: answer<ReturnType<typeof userDocument>>({ type: "object" }, "The user."),
} as const;
