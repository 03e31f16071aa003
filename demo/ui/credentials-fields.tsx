import type { JSX } from "preact";
import { methodPath, signInTypes, type Credentials } from "../lib/credentials.ts";
import { Text } from "./field.tsx";

interface Props {
  credentials: Credentials;
  wrong: Readonly<Record<string, string>>;
  change: (credentials: Credentials) => void;
}

/** The fields of a way to sign in. */
export function CredentialFields({ credentials, wrong, change }: Props): JSX.Element {
  if (credentials.way === "token")
    return (
      <Text
        label="Token"
        type="password"
        complete="current-password"
        value={credentials.token}
        change={(token) => change({ ...credentials, token })}
        error={wrong["token"]}
        hint="A token that was created for you. For the setup of a new server: the root token, in the file that it printed at its first start, such as data/root-token."
      />
    );
  return (
    <>
      {credentials.way === "oidc" && (
        <p class="muted">You sign in at your organization’s identity provider and return here.</p>
      )}
      {signInTypes[credentials.way].fields.map(({ name, label, secret, complete, hint }) => (
        <Text
          key={name}
          label={label}
          type={secret ? "password" : "text"}
          {...(complete && { complete })}
          value={credentials.values[name] ?? ""}
          change={(value) =>
            change({ ...credentials, values: { ...credentials.values, [name]: value } })
          }
          error={wrong[name]}
          hint={hint}
        />
      ))}
    </>
  );
}

/** The path of the login method. */
export const MethodPath = ({ credentials, wrong, change }: Props): JSX.Element => (
  <Text
    label="Path of the method"
    value={credentials.at}
    placeholder={methodPath({ way: credentials.way, at: "" })}
    change={(at) => change({ ...credentials, at })}
    error={wrong["at"]}
    hint={`Where the method is enabled, below auth/. If empty, ${credentials.way}.`}
    mono
  />
);
