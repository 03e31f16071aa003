import type { Store, Stores } from "../../src/engine/ports.ts";
import type { Authority, Clock } from "../support/authority.ts";

/** The commit that fails, and how. */
export interface CommitFault {
  /** Which commit of the step, from 1. */
  readonly at: number;
  /** True if it is done all the same, and only its answer lost. */
  readonly isDone: boolean;
  /** True if the engine ends with it; otherwise the next commits succeed. */
  readonly ends: boolean;
}
export type IssuerName = "root" | "below";
/** An issuer as the model has it. */
export interface ModelIssuer {
  readonly name: IssuerName;
  readonly id: string;
  readonly pem: string;
  readonly serial: string;
  readonly spki: Uint8Array;
  /** DER of its name. */
  readonly subject: Uint8Array;
  readonly shard: string | undefined;
  isHere: boolean;
  signsLists: boolean;
  isRevoked: boolean;
}
/** A certificate as the model has it. */
export interface Issued {
  /** Hexadecimal, without colons. */
  readonly serial: string;
  readonly issuer: IssuerName;
  /** The shard that its distribution point names, and that point. */
  readonly shard: string | undefined;
  readonly point: string;
  /** Unix milliseconds. */
  readonly notAfter: number;
  /** `unknown` while a call is under way, `gone` once it was tidied. */
  state: "good" | "unknown" | "revoked" | "gone";
  /** When it was revoked, Unix milliseconds. */
  at: number;
}
/** A list that was published or read. */
export interface SeenList {
  readonly number: number;
  /** Number of the list that a delta builds on. */
  readonly base?: number;
  readonly thisUpdate: number;
  readonly nextUpdate: number;
  readonly listed: ReadonlySet<string>;
  /** The bytes, hexadecimal. */
  readonly der: string;
}

/** Engines over one store, and what must be true of their lists. */
export interface World {
  readonly clock: Clock;
  readonly stores: Stores;
  readonly engines: Authority[];
  /** That of the mount. */
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
  /** The latest that the clock ever said: what had ended then is on no list of a shard any more. */
  latest: number;
  /** Lists by the name of their issuer, their scope, and their number. */
  readonly lists: Map<string, Map<number, SeenList>>;
  /** Those of an issuer whose creation was not answered yet. */
  readonly early: Uint8Array[];
  /** Lists whose signature was verified, hexadecimal. */
  readonly verified: Set<string>;
  /** The highest number that was read of an issuer and a scope, and of a complete list. */
  readonly highest: Map<string, number>;
  /** What was wrong with a list when it was published. */
  readonly wrong: string[];
  fault: (CommitFault & { count: number; fired: boolean }) | undefined;
  /** What a run of tidy may remove that is under way: what ended before, Unix milliseconds. */
  tidied: number;
  /** A call failed on its way: lists may lag behind until all jobs had their time. */
  failed: boolean;
  /** A switch was turned that builds no list: they may lag behind until they are built. */
  switched: boolean;
}

/** The serial numbers that a list of an issuer must name, and those that it may name. */
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
/** What a list lacks, and what it names in vain. */
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
/** Reports whether lists may lag behind what is revoked. */
export const lags = ({ failed, switched }: World): boolean => failed || switched;
