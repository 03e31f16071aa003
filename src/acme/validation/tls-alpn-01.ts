import { toHex } from "../../base/bytes.ts";
import { importOnce } from "../../base/memo.ts";
import { hostOf, isHost, isWildcard, type NetworkChallenge } from "./challenge-type.ts";

/** Imported on demand, when a challenge is validated over the network. */
const validation = importOnce(() => import("./tls-alpn-01-validation.ts"));

/** tls-alpn-01: a certificate for the name contains the digest (RFC 8737, RFC 8738). */
export const tlsAlpn01: NetworkChallenge<"tls-alpn-01"> = {
  name: "tls-alpn-01",
  isOfferedFor: (identifier) => isHost(identifier) && !isWildcard(identifier),
  question: (name, { digest }, { tlsPort }) => ({
    asked: `${hostOf(name)}:${tlsPort}`,
    expected: toHex(digest),
  }),
  needsConnection: true,
  validate: async (...attempt) => (await validation()).validateTlsAlpn01(...attempt),
};
