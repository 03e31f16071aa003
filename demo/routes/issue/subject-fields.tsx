import type { JSX } from "preact";
import type { Subject } from "./issue-values.ts";
import { Check, Lines, Text } from "../../ui/field.tsx";
import type { Role } from "../../lib/role.ts";
import { toText } from "../../lib/to-text.ts";

/** Describes the subject attributes that a role sets. Returns an empty string if it sets none. */
function subjectOf(role: Role): string {
  const parts = [
    ["O", role.organization],
    ["OU", role.ou],
    ["C", role.country],
    ["ST", role.province],
    ["L", role.locality],
    ["STREET", role.street_address],
    ["PC", role.postal_code],
  ] as const;
  return parts
    .flatMap(([short, value]) =>
      (Array.isArray(value) ? value.map(String) : [toText(value)])
        .filter(Boolean)
        .map((text) => `${short}=${text}`),
    )
    .join(", ");
}

/** The form fields for the subject. */
export function SubjectFields({
  role,
  value,
  first,
  change,
}: {
  role: Role;
  value: Subject;
  /** The common name that is used if the user enters none. */
  first: string;
  change: (value: Subject) => void;
}): JSX.Element {
  const subject = subjectOf(role);
  return (
    <div class="stack close">
      <Text
        label="Common name"
        value={value.commonName}
        placeholder={first}
        hint="If empty, the first name above is used."
        change={(commonName) => change({ ...value, commonName })}
      />
      <Check
        label="Exclude the common name from the alternative names"
        checked={value.alone}
        change={(alone) => change({ ...value, alone })}
      />
      <div class="pair">
        <Text
          label="Serial number in the subject"
          value={value.serial}
          hint="The serial number of a device or person, not that of the certificate, which is random."
          change={(serial) => change({ ...value, serial })}
        />
        <Lines
          label="User IDs"
          rows={2}
          mono
          value={value.users}
          hint="One per line."
          change={(users) => change({ ...value, users })}
        />
      </div>
      <p class="small muted">
        {subject === "" ? "The role adds no subject fields." : `The role adds ${subject}.`}
      </p>
    </div>
  );
}
