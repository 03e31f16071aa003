import type { Refusal } from "../../base/errors.ts";
import type { Audits } from "../../wire/audits.ts";
import type { Batch, Row, Store } from "../../engine/ports.ts";
import type { Mount } from "../../engine/mount.ts";
import type { Snapshot } from "../../engine/snapshot.ts";
import type { PolicyDecision } from "../../external/issue/question.ts";
import type { Caller, RawReply } from "../../wire/endpoint.ts";
import type { Parsed, Shape } from "../../wire/field.ts";
import type { AllParams } from "../../wire/route-patterns.ts";
import type { JsonMembers } from "../../jose/jwk.ts";
import type { Directory } from "./directory.ts";
import type { Account, KeyUse, NewKey } from "./signed.ts";
import type { Link } from "./style.ts";

/**
 * The payload of a request: members of a shape, no payload for POST-as-GET, either of these, or
 * `raw` members, which the handler parses.
 */
export type Payload = Shape | "post-as-get" | "either" | "raw";
/** The payload as passed to the handler. */
export type ParsedPayload<L extends Payload> = L extends Shape
  ? Parsed<L>
  : L extends "post-as-get"
    ? undefined
    : L extends "either"
      ? JsonMembers | undefined
      : JsonMembers;

/** A verified request, with valid signature, nonce and URL. */
export interface AcmeRequest<
  P extends string = string,
  L extends Payload = Payload,
  K extends KeyUse = KeyUse,
> {
  readonly mount: Mount;
  readonly config: Snapshot;
  readonly caller: Caller;
  readonly directory: Directory;
  /** With `kid`, a valid account of this directory. The batch must expect the account's row. */
  readonly account: K extends "kid" ? Account : K extends "jwk" ? undefined : Account | undefined;
  /** With `jwk`, the key in the header. */
  readonly jwk: K extends "jwk" ? NewKey : K extends "kid" ? undefined : NewKey | undefined;
  readonly payload: ParsedPayload<L>;
  readonly params: AllParams<P>;
  /** The rows of `reads`, in the same order. */
  readonly rows: readonly (Row | undefined)[];
  /** Reads rows. Does not read the rows of `reads` a second time. */
  readonly read: Store["get"];
  /** Time of the request, Unix seconds. */
  readonly now: number;
  /**
   * The external policy service's decision, if the handler requested one; see `queryPolicy` of
   * {@link AcmeAnswer}.
   */
  readonly answered: PolicyDecision | undefined;
}

/** The result of a handler. */
export interface AcmeAnswer<R extends Shape = Shape> {
  /** A JSON document, or bytes with their own media type; if absent, the body is empty. */
  readonly reply?: Parsed<R> | RawReply;
  /** Status of the response; by default 200. */
  readonly status?: number;
  /** Headers by lower-case name, such as `location`. The nonce and link headers are added. */
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * A link to send instead of the link to the directory, because a response has only one link (D
   * 5).
   */
  readonly link?: Link;
  /**
   * The changes of the request. Absent for requests without a payload. The batch must expect the
   * rows that its changes are based on.
   */
  readonly batch?: Pick<Batch, "expect" | "put" | "del" | "log" | "upkeep">;
  /**
   * Requests an external policy decision instead of returning a result. It is called once, after
   * the nonce has been spent, and not again if the commit is retried. The handler then runs again
   * with the decision.
   */
  readonly queryPolicy?: () => Promise<PolicyDecision>;
  /**
   * ID of the account that will spend the nonce in the response; by default, the account that
   * signed the request.
   */
  readonly account?: string;
  /** Called after the commit. */
  readonly done?: () => void;
  /**
   * Called after the commit and awaited before the response. It may replace the response. If it
   * returns "again", the handler runs again, with the nonce already spent, and the last run's
   * response is sent.
   */
  readonly after?: () => Promise<"again" | AcmeAnswer<R> | void>;
}

/** The declaration of an endpoint with JWS requests. */
export interface AcmeDeclaration<
  Id extends string,
  P extends string,
  L extends Payload,
  K extends KeyUse,
  R extends Shape,
> {
  readonly id: Id;
  /** Paths, as returned by `acmePaths`. */
  readonly at: readonly P[];
  readonly doc: string;
  /** Audit settings, as in `Endpoint`. */
  readonly audits?: Audits;
  /** The signing key: an account's key (`kid`), a key in the header (`jwk`), or either. */
  readonly key: K;
  readonly payload: L;
  readonly reply: R;
  /** Status of a successful response; by default 200. */
  readonly status?: 201 | 204;
  /** Error codes in addition to those that every ACME endpoint has. */
  readonly refuses?: readonly Refusal[];
  /**
   * Returns keys of rows to read together with the account and the nonce, to save a round trip.
   * `thumbprint` is that of the key in the header, if any.
   */
  reads?(of: {
    readonly mount: Mount;
    readonly params: AllParams<P>;
    readonly thumbprint: string | undefined;
  }): readonly string[];
  /**
   * Computes the response and the batch of the request. The batch also spends the nonce. It may run
   * several times and must have no side effects. If it throws a CaError, the nonce is spent and
   * nothing else is stored.
   */
  run(it: AcmeRequest<P, L, K>): Promise<AcmeAnswer<R>>;
}
