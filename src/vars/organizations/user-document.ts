import { documentMember } from "../jsonapi/document.ts";
import { flag, object, resource, text, textOrNull } from "../jsonapi/resource-schema.ts";
import type { UserRow } from "../rows/rows.ts";

/**
 * The data of a user that the caller may see. The email address is null if the caller may not see
 * it.
 */
type VisibleUser = Pick<UserRow, "id" | "username"> & { readonly email: string | null };
/**
 * Returns a user's resource object. Teams and organizations that call with a token appear as users
 * that are service accounts. `token` is the secret, only in the response that creates the user.
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
      email: { ...textOrNull, description: "Null if the caller may not see it." },
      "is-service-account": flag,
    },
    {
      token: {
        ...text,
        description: "The first token, only in the response that creates the user.",
      },
    },
  ),
);
/** Reply field for one user. */
export const oneUser = {
  data: documentMember<ReturnType<typeof userDocument>>(userSchema, "The user."),
} as const;
