import { useEffect, useState } from "preact/hooks";
import * as pki from "../../api/pki.ts";
import { changesOf, roleOf, valuesAfter, valuesOf, type Values } from "./role-values.ts";

interface Edited {
  /** The role when editing began. */
  role: pki.Role;
  values: Values;
  setValues: (values: Values) => void;
  /** The time at which a change made elsewhere was noticed. */
  changedAt: Date | undefined;
  /** Discards the edits and shows the current role. */
  adopt: () => void;
  /** Adopts the saved role from the server, which may normalize values. */
  save: (name: string, sent: Values) => Promise<void>;
}

/** Returns a role as text to compare; a listing returns the fields in another order than a read. */
const textOf = (role: pki.Role): string =>
  JSON.stringify(Object.entries(role).toSorted(([a], [b]) => (a < b ? -1 : 1)));

/**
 * Returns the state of the editor. A role that changes elsewhere replaces it only when no edit
 * would be lost.
 */
export function useRole(current: pki.Role): Edited {
  const [role, setRole] = useState(current);
  const [values, setValues] = useState(valuesOf(current));
  const [changedAt, setChangedAt] = useState<Date>();
  const adopt = (): void => {
    setRole(current);
    setValues(valuesOf(current));
    setChangedAt(undefined);
  };
  const save = async (name: string, sent: Values): Promise<void> => {
    // Saving succeeded, so that an error here is not shown; the next read updates the form.
    const saved = await pki.role(name).catch(() => ({ ...role, ...roleOf(sent) }));
    setRole(saved);
    setValues((typed) => valuesAfter(typed, sent, saved));
    setChangedAt(undefined);
  };
  useEffect(() => {
    if (textOf(current) === textOf(role)) return;
    const equalsEdits = (other: pki.Role): boolean =>
      Object.keys(changesOf(values, other)).length === 0;
    if (equalsEdits(role) || equalsEdits(current)) adopt();
    else setChangedAt(new Date());
  }, [textOf(current)]);
  return { role, values, setValues, changedAt, adopt, save };
}
