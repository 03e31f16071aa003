import { wrongMount } from "./page-location.ts";
import { wrongToken } from "./format.ts";

/** A way to sign in: with an existing token, or with a login method that creates one. */
type SignInWay = "token" | "userpass" | "jwt" | "approle";

/** A field of a login method. */
interface CredentialField {
  readonly name: string;
  readonly label: string;
  /** Hidden while typed. */
  readonly secret?: boolean;
  readonly complete?: string;
  /** May be empty. */
  readonly optional?: boolean;
  readonly hint?: string;
}

/** The ways to sign in, with their fields. */
export const ways: Readonly<
  Record<SignInWay, { readonly title: string; readonly fields: readonly CredentialField[] }>
> = {
  token: { title: "Token", fields: [] },
  userpass: {
    title: "User name and password",
    fields: [
      { name: "username", label: "User name", complete: "username" },
      { name: "password", label: "Password", secret: true, complete: "current-password" },
    ],
  },
  jwt: {
    title: "JWT",
    fields: [
      { name: "role", label: "Role", optional: true, hint: "If empty, the method's default." },
      { name: "jwt", label: "JWT", secret: true, hint: "Signed by an issuer the method trusts." },
    ],
  },
  approle: {
    title: "AppRole",
    fields: [
      { name: "role_id", label: "Role ID" },
      { name: "secret_id", label: "Secret ID", secret: true },
    ],
  },
};

/** The contents of the sign-in form. */
export interface Credentials {
  readonly way: SignInWay;
  /** Path of the method below `auth/`. */
  readonly at: string;
  /** True if it was chosen from the methods that the server lists before login. */
  readonly listed?: boolean;
  readonly token: string;
  /** The method's fields, by name. */
  readonly values: Readonly<Record<string, string>>;
}

/** Initial values of the sign-in form. */
export const noCredentials: Credentials = { way: "token", at: "", token: "", values: {} };

/** A login method that a server lists before login. */
export interface ListedMethod {
  readonly way: SignInWay;
  /** Path below `auth/`, without leading and trailing slashes. */
  readonly at: string;
  readonly description: string;
}

export const isWay = (value: string): value is SignInWay => value in ways;

/** Returns the listed login methods that this page supports, by path. */
export const listedMethods = (
  auth: Readonly<Record<string, { readonly type?: string; readonly description?: string }>>,
): readonly ListedMethod[] =>
  Object.entries(auth)
    .flatMap(([path, { type = "", description = "" }]): readonly ListedMethod[] => {
      const at = path.replace(/^\/+|\/+$/g, "");
      return type !== "token" && isWay(type) && wrongMount(at) === ""
        ? [{ way: type, at, description: description.trim() }]
        : [];
    })
    .toSorted((a, b) => (a.at < b.at ? -1 : 1));

/**
 * Returns the path of a method: the typed one without `auth/` and slashes, else the name of its
 * type.
 */
export const methodPath = ({ way, at }: Credentials): string =>
  at.trim().replace(/^\/*(?:auth\/+)?|\/+$/g, "") || way;

/**
 * Returns the errors by field; none when the form can be sent. `token`: whether one is required.
 */
export function wrongCredentials(
  given: Credentials,
  token: boolean,
): Readonly<Record<string, string>> {
  if (given.way === "token") {
    const why = token && given.token.trim() === "" ? noToken : wrongToken(given.token);
    return why === "" ? {} : { token: why };
  }
  const at = wrongMount(methodPath(given));
  const missing = ways[given.way].fields
    .filter(({ name, optional }) => !optional && (given.values[name] ?? "").trim() === "")
    .map(({ name, label }) => [name, `${label} is missing`] as const);
  return { ...(at && { at }), ...Object.fromEntries(missing) };
}

const noToken =
  "Enter a token: the one that the server printed at its first start, or one created for you";
