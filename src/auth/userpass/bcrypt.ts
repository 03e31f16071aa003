import { hash } from "bcrypt-ts/browser";
import { utf8 } from "../../base/bytes.ts";
import { costOf } from "./imported-hash.ts";
import { equalInTime } from "./password.ts";

/** Maximum number of bytes of a password that bcrypt reads. */
const maxBytes = 72;
/**
 * Length in characters of the part with version, cost and salt, and of the hash that follows it.
 */
const [saltLength, hashLength] = [29, 31];
/** Salt for dummy hashing, whose only purpose is to take time. */
const noSalt = "a".repeat(21).concat("u");

/**
 * Verifies a password against a bcrypt hash. A password that bcrypt would truncate, or that
 * contains the terminator of other implementations, fails after the same work.
 */
export async function isPasswordOf(password: string, stored: string): Promise<boolean> {
  const bytes = utf8(password);
  const computed = await hash(password, stored.slice(0, saltLength));
  const isSame = equalInTime(utf8(computed.slice(-hashLength)), utf8(stored.slice(-hashLength)));
  return isSame && bytes.length <= maxBytes && !bytes.includes(0);
}

/**
 * Performs dummy hashing, so that the total work equals one hash of cost `highest`. `done` is the
 * hash that was already computed, if any.
 */
export async function fillUp(password: string, done: string | undefined, highest: number) {
  // each cost doubles the work: 2^5 + 2^5 + 2^6 is 2^7
  const costs =
    done === undefined
      ? [highest]
      : Array.from({ length: highest - costOf(done) }, (_, i) => costOf(done) + i);
  for (const cost of costs) await hash(password, `$2b$${String(cost).padStart(2, "0")}$${noSalt}`);
}
