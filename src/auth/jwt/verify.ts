import type { Ports } from "../../engine/ports.ts";
import { keysOf, type KeySource } from "./key-source.ts";
import {
  isJwtAlgorithm,
  JwtFault,
  takeJwtApart,
  type JwtAlgorithm,
  type Members,
} from "../../jose/compact.ts";
import { goesWith, jose, type VerifyKey } from "./verify-key.ts";

/** Signatures that are verified for one token: of a set without names all keys are tried. */
const mostTried = 8;

/**
 * The claims of a JWT that was signed by one of the source's keys, under an algorithm of `taken`.
 * What the claims say is for others to judge. Throws {@link JwtFault}, and CaError `busy` where the
 * keys cannot be read now.
 */
export async function verifiedClaims(
  ports: Ports,
  source: KeySource,
  taken: readonly string[],
  text: string,
): Promise<Members> {
  const { alg, kid, claims } = takeJwtApart(text);
  if (taken.length > 0 && !taken.includes(alg))
    throw new JwtFault("the algorithm of the token is none that this login method takes");
  const all = await keysOf(ports, source, source.from === "pinned" ? undefined : kid);
  const named =
    kid === undefined || source.from === "pinned" ? all : all.filter((key) => key.kid === kid);
  if (named.length === 0) throw new JwtFault("no key has the name that the token gives");
  const fit = named.filter((key) => goesWith(key, alg));
  for (const key of fit.slice(0, mostTried)) if (await hasSigned(key, alg, text)) return claims;
  throw new JwtFault(
    fit.length > 0
      ? "the signature of the token is not by a key of this login method"
      : "the algorithm of the token does not go with the key",
  );
}

async function hasSigned(key: VerifyKey, alg: JwtAlgorithm, text: string): Promise<boolean> {
  const { compactVerify } = await jose();
  try {
    const { protectedHeader } = await compactVerify(text, await key.load(alg), {
      algorithms: [alg],
    });
    return isJwtAlgorithm(protectedHeader.alg);
  } catch {
    // whatever is wrong with a key of another server or with a signature: it proves nothing
    return false;
  }
}
