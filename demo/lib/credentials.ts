import type { LoginType } from "../../src/auth/types/table.ts";
import { wrongMount } from "./page-location.ts";
import { wrongToken } from "./token-syntax.ts";

/** A login method for programs, which have a certificate or a service account. */
type ProgramLogin = Extract<LoginType, "cert" | "kubernetes">;
/** A way to sign in: with an existing token, or with a login method that creates one. */
export type SignInType = "token" | Exclude<LoginType, ProgramLogin>;

/** A field of a login method. */
interface CredentialField {
  readonly name: string;
  readonly label: string;
  /** Whether the value is hidden while it is typed. */
  readonly secret?: boolean;
  readonly complete?: string;
  /** Whether the value may be empty. */
  readonly optional?: boolean;
  readonly hint?: string;
}

const role: CredentialField = {
  name: "role",
  label: "Role",
  optional: true,
  hint: "Optional. If empty, the default role of the method is used.",
};

/** The ways to sign in, with their fields, the most frequently used first. */
export const signInTypes: Readonly<
  Record<SignInType, { readonly title: string; readonly fields: readonly CredentialField[] }>
> = {
  token: { title: "Token", fields: [] },
  userpass: {
    title: "User name",
    fields: [
      { name: "username", label: "User name", complete: "username" },
      { name: "password", label: "Password", secret: true, complete: "current-password" },
    ],
  },
  oidc: { title: "Single sign-on", fields: [role] },
  approle: {
    title: "AppRole",
    fields: [
      { name: "role_id", label: "Role ID" },
      { name: "secret_id", label: "Secret ID", secret: true },
    ],
  },
  jwt: {
    title: "JWT",
    fields: [
      role,
      {
        name: "jwt",
        label: "JWT",
        secret: true,
        optional: true,
        hint: "Signed by an issuer that the method trusts. Leave it empty to sign in at an identity provider.",
      },
    ],
  },
};

/** The contents of the sign-in form. */
export interface Credentials {
  readonly way: SignInType;
  /** Path of the method under `auth/`. If empty, the name of the type is used. */
  readonly at: string;
  readonly token: string;
  /** The values of the method's fields, by field name. */
  readonly values: Readonly<Record<string, string>>;
}

/** A login method that a server lists for unauthenticated users. */
export interface ListedMethod {
  readonly way: SignInType;
  /** Path under `auth/`, without leading and trailing slashes. */
  readonly at: string;
  readonly description: string;
}

const isWay = (value: string): value is SignInType => value in signInTypes;

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
 * A tab of the sign-in form: a way to sign in, and the path of the login method if the server lists
 * it.
 */
export interface SignInTab extends Pick<Credentials, "way" | "at"> {
  readonly title: string;
}

/** Maximum length of a method's description in the title of a tab. */
const maxTitle = 32;

/**
 * Returns the tabs of the sign-in form: first the methods that the server lists, then the types of
 * which it lists none.
 */
export function signInTabs(listed: readonly ListedMethod[]): readonly SignInTab[] {
  const order = Object.keys(signInTypes);
  const listedTabs = listed
    .map(({ way, at, description }): SignInTab => ({ way, at, title: titleOf(way, description) }))
    .toSorted((a, b) => order.indexOf(a.way) - order.indexOf(b.way));
  const others = order
    .filter(isWay)
    .filter((way) => !listed.some((method) => method.way === way))
    .map((way): SignInTab => ({ way, at: "", title: signInTypes[way].title }));
  const tabs = [...listedTabs, ...others];
  return tabs.map((tab) =>
    tabs.some((other) => other !== tab && other.title === tab.title)
      ? { ...tab, title: `${tab.title} (auth/${tab.at || tab.way})` }
      : tab,
  );
}

const titleOf = (way: SignInType, description: string): string =>
  description === ""
    ? signInTypes[way].title
    : description.length > maxTitle
      ? `${description.slice(0, maxTitle - 1)}…`
      : description;

/**
 * Returns the path of a method: the entered path without `auth/` and surrounding slashes, or else
 * the name of the type.
 */
export const methodPath = ({ way, at }: Pick<Credentials, "way" | "at">): string =>
  at.trim().replace(/^\/*(?:auth\/+)?|\/+$/g, "") || way;

/**
 * Reports whether a sign-in begins at an identity provider. Both `oidc` and `jwt` methods can have
 * roles that use one.
 */
export const usesProvider = ({ way, values }: Pick<Credentials, "way" | "values">): boolean =>
  way === "oidc" || (way === "jwt" && (values["jwt"] ?? "").trim() === "");

/** Explains the server's error for a login. Returns undefined if the error is clear. */
export function explainLoginError(
  {
    status,
    message,
    call,
  }: { readonly status: number; readonly message: string; readonly call: string },
  given: Pick<Credentials, "way" | "at">,
): string | undefined {
  if (!call.startsWith("POST /v1/auth/")) return undefined;
  if (message.startsWith("invalid username or password"))
    return "The user name or the password is wrong. Several failures lock a user for a while.";
  if (message.startsWith("invalid role or secret ID"))
    return "The role ID or the secret ID is wrong, or the secret ID has expired.";
  const isMissing = status === 403 ? message.startsWith("permission denied") : status === 404;
  if (!isMissing) return undefined;
  return `This server has no login method at auth/${methodPath(given)}. Sign in another way, or enter the path of the method under Advanced.`;
}

/** Returns the validation errors of the form by field. With `token`, an empty token is an error. */
export function wrongCredentials(
  credentials: Credentials,
  token: boolean,
): Readonly<Record<string, string>> {
  if (credentials.way === "token") {
    const why = token && credentials.token.trim() === "" ? noToken : wrongToken(credentials.token);
    return why === "" ? {} : { token: why };
  }
  const at = wrongMount(methodPath(credentials));
  const missing = signInTypes[credentials.way].fields
    .filter(({ name, optional }) => !optional && (credentials.values[name] ?? "").trim() === "")
    .map(({ name, label }) => [name, `${label} is missing`] as const);
  return { ...(at && { at }), ...Object.fromEntries(missing) };
}

const noToken =
  "Enter a token that was created for you, or the root token. The server printed the path of the root token file when it first started";
