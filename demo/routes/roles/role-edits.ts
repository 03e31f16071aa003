import { useEffect, useState } from "preact/hooks";
import * as pki from "../../api/pki.ts";
import { changesOf, roleOf, valuesAfter, valuesOf, type Values } from "./role-values.ts";

interface Edited {
  /** As it was when editing began. */
  role: pki.Role;
  values: Values;
  setValues: (values: Values) => void;
  /** When it was seen that somebody else had saved something else. */
  changedAt: Date | undefined;
  /** Drops what was typed for the role as it is now. */
  adopt: () => void;
  /**
   * Takes the role as it was saved of what was sent: the authority may write a value in another
   * way.
   */
  keep: (name: string, sent: Values) => Promise<void>;
}

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
  const keep = async (name: string, sent: Values): Promise<void> => {
    // It is saved, so whatever goes wrong here is no failure; the next reading shows it.
    const saved = await pki.role(name).catch(() => ({ ...role, ...roleOf(sent) }));
    setRole(saved);
    setValues((typed) => valuesAfter(typed, sent, saved));
    setChangedAt(undefined);
  };
  useEffect(() => {
    if (JSON.stringify(current) === JSON.stringify(role)) return;
    const same = (other: pki.Role): boolean => Object.keys(changesOf(values, other)).length === 0;
    if (same(role) || same(current)) adopt();
    else setChangedAt(new Date());
  }, [JSON.stringify(current)]);
  return { role, values, setValues, changedAt, adopt, keep };
}
