import type { JSX } from "preact";
import { methodPath, ways, type Credentials } from "../lib/credentials.ts";
import { Text } from "./field.tsx";

interface Props {
  given: Credentials;
  wrong: Readonly<Record<string, string>>;
  change: (given: Credentials) => void;
}

/** The fields of a way to sign in. */
export function CredentialFields({ given, wrong, change }: Props): JSX.Element {
  if (given.way === "token")
    return (
      <Text
        label="Token"
        type="password"
        complete="current-password"
        value={given.token}
        change={(token) => change({ ...given, token })}
        error={wrong["token"]}
        hint="A token that was created for you. For the setup of a new server: the root token, in the file that it printed at its first start, such as data/root-token."
      />
    );
  return (
    <>
      {given.way === "oidc" && (
        <p class="muted">You sign in at your organization’s identity provider and return here.</p>
      )}
      {ways[given.way].fields.map(({ name, label, secret, complete, hint }) => (
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
      ))}
    </>
  );
}

/** The path of the login method. */
export const MethodPath = ({ given, wrong, change }: Props): JSX.Element => (
  <Text
    label="Path of the method"
    value={given.at}
    placeholder={methodPath({ way: given.way, at: "" })}
    change={(at) => change({ ...given, at })}
    error={wrong["at"]}
    hint={`Where the method is enabled, below auth/. If empty, ${given.way}.`}
    mono
  />
);
