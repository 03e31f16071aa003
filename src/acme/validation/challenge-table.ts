import { joinWithOr } from "../../base/choice.ts";
import { text } from "../../wire/field.ts";
import type { ChallengeName, ChallengeType } from "./challenge-type.ts";
import { dns01 } from "./dns-01.ts";
import { http01 } from "./http-01.ts";
import { tlsAlpn01 } from "./tls-alpn-01.ts";

const table = [http01, dns01, tlsAlpn01] as const;

/**
 * All challenge types in the order in which they are offered. The compiler reports a missing one.
 */
export const challengeTypes: [ChallengeName] extends [(typeof table)[number]["name"]]
  ? readonly ChallengeType[]
  : never = table;

/** Returns the challenge type of a name; undefined for a type that no longer exists. */
export const findChallengeType = (name: string): ChallengeType | undefined =>
  challengeTypes.find((type) => type.name === name);

const names = challengeTypes.map(({ name }) => name);
/** Reply field with the name of a challenge type. */
export const challengeTypeField = text.required(
  `${joinWithOr(names.map((name) => `\`${name}\``))}.`,
  names,
);
