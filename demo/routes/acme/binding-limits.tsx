import type { JSX } from "preact";
import type { NewEabInput } from "../../../src/client/pki.ts";
import { splitList } from "../../lib/settings.ts";
import { Check, Lines, Text } from "../../ui/field.tsx";

/** The limits of a new EAB key as entered by the user. */
interface TypedLimits {
  readonly names: string;
  readonly preauthorized: boolean;
  readonly uses: string;
  readonly expires: string;
  readonly metadata: string;
}
/** The initial input, which sets no limits. */
export const noLimits: TypedLimits = {
  names: "",
  preauthorized: false,
  uses: "1",
  expires: "",
  metadata: "",
};

/** Returns the limits as request fields, omitting empty ones. */
export function limitsInput(typed: TypedLimits): Omit<NewEabInput, "role" | "issuer_ref"> {
  const names = splitList(typed.names);
  const texts = typed.metadata
    .split("\n")
    .map((line) => line.trim())
    .filter(Boolean)
    .map((line) => line.split("="));
  return {
    ...(names.length > 0 ? { allowed_identifiers: names } : {}),
    ...(typed.preauthorized ? { preauthorized: true } : {}),
    ...(typed.uses.trim() === "1" ? {} : { max_uses: Number(typed.uses) }),
    ...(typed.expires ? { expires: new Date(typed.expires).toISOString() } : {}),
    ...(texts.length > 0
      ? {
          metadata: Object.fromEntries(
            texts.map(([name = "", ...rest]) => [name.trim(), rest.join("=").trim()]),
          ),
        }
      : {}),
  };
}
/** Returns the validation errors of the limits, by field. */
export function wrongLimits(typed: TypedLimits): Partial<Record<keyof TypedLimits, string>> {
  const uses = Number(typed.uses);
  return {
    ...(typed.preauthorized && splitList(typed.names).length === 0
      ? { names: "Enter the names that need no challenge" }
      : {}),
    ...(Number.isInteger(uses) && uses >= 1 && uses <= 10_000
      ? {}
      : { uses: "Must be between 1 and 10,000" }),
  };
}

/** The fields for the limits of an EAB key. */
export function LimitFields({
  value,
  change,
  wrong,
  lacks,
}: {
  value: TypedLimits;
  change: (value: TypedLimits) => void;
  /** The permission that the token lacks for keys that need no challenge; empty if none. */
  lacks: string;
  wrong: Partial<Record<keyof TypedLimits, string>>;
}): JSX.Element {
  const set =
    <K extends keyof TypedLimits>(name: K) =>
    (next: TypedLimits[K]): void =>
      change({ ...value, [name]: next });
  return (
    <>
      <Lines
        label="Allowed names and addresses"
        value={value.names}
        change={set("names")}
        rows={3}
        mono
        placeholder={"*.plant.example.com\n10.20.0.0/16"}
        hint="One per line; * matches any characters. If empty, the key allows all names that the role allows."
        error={wrong.names}
      />
      <Check
        label="Issue without a challenge"
        checked={value.preauthorized}
        change={set("preauthorized")}
        disabled={lacks !== ""}
        hint={`For servers that this CA cannot reach.${lacks && ` Your token lacks ${lacks}.`}`}
      />
      <div class="pair">
        <Text
          label="Accounts"
          value={value.uses}
          change={set("uses")}
          hint="Maximum number of accounts that can use this key."
          error={wrong.uses}
        />
        <Text
          label="Expires"
          type="date"
          value={value.expires}
          change={set("expires")}
          hint="After this date, accounts created with this key cannot order certificates."
        />
      </div>
      <Lines
        label="Metadata"
        value={value.metadata}
        change={set("metadata")}
        rows={2}
        mono
        placeholder="team=plant"
        hint="name=value, one per line. Recorded with each certificate and in the audit log."
      />
    </>
  );
}
