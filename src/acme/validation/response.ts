import { CaError } from "../../base/errors.ts";
import type { Mount } from "../../engine/mount.ts";
import type { Snapshot } from "../../engine/snapshot.ts";
import type { AcmeAnswer } from "../protocol/declaration.ts";
import { challengeObject } from "../protocol/challenge-object.ts";
import type { Directory } from "../protocol/directory.ts";
import type { Account } from "../protocol/signed.ts";
import { acmeConfig } from "../rows/config.ts";
import { acmeKeys, type AuthzRow, storedAcme } from "../rows/records.ts";
import {
  acceptChallenge,
  failChallenge,
  passChallenge,
  type AuthzChange,
} from "./challenge-state.ts";
import type { ResponseVerifier } from "./challenge-type.ts";
import { requireChallenge } from "./challenge-row.ts";
import { proofOf } from "./proof.ts";
import { resultChange } from "./result-change.ts";

/** The request that has the response. */
interface ResponseRequest {
  readonly ca: Mount;
  readonly config: Snapshot;
  readonly directory: Directory;
  readonly account: Account;
}
/** The challenge that it responds to. */
interface StoredChallenge {
  /** Id of the authorization. */
  readonly id: string;
  readonly rev: number | null;
  readonly row: AuthzRow;
  readonly type: string;
}

/**
 * Verifies a response and returns the challenge, which is then valid or invalid. The response
 * itself is not stored.
 */
export async function respond(
  { ca, config, directory, account }: ResponseRequest,
  verify: ResponseVerifier,
  { id, rev, row, type }: StoredChallenge,
): Promise<AcmeAnswer> {
  const now = ca.ports.now();
  acceptChallenge(row, type, now);
  const changed = await verifiedRow(verify, { config, account, row, type, now });
  const [order] = await ca.store.get([acmeKeys.order(row.order)]);
  const { batch, done } = await resultChange(ca, {
    id,
    type,
    changed,
    order: order && storedAcme.order(order.value),
    expect: [
      [acmeKeys.authz(id), rev],
      [acmeKeys.order(row.order), order?.rev ?? null],
    ],
    now,
  });
  return {
    reply: challengeObject(id, requireChallenge(changed.row, type), { url: directory.url }),
    link: { rel: "up", url: directory.url(`/authorization/${id}`) },
    batch,
    done,
  };
}

async function verifiedRow(
  verify: ResponseVerifier,
  {
    config,
    account: { thumbprint },
    row,
    type,
    now,
  }: Pick<ResponseRequest, "config" | "account"> &
    Pick<StoredChallenge, "row" | "type"> & { readonly now: number },
): Promise<AuthzChange> {
  const { token } = requireChallenge(row, type);
  const proof = await proofOf(token, thumbprint);
  const { identifier } = row;
  try {
    const attested = await verify({ identifier, proof, config: config.get(acmeConfig), now });
    const { row: valid } = passChallenge(row, type, now);
    return { row: { ...valid, attested } };
  } catch (error) {
    if (error instanceof CaError) return failChallenge(row, { type, fault: error }, now);
    throw error;
  }
}
