import { CaError } from "../../base/errors.ts";
import { uuid } from "../../base/ids.ts";
import type { Mount } from "../../engine/mount.ts";
import type { Snapshot } from "../../engine/snapshot.ts";
import { challengeObject, claimTime, isClaimed } from "../protocol/challenge-object.ts";
import type { AcmeAnswer } from "../protocol/declaration.ts";
import type { Directory } from "../protocol/directory.ts";
import { type Account, requireActiveAccount } from "../protocol/signed.ts";
import { acmeConfig } from "../rows/config.ts";
import { acmeKeys, type AttestedKey, type AuthzRow, storedAcme } from "../rows/records.ts";
import { attestationSlot, slotChange } from "./attestation-limit.ts";
import { validationPut } from "./authz-put.ts";
import { requireChallenge } from "./challenge-row.ts";
import {
  acceptChallenge,
  claimChallenge,
  failChallenge,
  passChallenge,
  retryAfterOf,
  type AuthzChange,
} from "./challenge-state.ts";
import type { ResponseVerifier } from "./challenge-type.ts";
import { currentConfig } from "./current-config.ts";
import { proofOf } from "./proof.ts";
import { resultChange } from "./result-change.ts";

/** The request that contains the response to a challenge. */
interface ResponseRequest {
  readonly mount: Mount;
  readonly directory: Directory;
  readonly account: Account;
}
/** The challenge to which a request responds. */
interface StoredChallenge {
  /** ID of the authorization. */
  readonly id: string;
  readonly rev: number | null;
  readonly row: AuthzRow;
  readonly type: string;
}

/**
 * Claims the challenge in a commit, then verifies the response, and returns the valid or invalid
 * challenge. While another request has the claim, returns the challenge as `processing`, so that
 * parallel responses are verified once. The response itself is not stored.
 */
export async function respond(
  request: ResponseRequest,
  verify: ResponseVerifier,
  challenge: StoredChallenge,
): Promise<AcmeAnswer> {
  const { mount, account } = request;
  const { id, rev, row, type } = challenge;
  const now = mount.ports.now();
  if (isClaimed(requireChallenge(row, type), now)) return challengeAnswer(request, challenge);
  acceptChallenge(row, type, now);
  const slot = await attestationSlot(mount, account.id);
  const counted = slotChange(slot);
  const claim = { id: uuid(mount.ports.random), until_ms: now + claimTime };
  const claimed = claimChallenge(row, type, claim);
  return {
    ...challengeAnswer(request, { ...challenge, row: claimed }),
    batch: {
      expect: [[acmeKeys.authz(id), rev], ...counted.expect],
      put: [...validationPut({ id, changed: { row: claimed }, now }), ...counted.put],
    },
    after: () =>
      storeResult(request, verifierOf(verify, { row, type, now }), {
        id,
        type,
        claim: claim.id,
        slot: slot.key,
      }),
  };
}

function challengeAnswer(
  { mount, directory }: Pick<ResponseRequest, "mount" | "directory">,
  { id, row, type }: Pick<StoredChallenge, "id" | "row" | "type">,
): AcmeAnswer {
  const now = mount.ports.now();
  const wait = retryAfterOf(row, now);
  return {
    reply: challengeObject(id, requireChallenge(row, type), { url: directory.url, now }),
    headers: wait === undefined ? {} : { "retry-after": String(wait) },
    link: { rel: "up", url: directory.url(`/authorization/${id}`) },
  };
}

/** A function that returns the key that a response attests, or the reason why it is rejected. */
type Verification = (config: Snapshot, thumbprint: string) => Promise<AttestedKey | CaError>;
/** Returns the function that verifies a response. It caches the result for the latest arguments. */
function verifierOf(
  verify: ResponseVerifier,
  { row, type, now }: Pick<StoredChallenge, "row" | "type"> & { readonly now: number },
): Verification {
  const { token } = requireChallenge(row, type);
  let last: { readonly of: readonly unknown[]; readonly result: AttestedKey | CaError } | undefined;
  return async (config, thumbprint) => {
    if (last?.of[0] === config && last.of[1] === thumbprint) return last.result;
    const proof = await proofOf(token, thumbprint);
    const { identifier } = row;
    const result = await verify({ identifier, proof, config: config.get(acmeConfig), now }).catch(
      (error: unknown) => {
        if (error instanceof CaError) return error;
        throw error;
      },
    );
    last = { of: [config, thumbprint], result };
    return result;
  };
}

/** A challenge that this request has claimed, so that no other request verifies it. */
interface ClaimedChallenge {
  /** ID of the authorization. */
  readonly id: string;
  readonly type: string;
  /** ID of the claim. */
  readonly claim: string;
  /** Key of the row that counts the attestation. */
  readonly slot: string;
}
/**
 * Verifies a response under the current configuration and stores the result, unless the claim has
 * been lost. A valid response no longer counts towards the limit.
 */
function storeResult(
  request: ResponseRequest,
  verification: Verification,
  { id, type, claim, slot }: ClaimedChallenge,
): Promise<AcmeAnswer> {
  const { mount, account } = request;
  return mount.storeContext.change<AcmeAnswer>(async () => {
    const config = await currentConfig(mount);
    const keys = [acmeKeys.authz(id), acmeKeys.account(account.id)] as const;
    const [authz, owner] = await mount.store.get(keys);
    if (!authz || !owner) throw new CaError("malformed", "the authorization no longer exists");
    const [row, current] = [storedAcme.authz(authz.value), storedAcme.account(owner.value)];
    requireActiveAccount(current, config);
    const now = mount.ports.now();
    if (requireChallenge(row, type).claim?.id !== claim)
      return { reply: challengeAnswer(request, { id, row, type }) };
    acceptChallenge(row, type, now);
    const result = await verification(config, current.thumbprint);
    const changed = changedBy(result, { row, type }, now);
    const [order] = await mount.store.get([acmeKeys.order(row.order)]);
    const { batch, done } = await resultChange(mount, {
      id,
      type,
      changed,
      order: order && storedAcme.order(order.value),
      expect: [
        [keys[0], authz.rev],
        [keys[1], owner.rev],
        [acmeKeys.order(row.order), order?.rev ?? null],
      ],
      now,
    });
    const del = [...(batch.del ?? []), ...(result instanceof CaError ? [] : [slot])];
    return {
      reply: challengeAnswer(request, { id, row: changed.row, type }),
      batch: { ...batch, del, onlyAtEpoch: config.epoch },
      done,
    };
  });
}

function changedBy(
  result: AttestedKey | CaError,
  { row, type }: Pick<StoredChallenge, "row" | "type">,
  now: number,
): AuthzChange {
  if (result instanceof CaError) return failChallenge(row, { type, fault: result }, now);
  const { row: valid } = passChallenge(row, type, now);
  return { row: { ...valid, attested: result } };
}
