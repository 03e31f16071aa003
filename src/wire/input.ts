import { CaError } from "../base/errors.ts";
import type { AnyEndpoint, Asked, Rule } from "./endpoint.ts";
import { readShape } from "./shape.ts";

/** What a call carries, as its endpoint declares it. */
export interface Input {
  readonly input: Readonly<Record<string, unknown>>;
  /** Names of the members that the request really carried. */
  readonly sent: ReadonlySet<string>;
  /** The members as they came. */
  readonly members: Readonly<Record<string, unknown>>;
  /** What clients are told of members that had no effect; not on empty replies. */
  readonly ignored: readonly string[];
}

/** Parses the declared members and lays the path's parameters over them. */
export async function readInput(
  asked: Asked,
  params: Readonly<Record<string, string>>,
): Promise<Input> {
  const { endpoint } = asked;
  const members = await endpoint.style.read(asked);
  const names = Object.keys(members);
  const input = readShape(endpoint.body, members, names);
  const sent = new Set(names);
  for (const rule of endpoint.rules ?? []) obey(rule, sent);
  Object.assign(input, params);
  const unknown = names.filter((name) => isUnknown(name, endpoint, params)).sort();
  if (endpoint.rest) {
    input["rest"] = Object.fromEntries(unknown.map((name) => [name, members[name]]));
    return { input, sent, members, ignored: [] };
  }
  const replaced = names.filter((name) => isCaptured(name, endpoint, params));
  const ignored = [
    ...(unknown.length
      ? [`Endpoint ignored these unrecognized parameters: [${namesOf(unknown)}]`]
      : []),
    ...(replaced.length
      ? [
          `Endpoint replaced the value of these parameters with the values captured from the endpoint's path: [${replaced.join(" ")}]`,
        ]
      : []),
  ];
  return { input, sent, members, ignored };
}
const isCaptured = (
  name: string,
  { captures }: AnyEndpoint,
  params: Readonly<Record<string, string>>,
): boolean => Object.hasOwn(params, name) || captures?.includes(name) === true;
const isUnknown = (
  name: string,
  endpoint: AnyEndpoint,
  params: Readonly<Record<string, string>>,
): boolean =>
  !Object.hasOwn(endpoint.body, name) &&
  !isCaptured(name, endpoint, params) &&
  endpoint.ignores?.includes(name) !== true;

const [mostTold, longestTold] = [100, 256];
/** Names as a warning tells them: whoever sends thousands knows what they are. */
export const namesOf = (names: readonly string[]): string =>
  [
    ...names
      .slice(0, mostTold)
      .map((name) => (name.length > longestTold ? `${name.slice(0, longestTold)}…` : name)),
    ...(names.length > mostTold ? ["…"] : []),
  ].join(" ");

function obey(rule: Rule<string>, sent: ReadonlySet<string>): void {
  const names = "exactlyOne" in rule ? rule.exactlyOne : rule.together;
  const given = names.filter((name) => sent.has(name)).length;
  if ("together" in rule) {
    if (given !== 0 && given !== names.length)
      throw new CaError("malformed", `set all or none of ${names.join(", ")}`);
  } else if (given === 0)
    throw new CaError("malformed", rule.none ?? `set one of ${names.join(", ")}`);
  else if (given > 1)
    throw new CaError("malformed", rule.many ?? `set only one of ${names.join(", ")}`);
}
