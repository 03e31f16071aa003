import { canSign, type Authority } from "./issuer.ts";
import { issuerNames } from "./issuer-names.ts";
import { listedIssuers } from "./issuers.ts";
import { changes } from "../lib/changes.ts";
import { distrustedIssuers } from "./revoked-issuers.ts";
import { useLoad } from "../lib/use-load.ts";
import { useStore } from "../lib/store.ts";
import { visible } from "../lib/visible-text.ts";

/**
 * The names of issuers by ID, and the ID of the default issuer, which is empty if there is none.
 */
export interface Signers {
  readonly names: ReadonlyMap<string, string>;
  /** IDs by API name, because a role may reference its issuer by either. */
  readonly ids: ReadonlyMap<string, string>;
  readonly standard: string;
  /** IDs of the issuers that can sign and are not below a revoked CA. */
  readonly usable: ReadonlySet<string>;
}
const nobody: Signers = { names: new Map(), ids: new Map(), standard: "", usable: new Set() };

async function readSigners(): Promise<Signers> {
  const { info } = await listedIssuers();
  const all = Object.entries(info);
  const distrusted = distrustedIssuers(info);
  const canSign = ([id, { key_id: key, revoked }]: (typeof all)[number]): boolean =>
    key !== "" && !revoked && !distrusted.has(id);
  return {
    names: await issuerNames(info),
    ids: new Map(all.flatMap(([id, { issuer_name: name }]) => (name ? [[name, id]] : []))),
    standard: all.find(([, { is_default: standard }]) => standard)?.[0] ?? "",
    usable: new Set(all.filter(canSign).map(([id]) => id)),
  };
}

/** Returns the issuers of the mount, and loads them again after changes. */
export function useSigners(): Signers {
  const turn = useStore(changes, (value) => value.turn);
  return useLoad(readSigners, [turn]).value ?? nobody;
}

/**
 * Returns the title of the issuer that a role references by `ref`, such as `Dev CA Servers` or `Dev
 * CA Root, the default`.
 */
export function signerOf({ names, ids, standard }: Signers, ref: string): string {
  if (ref !== "default") return names.get(ids.get(ref) ?? ref) ?? visible(ref);
  const name = names.get(standard);
  return name === undefined ? "the default CA" : `${name}, the default`;
}

/**
 * Returns the suggested `issuer_ref` of a new role: the default issuer, or a CA below it if the
 * default is a root.
 */
export function signerForNew(all: readonly Authority[]): string {
  const standard = all.find(({ isDefault }) => isDefault);
  return caBelowRoot(standard, all)?.record.issuer_id ?? "default";
}

/** Returns a CA that can sign in place of a root: the first one below it. */
export const caBelowRoot = (
  root: Authority | undefined,
  all: readonly Authority[],
): Authority | undefined =>
  root?.view.selfIssued
    ? all.find((one) => one.parent === root.record.issuer_id && canSign(one))
    : undefined;
