import { fromUtf8, utf8 } from "../../base/bytes.ts";
import type { StoreContext } from "../../engine/store-context.ts";
import { attributeFault, type Fault } from "../jsonapi/fault.ts";
import { valueBinding } from "../rows/keys.ts";
import type { VariableRow } from "../rows/rows.ts";
import type { Attributes } from "./attributes.ts";

/** A function that seals the value of a variable, once for all attempts of a write. */
export type ValueSealer = (id: string, value: string) => Promise<Uint8Array>;
/** Returns a sealer for the attempts of one write. */
export function valueSealer(storeContext: StoreContext): ValueSealer {
  const sealed = new Map<string, Promise<Uint8Array>>();
  return (id, value) => {
    const key = `${id} ${value}`;
    const sealedValue =
      sealed.get(key) ?? storeContext.ports.vault.seal(utf8(value), valueBinding(id));
    sealed.set(key, sealedValue);
    return sealedValue;
  };
}
/** Returns the value of a stored variable, unsealed if necessary. */
export async function openValue(storeContext: StoreContext, row: VariableRow): Promise<string> {
  if (typeof row.value === "string") return row.value;
  return fromUtf8(await storeContext.ports.vault.unseal(row.value, valueBinding(row.id)));
}

/**
 * Returns a fault for each forbidden change to a sensitive variable (V 4.4). Sending an attribute's
 * stored value is allowed.
 */
export function lockFaults(stored: VariableRow, { key, hcl, sensitive }: Attributes): Fault[] {
  if (!stored.sensitive) return [];
  const faults: Fault[] = [];
  if (key !== undefined && key !== stored.key)
    faults.push(attributeFault("key", "Key cannot be updated for a sensitive variable"));
  if (hcl !== undefined && hcl !== stored.hcl)
    faults.push(attributeFault("hcl", "Hcl cannot be updated for a sensitive variable"));
  if (sensitive === false)
    faults.push(
      attributeFault(
        "sensitive",
        "Sensitive cannot be changed from true to false on saved records. To make this variable readable, destroy this record and create a new one with the same key value.",
      ),
      attributeFault("sensitive", "Sensitive cannot be updated for a sensitive variable"),
    );
  return faults;
}
