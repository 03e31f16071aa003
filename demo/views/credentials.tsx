import type { JSX } from "preact";
import { ways, type Credentials, type Way } from "../credentials.ts";
import { Choice, Text } from "../parts/field.tsx";

const options = Object.entries(ways).map(([way, { title }]) => [way, title] as const);
const isWay = (value: string): value is Way => value in ways;

/** How to sign in, and what that asks for. */
export function CredentialFields({
  given,
  wrong,
  change,
}: {
  given: Credentials;
  wrong: Readonly<Record<string, string>>;
  change: (given: Credentials) => void;
}): JSX.Element {
  const turn = (way: string): void =>
    change({ ...given, way: isWay(way) ? way : "token", values: {} });
  return (
    <>
      <Choice label="Sign in with" value={given.way} change={turn} options={options} />
      {given.way === "token" ? (
        <Text
          label="Token"
          type="password"
          complete="current-password"
          value={given.token}
          change={(token) => change({ ...given, token })}
          error={wrong["token"]}
          hint="Printed at the first start, kept in data/root-token. Kept here in memory until this page is closed or loaded again. Pasting and password managers work."
        />
      ) : (
        <Method given={given} wrong={wrong} change={change} />
      )}
    </>
  );
}

function Method({
  given,
  wrong,
  change,
}: {
  given: Credentials;
  wrong: Readonly<Record<string, string>>;
  change: (given: Credentials) => void;
}): JSX.Element {
  return (
    <>
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
      <Text
        label="Path of the method"
        value={given.at}
        placeholder={given.way}
        change={(at) => change({ ...given, at })}
        error={wrong["at"]}
        hint={`Where it was enabled, below auth/. Empty: ${given.way}.`}
        mono
      />
    </>
  );
}
