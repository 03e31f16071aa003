import { CaError } from "../../base/errors.ts";
import { kindOf } from "../../engine/cache.ts";
import type { Deployment } from "../../engine/deployment.ts";
import { belowPlatform, platformKeys, tokenIndex } from "../../engine/platform-records.ts";
import type { TokenFacts, TokenRow } from "../../engine/platform-records.ts";
import type { Identity, Row } from "../../engine/ports.ts";
import { stored } from "../../engine/stored.ts";
import { inRange } from "../../x509/address.ts";
import type { Call } from "../../wire/call.ts";
import { allowedBy } from "./acl.ts";
import { openBatch } from "./batch.ts";
import { holderOf } from "./entity.ts";
import { batchPrefix, hashOf } from "./secret.ts";

/** Longest token that is looked at. */
export const longestToken = 8192;
/** A token of the store as it was read. */
interface Held {
  readonly row: TokenRow;
  readonly rev: number;
}
const services = kindOf<Held>(10_000, [belowPlatform.tokens]);
const batches = kindOf<TokenRow>(1000);
/** How often a use is counted anew while others are. */
const countTries = 500;

/**
 * Who sends a call below `/v1`, by its token: `Ports` is asked first, then the token store. A token
 * that is unknown, has ended, was used up, or may not be used from where the call comes, belongs to
 * nobody. Throws `header_too_large`.
 */
export async function identify(deployment: Deployment, call: Call): Promise<Identity | undefined> {
  const { token } = call;
  if (token === undefined || token === "") return undefined;
  if (token.length > longestToken)
    throw new CaError("header_too_large", `the token is longer than ${longestToken} bytes`);
  const known = await deployment.ports.authenticate(token);
  if (known) return known;
  const hash = await hashOf(token);
  const row = await (token.startsWith(batchPrefix)
    ? batchUsed(deployment, call, token)
    : serviceUsed(deployment, call, hash));
  if (row) return identityOf(deployment, row.accessor === "" ? row : { ...row, hash });
  // what was found in memory must not be refused sooner than what the store was asked for
  await deployment.sys.store.get([platformKeys.token(hash)]);
  return undefined;
}

/** A token of the store that may be used, its use counted; undefined for any other. */
async function serviceUsed(
  deployment: Deployment,
  call: Call,
  hash: string,
): Promise<TokenRow | undefined> {
  const { sys } = deployment;
  const key = platformKeys.token(hash);
  const read = async () => heldIn((await sys.store.get([key]))[0]);
  let held = await sys.cache.recent(services, hash, read);
  if (!held || !isUsable(held.row, call, deployment.ports.now())) return undefined;
  if (held.row.num_uses === 0) return held.row;
  for (let tries = 0; tries < countTries; tries++) {
    // those with a use count are always asked of the store (D 4)
    held = await read();
    if (!held || !isUsable(held.row, call, deployment.ports.now())) return undefined;
    const row: TokenRow = { ...held.row, num_uses: held.row.num_uses - 1 || -1 };
    const put = [[key, row, tokenIndex(row)]] as const;
    if (await sys.commit({ expect: [[key, held.rev]], put })) return row;
  }
  throw new CaError("busy", "the token is used by too many requests at once; try again");
}
const heldIn = (row: Row | undefined): Held | undefined =>
  row && { row: stored.token(row.value), rev: row.rev };

/** A batch token that may be used; undefined for any other. */
async function batchUsed(
  deployment: Deployment,
  call: Call,
  token: string,
): Promise<TokenRow | undefined> {
  const { ports, sys } = deployment;
  const row = await sys.cache.recent(batches, token, async () => openBatch(ports.vault, token));
  return row && isUsable(row, call, ports.now()) ? row : undefined;
}

/** Whether a token has neither ended nor been used up. `now`: Unix milliseconds. */
export const isAlive = ({ expires, num_uses }: TokenRow, now: number): boolean =>
  (expires === undefined || now < expires * 1000) && num_uses >= 0;
/** Addresses are those that the platform tells (security row 53). */
const isUsable = (row: TokenRow, { peer }: Call, now: number): boolean =>
  isAlive(row, now) &&
  (row.bound_cidrs.length === 0 ||
    row.bound_cidrs.some((range) => inRange(peer?.address ?? "", range)));

/** Who holds a token that may be used. */
export async function identityOf(deployment: Deployment, row: TokenFacts): Promise<Identity> {
  const holder = row.entity_id === "" ? undefined : await holderOf(deployment, row.entity_id);
  const policies = holder
    ? [...new Set([...row.policies, ...holder.policies])].sort()
    : row.policies;
  const allowed = await allowedBy(deployment, policies, holder?.entity);
  const named = row.accessor === "" ? {} : { accessor: row.accessor };
  return {
    id: row.accessor === "" ? row.display_name : `${row.display_name} ${row.accessor}`,
    policies,
    ...(holder ? { entity: holder.entity } : {}),
    ...(row.expires === undefined ? {} : { expires: row.expires * 1000 }),
    ...named,
    token: row,
    can: (capability, path) => allowed.can(capability, path),
    permits: (asked) => allowed.permits(asked),
  };
}
