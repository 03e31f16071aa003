import type { JSX } from "preact";
import type { Authority } from "../../api/issuer.ts";
import {
  choosesScheme,
  elsewhere,
  itself,
  subjectFields,
  type Plan,
  type Template,
} from "../../api/issuer-plan.ts";
import { maySignAuthorities } from "../../api/path-length.ts";
import { Button } from "../button.tsx";
import { Code } from "../code.tsx";
import { Dialog } from "../dialog.tsx";
import { Choice, Text } from "../field.tsx";
import { save } from "../save.ts";
import { fileName } from "../../lib/file-name.ts";
import { KeyChoice } from "../key-choice.tsx";

interface Props {
  plan: Plan;
  change: (plan: Plan) => void;
}

/** The choices for the lifetime of a CA. */
export const lives = [
  ["8760h", "1 year"],
  ["26280h", "3 years"],
  ["43800h", "5 years"],
  ["87600h", "10 years"],
] as const;
/**
 * Lifetimes above the default maximum of a mount. They are sent as a date, which the maximum does
 * not limit.
 */
const longLives = [
  ["15y", "15 years"],
  ["20y", "20 years"],
  ["25y", "25 years"],
] as const;
/** Signature algorithms of roots with RSA keys. */
const schemes = ["256", "384", "512"].flatMap((bits) => [
  [bits, `RSA with SHA-${bits}`] as const,
  [`pss ${bits}`, `RSA-PSS with SHA-${bits}`] as const,
]);

/**
 * The choice among templates for a CA, each of which sets issuer, key, lifetime and path length
 * constraint.
 */
export function Templates({ of, plan, change }: Props & { of: readonly Template[] }): JSX.Element {
  const isBelow = (signer: string | undefined): boolean =>
    signer !== itself && signer !== elsewhere;
  const now = of.find(([, , , fields]) =>
    Object.entries(fields).every(
      ([name, value]) =>
        plan[name as keyof Plan] === value ||
        // choosing another CA of the mount as the issuer does not deviate from the template
        (name === "signer" && isBelow(fields.signer) && isBelow(plan.signer)),
    ),
  );
  return (
    <fieldset class="field">
      <legend>Template</legend>
      <div class="pick">
        {of.map(([id, title, , fields]) => (
          <button
            key={id}
            type="button"
            aria-pressed={now?.[0] === id}
            onClick={() => change({ ...plan, ...fields })}
          >
            {title}
          </button>
        ))}
      </div>
      <p class="hint">{now?.[2] ?? "Custom settings."}</p>
    </fieldset>
  );
}

/**
 * The field that selects the signing CA. Renders nothing if no CA of the mount signs the new CA.
 */
export function SignedBy({
  all,
  plan,
  change,
}: Props & { all: readonly Authority[] }): JSX.Element | null {
  if (plan.signer === itself || plan.signer === elsewhere) return null;
  return (
    <Choice
      label="Signed by"
      value={plan.signer}
      change={(signer) => change({ ...plan, signer })}
      options={all
        .filter(maySignAuthorities)
        .map(({ record, name }) => [record.issuer_id, name] as const)}
    />
  );
}

/** The choices for the path length constraint of a CA. */
export const depths: readonly (readonly [depth: string, words: string])[] = [
  ["0", "None"],
  ["1", "One level"],
  ["2", "Two levels"],
  ["-1", "Any number"],
];

/** The fields for key, validity, path length constraint and subject. */
export function PlanFields({
  plan,
  change,
  errors,
}: Props & { errors: Readonly<Record<string, string>> }): JSX.Element {
  const foreign = plan.signer === elsewhere;
  const set = (fields: Partial<Plan>): void => change({ ...plan, ...fields });
  return (
    <>
      <div class="pair">
        <KeyChoice value={plan.key} change={(key) => set({ key })} />
        {!foreign && (
          <Choice
            label="Valid for"
            value={plan.ttl}
            change={(ttl) => set({ ttl })}
            options={[...lives, ...longLives, ["until", "Until a date"]]}
            hint={
              plan.signer === itself
                ? undefined
                : "Cannot be longer than the issuer’s remaining validity."
            }
          />
        )}
        {!foreign && plan.ttl === "until" && (
          <Text
            label="Last day"
            type="date"
            value={plan.until}
            change={(until) => set({ until })}
            error={errors["until"]}
          />
        )}
        {choosesScheme(plan) && (
          <Choice
            label="Signature"
            value={plan.scheme}
            change={(scheme) => set({ scheme })}
            options={schemes}
          />
        )}
        {!foreign && (
          <Choice
            label="CAs below this one"
            value={plan.below}
            change={(below) => set({ below })}
            options={depths}
            hint="The path length constraint in the new CA’s certificate."
          />
        )}
      </div>
      <details>
        <summary>Organization, country and location</summary>
        <div class="pair">
          {subjectFields.map(([name, label]) => (
            <Text
              key={name}
              label={label}
              value={plan.subject[name] ?? ""}
              change={(value) => set({ subject: { ...plan.subject, [name]: value } })}
              hint={name === "country" ? "Two letters, such as SE." : undefined}
              error={errors[name]}
            />
          ))}
        </div>
      </details>
    </>
  );
}

/** The dialog with the created CSR, which an external CA must sign. */
export function NewCsr({
  name,
  csr,
  close,
}: {
  name: string;
  csr: string;
  close: () => void;
}): JSX.Element {
  const file = `${fileName(name)}.csr`;
  return (
    <Dialog title="CSR created" close={close}>
      <p>
        Have the other CA sign this as a CA certificate. Then import the result with Import… on the
        overview; it is matched to its key, which stays in this mount.
      </p>
      <Code text={csr} label="CSR" />
      <div class="actions">
        <Button press={close}>Close</Button>
        <Button kind="primary" icon="down" press={() => save(file, "application/pkcs10", csr)}>
          Save {file}
        </Button>
      </div>
    </Dialog>
  );
}
