import { CaError } from "../../base/errors.ts";
import { causeSuffix } from "../../net/failure.ts";
import { digestText, recordName, sameText, type Proof } from "./proof.ts";
import { within, type Reach } from "./validation-network.ts";

/** Milliseconds for the DNS to answer (B 5.10). */
const limit = 30_000;

/**
 * Judges dns-01: one of the TXT records holds the digest (B 5.10, security row 41). Rejects with
 * CaError `dns` where the DNS failed and `incorrect_response` where no record is right.
 */
export async function judgeDns01(
  name: string,
  proof: Proof,
  reach: Pick<Reach, "resolve" | "timeout">,
  signal: AbortSignal,
): Promise<void> {
  const asked = recordName(name);
  const soon = within(reach, signal, limit);
  const records = await reach
    .resolve({ name: asked, type: "TXT" }, soon)
    .catch((cause: unknown) => {
      signal.throwIfAborted();
      const what = `the DNS gave no answer for the TXT records of ${asked}${causeSuffix(cause)}`;
      throw new CaError("dns", what, { cause });
    });
  if (records.length === 0) throw new CaError("dns", `the DNS has no TXT record of ${asked}`);
  const expected = digestText(proof);
  // all of them, so that the time does not tell which one is right
  const right = records.filter((record) => sameText(record, expected));
  if (right.length === 0)
    throw new CaError(
      "incorrect_response",
      records.length === 1
        ? `the TXT record of ${asked} is not the expected one`
        : `none of the ${records.length} TXT records of ${asked} is the expected one`,
    );
}
