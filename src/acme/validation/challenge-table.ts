import { joinWithOr } from "../../base/choice.ts";
import { text } from "../../wire/field.ts";
import type { ChallengeType, NetworkChallenge } from "./challenge-type.ts";
import { deviceAttest01 } from "./device-attest-01.ts";
import { dns01 } from "./dns-01.ts";
import { dnsAccount01 } from "./dns-account-01.ts";
import { dnsPersist01 } from "./dns-persist-01.ts";
import { http01 } from "./http-01.ts";
import { tlsAlpn01 } from "./tls-alpn-01.ts";

const ofNetwork = [http01, dns01, tlsAlpn01, dnsAccount01, dnsPersist01] as const;
const table = [...ofNetwork, deviceAttest01] as const;

/** Name of a challenge type. */
export type ChallengeName = (typeof table)[number]["name"];
/** Name of a challenge type whose proof the server fetches. */
export type NetworkChallengeName = (typeof ofNetwork)[number]["name"];

/** All challenge types in the order in which they are offered. */
export const challengeTypes: readonly ChallengeType<ChallengeName>[] = table;

/**
 * Returns the challenge type with the given name, or undefined for a type that no longer exists.
 */
export const findChallengeType = (name: string): ChallengeType<ChallengeName> | undefined =>
  challengeTypes.find((type) => type.name === name);

/**
 * Returns the challenge type with the given name, if the server fetches its proof; otherwise
 * undefined.
 */
export const findNetworkChallenge = (
  name: string,
): NetworkChallenge<NetworkChallengeName> | undefined =>
  ofNetwork.find((type) => type.name === name);

/** Names of all challenge types. */
export const challengeNames = challengeTypes.map(({ name }) => name);
/** Reply field with the name of a challenge type. */
export const challengeTypeField = text.required(
  `${joinWithOr(challengeNames.map((name) => `\`${name}\``))}.`,
  challengeNames,
);
