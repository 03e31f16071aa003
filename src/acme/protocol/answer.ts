import { CaError } from "../../base/errors.ts";
import type { Row } from "../../engine/ports.ts";
import type { PolicyDecision } from "../../external/issue/question.ts";
import type { Mount } from "../../engine/mount.ts";
import type { Snapshot } from "../../engine/snapshot.ts";
import type { Decision } from "../../engine/store-context.ts";
import type { Caller, RawReply } from "../../wire/endpoint.ts";
import type { Parsed, Shape } from "../../wire/field.ts";
import type { AllParams } from "../../wire/route-patterns.ts";
import { preparedOf, readShape } from "../../wire/shape.ts";
import { parseMembers, parseFlattened } from "../../jose/flattened.ts";
import { newNonce } from "./nonce.ts";
import { aimOf, requireAcmeEnabled, type Directory } from "./directory.ts";
import type {
  AcmeAnswer,
  AcmeDeclaration,
  AcmeRequest,
  Payload,
  ParsedPayload,
} from "./declaration.ts";
import { setMembers } from "./fields.ts";
import { selectionOf } from "./selection.ts";
import {
  type VerificationContext,
  type KeyUse,
  verifyRequest,
  type VerifiedRequest,
  nameAccount,
} from "./signed.ts";
import {
  changeOf,
  computeFromRows,
  isNonceBeside,
  readOnlyChange,
  readingOf,
  spendingOf,
} from "./request-change.ts";
import { acmeHeaders } from "./style.ts";

/** A request whose JWS has not been verified yet. */
interface UnverifiedRequest<P extends string> {
  readonly mount: Mount;
  readonly caller: Caller;
  /** The JWS. */
  readonly body: Uint8Array;
  readonly params: AllParams<P>;
}
/**
 * The result of a request with a valid signature: a response, an error, or a function that computes
 * the response from the rows that were read as the nonce was spent. With `hasSpent`, only the nonce
 * was spent, and another attempt decides the request.
 */
type Outcome<R extends Shape> = {
  readonly config: Snapshot;
  readonly directory: Directory;
  /** ID of the account that signed the request. */
  readonly account: string | undefined;
} & (
  | { readonly answer: AcmeAnswer<R> }
  | { readonly refusal: CaError }
  | { readonly computeAnswer: () => Promise<AcmeAnswer<R>> }
  | { readonly hasSpent: true }
);
/** The state that all attempts to process a request share. */
interface Attempts {
  /** Results of signature checks by key thumbprint. */
  readonly signatureChecks: Map<string, boolean>;
  /** True if an attempt used a cached account, which may be out of date. */
  usedCachedAccount: boolean;
}

/** Maximum number of times that a handler runs again; see `after` of `AcmeAnswer`. */
const maxRuns = 5;

/** Handles a request to a declared endpoint; see `acmeEndpoint`. */
export async function answerAcme<
  Id extends string,
  P extends string,
  L extends Payload,
  K extends KeyUse,
  R extends Shape,
>(
  declared: AcmeDeclaration<Id, P, L, K, R>,
  sent: UnverifiedRequest<P>,
): Promise<Parsed<R> | RawReply | undefined> {
  const { mount, caller } = sent;
  const attempts: Attempts = { signatureChecks: new Map(), usedCachedAccount: false };
  const attemptWith = (answered: PolicyDecision | undefined, isSpent: boolean) =>
    mount.decideFor(caller, (config, buffered) =>
      decide(declared, { ...sent, caller: buffered, config, attempts, answered, isSpent }),
    );
  const decided = async (answered?: PolicyDecision, isSpent = true) => {
    let outcome = await attemptWith(answered, isSpent);
    if ("hasSpent" in outcome) outcome = await attemptWith(answered, true);
    if ("refusal" in outcome) throw outcome.refusal;
    if ("hasSpent" in outcome) throw new TypeError("a nonce was spent twice");
    return "computeAnswer" in outcome
      ? { ...outcome, answer: await outcome.computeAnswer() }
      : outcome;
  };
  let outcome = await decided(undefined, false);
  let answered: PolicyDecision | undefined;
  let replaced: AcmeAnswer<R> | undefined;
  for (let left = maxRuns; ; left--) {
    const { queryPolicy, after } = outcome.answer;
    if (queryPolicy) answered = await queryPolicy();
    else {
      const next = await after?.();
      if (typeof next === "object") replaced = next;
      if (next !== "again") break;
    }
    if (left === 0) throw new CaError("busy", "the order keeps changing; try again");
    outcome = await decided(answered);
  }
  const { answer: own, config, directory } = outcome;
  const answer = replaced ?? own;
  const { account = outcome.account } = answer;
  const nonce = await newNonce(mount, config, { directory: directory.prefix, account });
  caller.reply.respond({
    status: answer.status ?? 200,
    headers: { ...answer.headers, ...acmeHeaders(nonce, directory, answer.link) },
  });
  return answer.reply;
}

interface Attempt<P extends string> extends UnverifiedRequest<P> {
  readonly config: Snapshot;
  readonly attempts: Attempts;
  /** The external policy service's decision; undefined until the service has responded. */
  readonly answered: PolicyDecision | undefined;
  /** Whether an earlier run of the handler spent the nonce. */
  readonly isSpent: boolean;
}
/** The signer of a request. The endpoint declares which of the members are present. */
type Signer<K extends KeyUse> = Pick<AcmeRequest<string, Payload, K>, "account" | "jwk">;
async function decide<
  Id extends string,
  P extends string,
  L extends Payload,
  K extends KeyUse,
  R extends Shape,
>(declared: AcmeDeclaration<Id, P, L, K, R>, attempt: Attempt<P>): Promise<Decision<Outcome<R>>> {
  const { mount, caller, body, params, config, answered, isSpent } = attempt;
  requireAcmeEnabled(mount, config);
  const aim = aimOf(config, caller.path);
  const { directory } = aim;
  await selectionOf(config, directory);
  const jws = parseFlattened(parseMembers(body, "the JWS"));
  const verified = await verifiedRequest(declared, attempt, { aim, jws });
  const { account } = verified;
  if (account) nameAccount(caller, account.id, account);
  const at = { config, directory, account: account?.id };
  if (!isSpent && !isNonceBeside(mount, verified)) {
    const { batch, planned } = spendingOf(mount, { nonce: verified.nonce }, isSpent);
    return { reply: { hasSpent: true, ...at }, batch, done: planned };
  }
  const spending = spendingOf(mount, verified, isSpent);
  const of = { mount, config, caller, directory, params, answered };
  const run = (rows: readonly (Row | undefined)[]) =>
    declared.run({
      ...of,
      ...({ account, jwk: verified.jwk } as Signer<K>),
      payload: readPayload(declared.payload, jws.payload) as ParsedPayload<L>,
      rows,
      read: readingOf(mount.store, verified.keys, rows),
      now: Math.floor(mount.ports.now() / 1000),
    });
  if (!verified.rows) {
    const read = { store: mount.store, config };
    const { computeAnswer, ...change } = readOnlyChange(read, verified.keys, spending, run);
    return { reply: { computeAnswer, ...at }, ...change };
  }
  try {
    const answer = await computeFromRows(mount.store, verified, run);
    return { reply: { answer, ...at }, ...changeOf(config, verified, spending, answer) };
  } catch (error) {
    // the error is returned rather than thrown, so that the nonce is spent
    if (!(error instanceof CaError) || error.code === "storage" || error.code === "busy")
      throw error;
    return { reply: { refusal: error, ...at }, ...changeOf(config, verified, spending, {}) };
  }
}

/** Verifies a request. On the first attempt, uses a cached account if there is one. */
async function verifiedRequest<
  Id extends string,
  P extends string,
  L extends Payload,
  K extends KeyUse,
  R extends Shape,
>(
  { key: use, reads: rowKeys }: AcmeDeclaration<Id, P, L, K, R>,
  { mount, config, params, attempts, isSpent }: Attempt<P>,
  { aim, jws }: Pick<VerificationContext, "aim" | "jws">,
): Promise<VerifiedRequest> {
  const reads = (thumbprint: string | undefined) => rowKeys?.({ mount, params, thumbprint }) ?? [];
  const mayUseCache = !isSpent && !attempts.usedCachedAccount;
  const { signatureChecks } = attempts;
  const verified = await verifyRequest({
    mount,
    config,
    jws,
    aim,
    use,
    reads,
    signatureChecks,
    isSpent,
    mayUseCache,
  });
  attempts.usedCachedAccount ||= verified.usesCachedAccount;
  return verified;
}

/** Parses the payload as declared. Throws CaError `malformed`. */
function readPayload(declared: Payload, payload: Uint8Array): unknown {
  const isEmpty = payload.length === 0;
  if (declared === "post-as-get") {
    if (!isEmpty) throw new CaError("malformed", "the payload must be empty: this is POST-as-GET");
    return undefined;
  }
  if (isEmpty) {
    if (declared === "either") return undefined;
    throw new CaError("malformed", "the payload must be a JSON object");
  }
  const sent = parseMembers(payload, "the payload");
  // the payload of a key change is a JWS, whose parser checks all members
  if (declared === "raw") return sent;
  const members = setMembers(sent);
  return declared === "either"
    ? members
    : readShape(preparedOf(declared), members, Object.keys(members));
}
