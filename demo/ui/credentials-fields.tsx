import type { JSX } from "preact";
import { methodPath, signInTypes, type Credentials } from "../lib/credentials.ts";
import { Text } from "./field.tsx";

interface Props {
  credentials: Credentials;
  wrong: Readonly<Record<string, string>>;
  change: (credentials: Credentials) => void;
}

/** The fields for a way to sign in. */
export function CredentialFields({
  credentials: given,
  wrong,
  change,
  isListed,
}: Props & {
  /**
   * Whether the server lists this login method to unauthenticated callers, as is usual for methods
   * that people use.
   */
  isListed: boolean;
}): JSX.Element {
  if (given.way === "token")
    return (
      <Text
        label="Token"
        type="password"
        complete="current-password"
        value={given.token}
        change={(token) => change({ ...given, token })}
        error={wrong["token"]}
        hint="A token that was created for you. On a new server, use the root token, which is in the file data/root-token. The server printed the path of this file when it first started."
      />
    );
  const fields = signInTypes[given.way].fields.map(({ name, label, secret, complete, hint }) => (
    <Text
      key={name}
      label={label}
      type={secret ? "password" : "text"}
      {...(complete && { complete })}
      value={given.values[name] ?? ""}
      change={(value) => change({ ...given, values: { ...given.values, [name]: value } })}
      error={wrong[name]}
      hint={hint}
    />
  ));
  // if the server lists the method, people use it to sign in at its identity provider; JWTs are for
  // programs
  const isFolded = given.way === "jwt" && isListed;
  return (
    <>
      {(given.way === "oidc" || isFolded) && (
        <p class="muted">You sign in at your organization’s identity provider and return here.</p>
      )}
      {isFolded ? (
        <details>
          <summary>Role or JWT</summary>
          <div class="stack close">{fields}</div>
        </details>
      ) : (
        fields
      )}
    </>
  );
}

/** The field for the path of the login method. */
export const MethodPath = ({ credentials, wrong, change }: Props): JSX.Element => (
  <Text
    label="Path of the method"
    value={credentials.at}
    placeholder={methodPath({ way: credentials.way, at: "" })}
    change={(at) => change({ ...credentials, at })}
    error={wrong["at"]}
    hint={`Where the method is enabled, under auth/. The default is ${credentials.way}.`}
    mono
  />
);
