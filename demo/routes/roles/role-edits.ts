import { useEffect, useState } from "preact/hooks";
import type { Role } from "../../lib/role.ts";
import * as roleCalls from "../../api/roles.ts";
import { changesOf, roleOf, valuesAfter, valuesOf, type Values } from "./role-values.ts";

interface Edited {
  /** The role as it was when editing began. */
  role: Role;
  values: Values;
  setValues: (values: Values) => void;
  /** Time at which a change by somebody else was noticed, if any. */
  changedAt: Date | undefined;
  /** Discards the edits and shows the current role. */
  adopt: () => void;
  /** Marks the role as saved, and reads it from the server, which may have normalized values. */
  save: (name: string, sent: Values) => Promise<void>;
}

/**
 * Formats a role as text for comparison. A listing returns the fields in a different order than a
 * read.
 */
const textOf = (role: Role): string =>
  JSON.stringify(Object.entries(role).toSorted(([a], [b]) => (a < b ? -1 : 1)));

/**
 * Returns the state of the editor. If somebody else changes the role, the editor shows the new
 * version only if no edit would be lost.
 */
export function useRole(current: Role): Edited {
  const [role, setRole] = useState(current);
  const [values, setValues] = useState(valuesOf(current));
  const [changedAt, setChangedAt] = useState<Date>();
  const adopt = (): void => {
    setRole(current);
    setValues(valuesOf(current));
    setChangedAt(undefined);
  };
  const save = async (name: string, sent: Values): Promise<void> => {
    // The role has been saved, so ignore an error here. The next read updates the form.
    const saved = await roleCalls.role(name).catch(() => ({ ...role, ...roleOf(sent) }));
    setRole(saved);
    setValues((typed) => valuesAfter(typed, sent, saved));
    setChangedAt(undefined);
  };
  useEffect(() => {
    if (textOf(current) === textOf(role)) return;
    const equalsEdits = (other: Role): boolean =>
      Object.keys(changesOf(values, other)).length === 0;
    if (equalsEdits(role) || equalsEdits(current)) adopt();
    else setChangedAt(new Date());
  }, [textOf(current)]);
  return { role, values, setValues, changedAt, adopt, save };
}
