/** A pending sign-in at an identity provider, begun in this tab. */
export interface PendingSignIn {
  /** The state of the authorization request, which the response must repeat. */
  readonly state: string;
  readonly client_nonce: string;
  /** Path of the login method under `auth/`. */
  readonly at: string;
  readonly role: string;
  /** Whether the token is stored until the tab is closed. */
  readonly keep: boolean;
  /** Query and fragment of the view to return to. */
  readonly returnTo: string;
}

/** The parameters of an authorization response (RFC 6749 section 4.1.2, RFC 9207). */
export interface OidcResponse {
  readonly state: string;
  readonly code: string;
  readonly iss: string;
  readonly error: string;
  readonly description: string;
}

/**
 * Parses the query of a redirect from an identity provider. Returns undefined for any other query.
 */
export function readOidcResponse(search: string): OidcResponse | undefined {
  const query = new URLSearchParams(search);
  const text = (name: string): string => query.get(name) ?? "";
  const [state, code, error] = [text("state"), text("code"), text("error")];
  if ((state === "" || code === "") && error === "") return undefined;
  return { state, code, error, iss: text("iss"), description: text("error_description") };
}

/** Parses a stored sign-in. Returns undefined if none is stored or it is malformed. */
export function readPending(stored: string | null): PendingSignIn | undefined {
  try {
    const pending = JSON.parse(stored ?? "null") as Partial<PendingSignIn> | null;
    const { state, client_nonce, at, role, keep = false, returnTo } = { ...pending };
    return typeof state === "string" &&
      typeof client_nonce === "string" &&
      typeof at === "string" &&
      typeof role === "string" &&
      typeof returnTo === "string"
      ? { state, client_nonce, at, role, keep, returnTo }
      : undefined;
  } catch {
    return undefined;
  }
}

/** Reports whether an authorization response belongs to a sign-in. */
export const isResponseTo = (
  { state }: OidcResponse,
  pending: PendingSignIn | undefined,
): pending is PendingSignIn => pending !== undefined && pending.state === state;

/**
 * Parses the URL of an authorization request and returns it with its state. Throws if it is not an
 * https URL, because the server may be malicious.
 */
export function readAuthUrl(text: string): { readonly url: string; readonly state: string } {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const state = url?.searchParams.get("state") ?? "";
  if (url?.protocol !== "https:" || state === "")
    throw new Error("The server did not return an https URL for the identity provider.");
  return { url: url.href, state };
}

const ownFault =
  /^(?:invalid_request|unauthorized_client|unsupported_response_type|invalid_scope)$/;
const ownTrouble = /^(?:server_error|temporarily_unavailable)$/;

/**
 * Explains the error in an authorization response and what to do about it. `uri` is the redirect
 * URI.
 */
export function providerError({ error, description }: OidcResponse, uri: string): string {
  const code = error.slice(0, 64);
  const providerText = description === "" ? code : `${code}: ${description.slice(0, 200)}`;
  if (code === "access_denied")
    return `The identity provider did not sign you in (${providerText}). Either you cancelled the sign-in, or your account is not allowed to use this server. Try again, or ask your administrator.`;
  if (ownTrouble.test(code))
    return `The identity provider has a problem (${providerText}). Try again in a moment.`;
  if (ownFault.test(code))
    return `The identity provider rejected the request (${providerText}). An administrator must check the client’s scopes and the redirect URI ${uri} there.`;
  return `The identity provider did not sign you in (${providerText}). Try again, or ask your administrator.`;
}

/** The properties of a sign-in that explanations of errors mention. */
interface SignInContext extends Pick<PendingSignIn, "at" | "role"> {
  /** The redirect URI of this page. */
  readonly uri: string;
}
type Explanation = readonly [begins: RegExp, text: (of: SignInContext) => string];

const roleOf = ({ role }: SignInContext): string =>
  role === "" ? "the default role" : `role ${role}`;
const explanations: readonly Explanation[] = [
  [
    /^unauthorized redirect_uri/,
    (of) =>
      `This page’s address is not an allowed redirect URI of ${roleOf(of)}. An administrator must add ${of.uri} to its allowed_redirect_uris, and to the client at the identity provider.`,
  ],
  [
    /^permission denied/,
    ({ at }) =>
      `There is no login method with single sign-on at auth/${at}. Enter the path of one under Advanced.`,
  ],
  [
    /has the role_type jwt/,
    () => "This role accepts only JWTs. Enter a JWT, or the name of another role.",
  ],
  [/^missing role$/, ({ at }) => `auth/${at} has no default role: enter a role.`],
  [/^role ".*" could not be found/, ({ role, at }) => `There is no role ${role} at auth/${at}.`],
  [
    /^could not load configuration/,
    ({ at }) =>
      `auth/${at} is not configured yet. An administrator must set its discovery URL and client ID.`,
  ],
  [
    /^expired or missing OAuth state/,
    () => "This sign-in has expired or was already used. Sign in again.",
  ],
];

/** Explains the server's error for a sign-in. Returns undefined if the error is clear. */
export const explainSignInError = (
  { status, message }: { readonly status: number; readonly message: string },
  of: SignInContext,
): string | undefined =>
  status === 404 || status === 405
    ? `There is no login method with single sign-on at auth/${of.at}. Enter the path of one under Advanced.`
    : explanations.find(([begins]) => begins.test(message))?.[1](of);
