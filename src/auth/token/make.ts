import { utf8 } from "../../base/bytes.ts";
import { CaError } from "../../base/errors.ts";
import type { Deployment } from "../../engine/deployment.ts";
import { tokenIndex, type TokenRow, tokenKeys } from "../rows/tokens.ts";
import type { Batch } from "../../engine/ports.ts";
import { unauthenticatedError } from "../../wire/access.ts";
import type { AuthReply } from "../../wire/outcome.ts";
import { sealBatch } from "./batch.ts";
import { dueRows } from "./ends.ts";
import { lifetimeOf, systemTtls, type TtlBounds } from "./lifetime.ts";
import { drawAccessor, drawServiceToken, hashOf } from "./secret.ts";

/** What a new token is to be. Times in seconds; 0 and being left out mean the same. */
export interface TokenSpec {
  readonly type: "service" | "batch";
  /** Names of its policies; `default` is among them where it is wanted. */
  readonly policies: readonly string[];
  /** Names of the policies that its entity brings, for the reply. */
  readonly identity_policies?: readonly string[];
  /** Path of the request that makes it, without the version prefix. */
  readonly path: string;
  readonly display_name: string;
  readonly meta?: Readonly<Record<string, string>> | null;
  readonly entity_id?: string;
  readonly role?: string;
  /** The uuid of the login method that makes it. */
  readonly method?: string;
  /** Key of the row that says what tokens of this login are like. */
  readonly source?: string;
  /** Hash of the token that makes it, and whose end is its own; absent for an orphan. */
  readonly parent?: string | undefined;
  /** As in `TokenFacts`. */
  readonly origin?: string | undefined;
  /** Whether it is told to outlive what made it; where it has no parent, unless said. */
  readonly orphan?: boolean;
  readonly ttl?: number;
  readonly max_ttl?: number;
  readonly explicit_max_ttl?: number;
  readonly period?: number;
  readonly num_uses?: number;
  /** true unless said. */
  readonly renewable?: boolean;
  readonly bound_cidrs?: readonly string[];
  /** Text of the token; drawn unless said. */
  readonly id?: string;
  /** Default and longest lifetime in the mount; those of the system unless said. */
  readonly ttls?: TtlBounds["ttls"];
}
/** A token that exists once its batch is in the store `sys`. */
export interface MadeToken {
  readonly auth: AuthReply;
  /**
   * Expects that nothing was changed that the token was made from: where it is not taken, the token
   * is to be made anew.
   */
  readonly batch: Batch;
  readonly warnings: readonly string[];
}
/**
 * Makes a token (P 9.6). Throws `forbidden` where its parent has ended, `malformed` for one that
 * cannot be made.
 */
export async function makeToken({ ports, sys }: Deployment, spec: TokenSpec): Promise<MadeToken> {
  const { row, warnings } = tokenFacts(ports, spec);
  if (spec.type === "batch") {
    const token = await sealBatch(ports.vault, row);
    if (token.length > maxBatchTokenLength)
      throw new CaError(
        "malformed",
        `the batch token would be longer than ${maxBatchTokenLength} characters: give it fewer policies or less metadata`,
      );
    return { auth: authOf(row, token, spec), batch: {}, warnings };
  }
  const token = spec.id ?? drawServiceToken(ports.random);
  const hash = await hashOf(token);
  if (utf8(JSON.stringify(row)).length > maxRowBytes)
    throw new CaError(
      "malformed",
      `the token would be larger than ${maxRowBytes} bytes: give it fewer policies or less metadata`,
    );
  const named = { ...row, accessor: drawAccessor(ports.random) };
  const keys = [tokenKeys.ends, ...(spec.parent === undefined ? [] : [parentKey(spec.parent)])];
  const [ends, parent] = await sys.store.get(keys);
  if (spec.parent !== undefined && !parent) throw unauthenticatedError("ended");
  const own = tokenRows(named, hash);
  const due = dueRows(named, ends, ports.now());
  return {
    auth: authOf(named, token, spec),
    batch: {
      // a parent that ends meanwhile has no more children
      expect: [
        ...(own.expect ?? []),
        ...(due.expect ?? []),
        ...(spec.parent === undefined
          ? []
          : [[parentKey(spec.parent), parent?.rev ?? null] as const]),
      ],
      put: [...(own.put ?? []), ...(due.put ?? [])],
    },
    warnings,
  };
}
/** All that a token of its kind would say, and what its maker would be warned of. */
export function tokenFacts(
  { now }: Pick<Deployment["ports"], "now">,
  spec: TokenSpec,
): { readonly row: TokenRow; readonly warnings: readonly string[] } {
  const { seconds, warnings } = endless(spec)
    ? { seconds: spec.explicit_max_ttl ?? 0, warnings: [] }
    : lifetimeOf(boundsOf(spec));
  return { row: rowOf(spec, Math.floor(now() / 1000), seconds), warnings };
}
/** Longest batch token: what is longer would not be looked at, and other servers cut it off. */
const maxBatchTokenLength = 8192;
/** Most bytes of what is stored of a token: it is read with every request that it is sent with. */
const maxRowBytes = 65_536;
const parentKey = (hash: string): string => tokenKeys.token(hash);

/** Tokens of the policy `root` live on where nothing was said (P 9.6). */
const endless = ({ policies, ttl = 0, period = 0 }: TokenSpec): boolean =>
  policies.includes("root") && ttl === 0 && period === 0;
const boundsOf = ({
  ttl = 0,
  period = 0,
  max_ttl = 0,
  explicit_max_ttl = 0,
  ttls = systemTtls,
}: TokenSpec): TtlBounds => ({ ttl, period, max_ttl, explicit_max_ttl, ttls, age: 0 });

function rowOf(spec: TokenSpec, created: number, seconds: number): TokenRow {
  const service = spec.type === "service";
  return {
    accessor: "",
    type: spec.type,
    policies: [...new Set(spec.policies)].sort(),
    path: spec.path,
    meta: spec.meta ?? null,
    display_name: spec.display_name,
    created,
    ttl: seconds,
    explicit_max_ttl: spec.explicit_max_ttl ?? 0,
    period: spec.period ?? 0,
    num_uses: spec.num_uses ?? 0,
    orphan: spec.orphan ?? spec.parent === undefined,
    max_ttl: maxOf(spec),
    renewable: service && seconds > 0 && spec.renewable !== false,
    entity_id: spec.entity_id ?? "",
    role: spec.role ?? "",
    bound_cidrs: spec.bound_cidrs ?? [],
    ...(seconds > 0 ? { expires: created + seconds } : {}),
    ...(spec.parent === undefined ? {} : { parent: spec.parent }),
    ...(spec.origin === undefined ? {} : { origin: spec.origin }),
    ...(service ? madeBy(spec) : {}),
  };
}
const madeBy = ({ method, source }: TokenSpec): Pick<TokenRow, "method" | "source"> => ({
  ...(method === undefined ? {} : { method }),
  ...(source === undefined ? {} : { source }),
});
/** What bounds renewals beside an explicit maximum; 0: only the system's. */
const maxOf = ({ max_ttl = 0, ttls = systemTtls }: TokenSpec): number =>
  Math.min(max_ttl || ttls.max, ttls.max);
function tokenRows(row: TokenRow, hash: string): Batch {
  const [key, accessor] = [tokenKeys.token(hash), tokenKeys.accessor(row.accessor)];
  return {
    expect: [
      [key, null],
      [accessor, null],
    ],
    put: [
      [key, row, tokenIndex(row)],
      [accessor, { token: hash }],
    ],
  };
}
/** What the holder of a token is told of it. `seconds`: until it ends. */
export const authOf = (
  row: TokenRow,
  token: string,
  { identity_policies = [], seconds = row.ttl }: AuthBeside = {},
): AuthReply => ({
  client_token: token,
  accessor: row.accessor,
  policies: [...new Set([...row.policies, ...identity_policies])].sort(),
  token_policies: row.policies,
  ...(identity_policies.length ? { identity_policies } : {}),
  metadata: row.meta,
  lease_duration: seconds,
  renewable: row.renewable,
  entity_id: row.entity_id,
  token_type: row.type,
  orphan: row.orphan,
  mfa_requirement: null,
  num_uses: row.num_uses,
});
/** What a reply tells beside the row of a token. */
interface AuthBeside {
  readonly identity_policies?: readonly string[];
  readonly seconds?: number;
}
