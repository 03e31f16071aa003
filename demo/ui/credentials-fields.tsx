import type { JSX } from "preact";
import { isWay, ways, type Credentials, type ListedMethod } from "../lib/credentials.ts";
import { Choice, Text } from "./field.tsx";
import { visible } from "../lib/format.ts";

type Option = readonly [value: string, text: string];

/** Returns the option value of a listed method; a type contains no space. */
const valueOf = ({ way, at }: ListedMethod): string => `${way} ${at}`;

/** Returns the options: a token, the listed methods, and each known type at a typed path. */
function options(listed: readonly ListedMethod[]): readonly Option[] {
  const known = Object.entries(ways).map(([way, { title }]): Option => [
    way,
    listed.length > 0 && way !== "token" ? `${title}, at a different path` : title,
  ]);
  const listedOptions = listed.map(({ way, at, description }): Option => [
    valueOf({ way, at, description }),
    `${visible(description) || ways[way].title} (auth/${visible(at)})`,
  ]);
  return [...known.slice(0, 1), ...listedOptions, ...known.slice(1)];
}

/** The login method and its fields. */
export function CredentialFields({
  given,
  listed = [],
  wrong,
  change,
}: {
  given: Credentials;
  /** The login methods that the server lists before login. */
  listed?: readonly ListedMethod[];
  wrong: Readonly<Record<string, string>>;
  change: (given: Credentials) => void;
}): JSX.Element {
  const chosen = given.listed && listed.find(({ at }) => at === given.at);
  const turn = (value: string): void => {
    const [way = "", ...path] = value.split(" ");
    const at = path.join(" ");
    change({ ...given, way: isWay(way) ? way : "token", at, listed: at !== "", values: {} });
  };
  return (
    <>
      <Choice
        label="Sign in with"
        value={chosen ? valueOf(chosen) : given.way}
        change={turn}
        options={options(listed)}
      />
      {given.way === "token" ? (
        <Text
          label="Token"
          type="password"
          complete="current-password"
          value={given.token}
          change={(token) => change({ ...given, token })}
          error={wrong["token"]}
          hint="The server prints it at its first start and stores it in data/root-token. This page keeps it in memory until it is closed or reloaded. Pasting and password managers work."
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
      {!given.listed && (
        <Text
          label="Path of the method"
          value={given.at}
          placeholder={given.way}
          change={(at) => change({ ...given, at })}
          error={wrong["at"]}
          hint={`The path where it was enabled, below auth/. If empty, ${given.way}.`}
          mono
        />
      )}
    </>
  );
}
