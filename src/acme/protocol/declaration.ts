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
 * What the payload of a request is: members of a shape; nothing, for POST-as-GET; `either` of
 * members and nothing; or `raw` members, which the handler reads.
 */
export type Payload = Shape | "post-as-get" | "either" | "raw";
/** The payload as a handler gets it. */
export type ParsedPayload<L extends Payload> = L extends Shape
  ? Parsed<L>
  : L extends "post-as-get"
    ? undefined
    : L extends "either"
      ? JsonMembers | undefined
      : JsonMembers;

/** A request that was verified: its signature, its nonce and its URL are good. */
export interface AcmeRequest<
  P extends string = string,
  L extends Payload = Payload,
  K extends KeyUse = KeyUse,
> {
  readonly ca: Mount;
  readonly config: Snapshot;
  readonly caller: Caller;
  readonly directory: Directory;
  /** Of `kid`: valid, of this directory. The batch expects its row as it was read. */
  readonly account: K extends "kid" ? Account : K extends "jwk" ? undefined : Account | undefined;
  /** Of `jwk`. */
  readonly jwk: K extends "jwk" ? NewKey : K extends "kid" ? undefined : NewKey | undefined;
  readonly payload: ParsedPayload<L>;
  readonly params: AllParams<P>;
  /** The rows of `reads`, in their order. */
  readonly rows: readonly (Row | undefined)[];
  /** Reads rows; the store is not asked again for those of `reads`. */
  readonly read: Store["get"];
  /** Unix seconds. */
  readonly now: number;
  /** What others answered whom the handler wanted asked; see `ask` of {@link AcmeAnswer}. */
  readonly answered: PolicyDecision | undefined;
}

/** What a handler makes of a request. */
export interface AcmeAnswer<R extends Shape = Shape> {
  /** A JSON document, or bytes with their own type; absent: an empty body. */
  readonly reply?: Parsed<R> | RawReply;
  /** 200 unless said. */
  readonly status?: number;
  /** By names in lower case: `location`, `retry-after`. The nonce and the link are added. */
  readonly headers?: Readonly<Record<string, string>>;
  /** In the place of the link to the directory: a reply has one (D 5). */
  readonly link?: Link;
  /** What the request changes, nothing without a payload. It expects the rows it was made from. */
  readonly batch?: Pick<Batch, "expect" | "put" | "del">;
  /**
   * In the place of a result: what others have to be asked first. It is called once, when the nonce
   * is spent and outside of what is tried again; then the handler runs with what it came to.
   */
  readonly ask?: () => Promise<PolicyDecision>;
  /** Called once the batch is in the store. */
  readonly done?: () => void;
  /** Awaited then, before the reply is given. */
  readonly after?: () => Promise<void>;
}

/** How an endpoint that takes JWS is declared. */
export interface AcmeDeclaration<
  Id extends string,
  P extends string,
  L extends Payload,
  K extends KeyUse,
  R extends Shape,
> {
  readonly id: Id;
  /** Of `acmePaths`. */
  readonly at: readonly P[];
  readonly doc: string;
  /** As in `Endpoint`. */
  readonly audits?: Audits;
  /** Whose key signs: an account's (`kid`), one that is sent (`jwk`), or either. */
  readonly key: K;
  readonly payload: L;
  readonly reply: R;
  /** Status of a success; 200 unless said. */
  readonly status?: 201 | 204;
  /** Beside those that every such endpoint may give. */
  readonly refuses?: readonly Refusal[];
  /**
   * Keys of rows to read together with the account and the nonce, so that it costs no round trip
   * more. `thumbprint`: of a key that is sent.
   */
  reads?(of: {
    readonly ca: Mount;
    readonly params: AllParams<P>;
    readonly thumbprint: string | undefined;
  }): readonly string[];
  /**
   * Computes the reply and the one batch of the request, which spends the nonce too. It may run
   * several times and must change nothing itself. A CaError that it throws spends the nonce, and
   * nothing else is stored.
   */
  run(it: AcmeRequest<P, L, K>): Promise<AcmeAnswer<R>>;
}
