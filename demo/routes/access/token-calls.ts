import type { AuthReply, CreateTokenInput } from "../../../src/client/auth.ts";
import { call, listing, readData } from "../../api/call.ts";
import { detailedPage, type DetailedPage } from "../../api/detailed-page.ts";
import * as auth from "../../api/endpoints/auth.ts";
import { ApiError, type Reply } from "../../api/transport.ts";
import type { Self } from "../../api/token-self.ts";
import { includesRoot, namesIn } from "../../lib/settings.ts";
import { unconfirmed } from "./full-access.tsx";
import { isTokenLike } from "../../lib/token-syntax.ts";
import { seconds } from "../../lib/durations.ts";

/** Looks up a token by its accessor. */
export const tokenBy = (accessor: string): Promise<Self> =>
  readData(auth.lookupAccessor, { accessor });

/** Looks up a token by its value or its accessor. */
export const lookUp = (text: string): Promise<Self> =>
  isTokenLike(text) ? readData(auth.lookupToken, { token: text.trim() }) : tokenBy(text.trim());

/** Returns the page of tokens that begins at position `first`, without expired tokens. */
export const tokenPage = (first: number, limit: number): Promise<DetailedPage<Self>> =>
  detailedPage(
    { list: (input) => listing(auth.listAccessors, input), read: lookUpUnlessExpired },
    first,
    limit,
  );

async function lookUpUnlessExpired(accessor: string): Promise<Self | undefined> {
  try {
    return await tokenBy(accessor);
  } catch (error) {
    // ignore a token that has expired since the listing, but not a rejected lookup
    if (error instanceof ApiError && /invalid accessor/.test(error.message)) return undefined;
    throw error;
  }
}

export const renewToken = (accessor: string): Promise<Reply<AuthReply>> =>
  call(auth.renewAccessor, { accessor });

export const revokeToken = (accessor: string): Promise<Reply<unknown>> =>
  call(auth.revokeAccessor, { accessor });

/** The contents of the form for a new token. */
export interface NewToken {
  readonly display_name: string;
  /** Names of policies, one per line. */
  readonly policies: string;
  readonly ttl: string;
  /** An integer. If empty or 0, the number of uses is not limited. */
  readonly num_uses: string;
  readonly explicit_max_ttl: string;
  readonly period: string;
  readonly renewable: boolean;
  readonly orphan: boolean;
  readonly noDefault: boolean;
  readonly batch: boolean;
  /** Whether the user has confirmed the `root` policy. */
  readonly confirmed: boolean;
}

/** The initial contents of the form, for a token that expires after a day. */
export const blankToken: NewToken = {
  display_name: "",
  policies: "",
  ttl: "24h",
  num_uses: "",
  explicit_max_ttl: "",
  period: "",
  renewable: true,
  orphan: false,
  noDefault: false,
  batch: false,
  confirmed: false,
};

/** Reports whether a token would have the `root` policy. */
export const isRoot = ({ policies }: NewToken): boolean => includesRoot(policies);

/**
 * Returns the validation errors of a new token, by field. Policies are required: if they were
 * missing, the API would copy the policies of the caller's token, which may be a root token.
 */
export function wrongToken(of: NewToken): Readonly<Partial<Record<keyof NewToken, string>>> {
  const times = (["ttl", "explicit_max_ttl", "period"] as const).filter(
    (name) => of[name].trim() !== "" && seconds(of[name]) === undefined,
  );
  return {
    ...(namesIn(of.policies).length === 0 && { policies: "Choose at least one policy" }),
    ...(isRoot(of) && !of.confirmed && { confirmed: unconfirmed }),
    ...(!/^\d*$/.test(of.num_uses.trim()) && { num_uses: `${of.num_uses}: not a whole number` }),
    ...Object.fromEntries(
      times.map((name) => [name, `${of[name]}: not a duration. Enter 72h or 30m`]),
    ),
  };
}

/** Returns the request that creates a token. */
const tokenRequest = (of: NewToken): CreateTokenInput => ({
  display_name: of.display_name.trim() || undefined,
  policies: namesIn(of.policies),
  ttl: of.ttl.trim() || undefined,
  num_uses: of.batch ? undefined : Number(of.num_uses) || undefined,
  explicit_max_ttl: of.explicit_max_ttl.trim() || undefined,
  period: of.batch ? undefined : of.period.trim() || undefined,
  no_default_policy: of.noDefault || undefined,
  type: of.batch ? "batch" : undefined,
  renewable: of.batch ? undefined : of.renewable,
});

/** Creates a token from the contents of the form. */
export const createToken = (of: NewToken): Promise<Reply<AuthReply>> =>
  call(of.orphan ? auth.createOrphanToken : auth.createToken, tokenRequest(of));
