import { importOnce } from "../../base/memo.ts";
import { isHost, isWildcard, type NetworkChallenge } from "./challenge-type.ts";
import { challengeUrl } from "./http-location.ts";

/** Imported on demand, when a challenge is validated over the network. */
const validation = importOnce(() => import("./http-01-validation.ts"));

/**
 * http-01: the key authorization is served over HTTP at the name (RFC 8555 section 8.3, RFC 8738).
 */
export const http01: NetworkChallenge<"http-01"> = {
  name: "http-01",
  isOfferedFor: (identifier) => isHost(identifier) && !isWildcard(identifier),
  question(name, { token, keyAuthorization }, { httpPort }) {
    const url = new URL(challengeUrl(name, token));
    if (httpPort !== 80) url.port = String(httpPort);
    return { asked: url.href, expected: keyAuthorization };
  },
  needsConnection: true,
  validate: async (...attempt) => (await validation()).validateHttp01(...attempt),
};
