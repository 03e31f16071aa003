import { listing } from "./call.ts";
import { listIssuers } from "./endpoints/pki.ts";
import { signs, type Authority } from "./issuer.ts";
import { issuerNames } from "./issuer-names.ts";
import { changes } from "./pki.ts";
import { useLoad, useStore } from "../lib/store.ts";
import { visible } from "../lib/format.ts";

/** Names of issuers by id, and the id of the default; empty where there is none. */
export interface Signers {
  readonly names: ReadonlyMap<string, string>;
  /** Ids by the name in the API, by which roles may refer too. */
  readonly ids: ReadonlyMap<string, string>;
  readonly standard: string;
}
const nobody: Signers = { names: new Map(), ids: new Map(), standard: "" };

async function read(): Promise<Signers> {
  const { info } = await listing(listIssuers);
  const all = Object.entries(info);
  return {
    names: await issuerNames(all.map(([id, { issuer_name: name }]) => [id, name])),
    ids: new Map(all.map(([id, { issuer_name: name }]) => [name, id])),
    standard: all.find(([, { is_default: standard }]) => standard)?.[0] ?? "",
  };
}

/** The issuers of the mount by name, read again when something changes. */
export function useSigners(): Signers {
  const turn = useStore(changes, (value) => value.turn);
  return useLoad(read, [turn]).value ?? nobody;
}

/**
 * Returns the title of the issuer that signs for a role with `ref`: `Dev CA Servers`, `Dev CA Root,
 * the default`.
 */
export function signerOf({ names, ids, standard }: Signers, ref: string): string {
  if (ref !== "default") return names.get(ids.get(ref) ?? ref) ?? visible(ref);
  const name = names.get(standard);
  return name === undefined ? "the default authority" : `${name}, the default`;
}

/**
 * Returns the issuer of a new role: the CA below the default issuer where that is a root with one
 * that signs, else the default.
 */
export function signerForNew(all: readonly Authority[]): string {
  const standard = all.find(({ isDefault }) => isDefault);
  const below = standard?.view.selfIssued
    ? all.find((one) => one.parent === standard.record.issuer_id && signs(one))
    : undefined;
  return below?.record.issuer_id ?? "default";
}
