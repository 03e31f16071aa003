import type { Store, Stores } from "../../src/engine/ports.ts";
import type { Authority, Clock } from "../support/authority.ts";

/** A commit that fails, and its effect. */
export interface CommitFault {
  /** Number of the commit in the step, one-based. */
  readonly at: number;
  /** True if it is applied and only its response is lost. */
  readonly isDone: boolean;
  /** True if the engine dies with it; otherwise later commits succeed. */
  readonly ends: boolean;
}
export type IssuerName = "root" | "below";
/** An issuer in the model. */
export interface ModelIssuer {
  readonly name: IssuerName;
  readonly id: string;
  readonly pem: string;
  readonly serial: string;
  readonly spki: Uint8Array;
  /** Its subject, DER. */
  readonly subject: Uint8Array;
  readonly shard: string | undefined;
  /** Unix milliseconds. */
  readonly notBefore: number;
  isHere: boolean;
  signsLists: boolean;
  isRevoked: boolean;
}
/** A certificate in the model. */
export interface Issued {
  /** Hexadecimal, without colons. */
  readonly serial: string;
  readonly issuer: IssuerName;
  /** The shard named by its distribution point, and that point. */
  readonly shard: string | undefined;
  readonly point: string;
  /** Unix milliseconds. */
  readonly notAfter: number;
  /** `unknown` while a call is in progress, `gone` after it was tidied. */
  state: "good" | "unknown" | "revoked" | "gone";
  /** Revocation time, Unix milliseconds. */
  at: number;
}
/** A CRL that was published or read. */
export interface SeenList {
  readonly number: number;
  /** Number of the base CRL of a delta. */
  readonly base?: number;
  readonly thisUpdate: number;
  readonly nextUpdate: number;
  readonly listed: ReadonlySet<string>;
  /** The bytes, hexadecimal. */
  readonly der: string;
}

/** Engines over one store, and the expected state of their CRLs. */
export interface World {
  readonly clock: Clock;
  readonly stores: Stores;
  readonly engines: Authority[];
  /** Seed of the last engine. */
  engineSeed: number;
  /** The store of the mount. */
  store: Store;
  readonly issuers: Map<IssuerName, ModelIssuer>;
  readonly issued: Issued[];
  readonly config: {
    auto: boolean;
    delta: boolean;
    disable: boolean;
    limit: number;
    shards: number;
  };
  /** The latest time of the clock: certificates expired by then are in no CRL of a shard. */
  latest: number;
  /** CRLs by issuer name, scope and number. */
  readonly lists: Map<string, Map<number, SeenList>>;
  /** CRLs of an issuer whose creation has not returned yet. */
  readonly early: Uint8Array[];
  /** CRLs with a verified signature, hexadecimal. */
  readonly verified: Set<string>;
  /** The highest number read for an issuer and a scope, and for a complete CRL. */
  readonly highest: Map<string, number>;
  /** Errors of CRLs at the time they were published. */
  readonly wrong: string[];
  fault: (CommitFault & { count: number; fired: boolean }) | undefined;
  /** Expiry up to which a tidy run in progress may remove certificates, Unix milliseconds. */
  tidied: number;
  /** True after a failed call: CRLs may lag behind until all jobs have run. */
  failed: boolean;
  /**
   * True after a settings change that does not rebuild CRLs: they may lag behind until they are
   * built.
   */
  switched: boolean;
}

/**
 * Returns the serial numbers that a CRL of an issuer must contain, and those that it may contain.
 */
export function wanted(
  world: World,
  name: IssuerName,
  shard?: string,
): { readonly must: ReadonlySet<string>; readonly may: ReadonlySet<string> } {
  const [must, may] = [new Set<string>(), new Set<string>()];
  const below = world.issuers.get("below");
  for (const { serial, issuer, state, notAfter, shard: own } of world.issued) {
    if (state === "good" || state === "gone") continue;
    if (shard !== undefined && (own !== shard || issuer !== name)) continue;
    const holder = issuer === "below" && !below?.isHere ? "root" : issuer;
    if (holder !== name) continue;
    may.add(serial);
    if (state === "revoked" && notAfter >= world.tidied) must.add(serial);
  }
  if (name === "root" && below?.isRevoked && (shard === undefined || below.shard === shard)) {
    must.add(below.serial);
    may.add(below.serial);
  }
  return { must, may };
}
/** Returns the missing and the unexpected entries of a CRL. */
export function differs(
  listed: ReadonlySet<string>,
  { must, may }: ReturnType<typeof wanted>,
): string | undefined {
  const lacks = [...must].filter((one) => !listed.has(one));
  const strange = [...listed].filter((one) => !may.has(one));
  return lacks.length + strange.length === 0
    ? undefined
    : `lacks [${lacks.join()}], names [${strange.join()}] in vain`;
}
/** Reports whether CRLs may lag behind the revocations. */
export const lags = ({ failed, switched }: World): boolean => failed || switched;
