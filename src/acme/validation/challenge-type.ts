import { CaError } from "../../base/errors.ts";
import type { AcmeChallenge, AuthzRow } from "../rows/records.ts";
import type { Proof } from "./proof.ts";

/** A challenge as it is judged. */
export interface Asked {
  readonly authz: AuthzRow;
  readonly challenge: AcmeChallenge;
  readonly proof: Proof;
}
/**
 * A refusal that no further attempt would change: the network was reached and gave an answer that
 * cannot prove the name, or may not be asked (B 5.10).
 */
export class Final extends CaError {}
