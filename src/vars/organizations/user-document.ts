import { documentMember } from "../jsonapi/document.ts";
import { flag, object, resource, text, textOrNull } from "../jsonapi/resource-schema.ts";
import type { UserRow } from "../rows/rows.ts";

/**
 * The data of a user that the caller may see. If the caller may not see the email address, it is
 * null.
 */
type VisibleUser = Pick<UserRow, "id" | "username"> & { readonly email: string | null };
/**
 * Returns a user's resource object. Teams and organizations that call with a token appear as
 * service accounts. `token` is the secret, which is only present in the response that creates the
 * user.
 */
export const userDocument = (
  { id, username, email }: VisibleUser,
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
/** Schema of a user. */
export const userSchema = resource(
  "users",
  object(
    {
      username: text,
      email: { ...textOrNull, description: "Null if the caller may not see the email address." },
      "is-service-account": flag,
    },
    {
      token: {
        ...text,
        description: "The first token; present only in the response that creates the user.",
      },
    },
  ),
);
/** Reply field for one user. */
export const oneUser = {
  data: documentMember<ReturnType<typeof userDocument>>(userSchema, "The user."),
} as const;
