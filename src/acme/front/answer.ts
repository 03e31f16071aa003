import { CaError } from "../../base/errors.ts";
import { acmeKeys } from "../../engine/acme-records.ts";
import type { Batch } from "../../engine/ports.ts";
import type { Answered } from "../../external/issue/question.ts";
import type { Mount } from "../../engine/mount.ts";
import type { Snapshot } from "../../engine/snapshot.ts";
import type { Decision } from "../../engine/unit.ts";
import type { Caller, RawReply } from "../../wire/endpoint.ts";
import type { Parsed, Shape } from "../../wire/field.ts";
import type { AllParams } from "../../wire/path-params.ts";
import { readShape } from "../../wire/shape.ts";
import { type Jws, membersOf, takeApart } from "../jws/jws.ts";
import { newNonce, spend } from "../jws/nonce.ts";
import { aimOf, demandEnabled, type Directory } from "./directory.ts";
import type { AcmeAnswer, AcmeDeclaration, AcmeRequest, Payload, Read } from "./declaration.ts";
import { selectionOf } from "./selection.ts";
import { type KeyUse, verified, type Verified } from "./signed.ts";
import { expiryPlan } from "./expiry.ts";
import { acmeHeaders } from "./style.ts";

/** A request as it came. */
interface Sent<P extends string> {
  readonly ca: Mount;
  readonly caller: Caller;
  /** The JWS. */
  readonly body: Uint8Array;
  readonly params: AllParams<P>;
}
/** What became of a request whose signature is good: an answer, or a refusal. */
type Outcome<R extends Shape> = { readonly config: Snapshot; readonly directory: Directory } & (
  | { readonly made: AcmeAnswer<R> }
  | { readonly refusal: CaError }
);

/** Answers a request of a declared endpoint; see `acmeEndpoint`. */
export async function answer<
  Id extends string,
  P extends string,
  L extends Payload,
  K extends KeyUse,
  R extends Shape,
>(
  declared: AcmeDeclaration<Id, P, L, K, R>,
  sent: Sent<P>,
): Promise<Parsed<R> | RawReply | undefined> {
  const { ca, caller } = sent;
  const known = new Map<string, boolean>();
  const decided = async (answered?: Answered) => {
    const outcome = await ca.decideFor(caller, (config, heard) =>
      decide(declared, { ...sent, caller: heard, config, known, answered }),
    );
    if ("refusal" in outcome) throw outcome.refusal;
    return outcome;
  };
  const first = await decided();
  const { made, config, directory } = first.made.ask
    ? await decided(await first.made.ask())
    : first;
  await made.after?.();
  const nonce = await newNonce(ca, config, directory.prefix);
  caller.respond({
    status: made.status ?? 200,
    headers: { ...made.headers, ...acmeHeaders(nonce, directory, made.link) },
  });
  return made.reply;
}

interface Attempt<P extends string> extends Sent<P> {
  readonly config: Snapshot;
  readonly known: Map<string, boolean>;
  /** Absent before others were asked; the nonce is spent by then. */
  readonly answered: Answered | undefined;
}
async function decide<
  Id extends string,
  P extends string,
  L extends Payload,
  K extends KeyUse,
  R extends Shape,
>(
  declared: AcmeDeclaration<Id, P, L, K, R>,
  { ca, caller, body, params, config, known, answered }: Attempt<P>,
): Promise<Decision<Outcome<R>>> {
  demandEnabled(ca, config);
  const aim = aimOf(config, caller.path);
  const { directory } = aim;
  await selectionOf(config, directory);
  const jws = takeApart(membersOf(body, "the JWS"));
  const { key: use } = declared;
  const reads = (thumbprint: string | undefined) => declared.reads?.({ params, thumbprint }) ?? [];
  const isSpent = answered !== undefined;
  const judged = await verified({ ca, config, jws, aim, use, reads, known, isSpent });
  if (judged.account) caller.note({ account: judged.account.id });
  const { planned, ...spent } = spendingOf(ca, judged, isSpent);
  try {
    const { done, ...made } = await declared.run({
      ca,
      config,
      caller,
      directory,
      ...keysOf<K>(judged),
      payload: payloadOf<L>(declared.payload, jws),
      params,
      rows: judged.rows,
      now: Math.floor(ca.ports.now() / 1000),
      answered,
    });
    const batch = together(spent, made.batch);
    const stored = () => {
      planned();
      done?.();
    };
    return { reply: { made, config, directory }, batch, done: stored };
  } catch (error) {
    // whoever signed it gets no second try: the nonce is spent all the same
    if (!(error instanceof CaError) || error.code === "storage" || error.code === "busy")
      throw error;
    return { reply: { refusal: error, config, directory }, batch: spent, done: planned };
  }
}

/**
 * What every verified request changes: its nonce is spent, where it is not yet, while the account
 * is as it was.
 */
function spendingOf(ca: Mount, { nonce, account }: Verified, isSpent: boolean): Spending {
  const same: Spent["expect"] = account ? [[acmeKeys.account(account.id), account.rev]] : [];
  if (isSpent) return { expect: same, put: [], planned: () => undefined };
  const { expect, put } = spend(nonce.text, nonce.made);
  const plan = expiryPlan(ca);
  return { expect: [...expect, ...same], put: [...put, ...plan.put], planned: plan.done };
}
type Spent = Required<Pick<Batch, "expect" | "put">>;
interface Spending extends Spent {
  /** To be called once it is stored. */
  planned(): void;
}
/** Both changes as one. A row that both expect is expected once. */
function together(spent: Spent, own: AcmeAnswer["batch"]): Batch {
  if (!own) return spent;
  const named = new Set(own.expect?.map(([key]) => key));
  return {
    ...own,
    expect: [...(own.expect ?? []), ...spent.expect.filter(([key]) => !named.has(key))],
    put: [...(own.put ?? []), ...spent.put],
  };
}

/** The keys of a request: which of them are there was judged by the declaration. */
const keysOf = <K extends KeyUse>({ account, jwk }: Verified) =>
  ({ account, jwk }) as Pick<AcmeRequest<string, Payload, K>, "account" | "jwk">;

/** The payload as it is declared. Throws CaError `malformed`. */
function payloadOf<L extends Payload>(declared: L, { payload }: Jws): Read<L> {
  return readPayload(declared, payload) as Read<L>;
}
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
  const members = membersOf(payload, "the payload");
  return typeof declared === "string"
    ? members
    : readShape(declared, members, Object.keys(members));
}
