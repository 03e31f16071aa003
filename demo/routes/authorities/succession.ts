import { findExtension } from "../../../src/x509/certificate.ts";
import { readNameConstraints } from "../../../src/x509/name-constraints.ts";
import { extensionOid } from "../../../src/x509/oid.ts";
import { crossSign, subjectFields } from "../../api/cross-signing.ts";
import { pathLength } from "../../api/path-length.ts";
import { authorities } from "../../api/issuer-tree.ts";
import { itself } from "../../api/issuer-plan.ts";
import type { Authority } from "../../api/issuer.ts";
import { makeIntermediate, makeRoot } from "../../api/new-issuer.ts";
import { patchIssuer, setDefaultIssuer } from "../../api/issuers.ts";
import { patchRole } from "../../api/roles.ts";
import type { NamedRole } from "../../lib/role.ts";
import type { FlowStep } from "../../lib/flow.ts";
import { fieldsOfKind } from "../../lib/key-types.ts";
import { constraintsFrom, type ConstraintInput } from "../../ui/issuer/constraints.tsx";

/** The user's choices for the successor of a CA. */
export interface SuccessorPlan {
  readonly name: string;
  /** Name of the new issuer in the API. */
  readonly short: string;
  /** ID of the issuing CA, or `itself`. */
  readonly signer: string;
  readonly key: string;
  readonly ttl: string;
  readonly constraints: ConstraintInput;
  /** Whether the old CA cross-signs the new root, for clients that trust only the old CA. */
  readonly crossSigned: boolean;
  readonly isDefault: boolean;
  /** Whether to switch the roles that use the old CA to the new one. */
  readonly switchesRoles: boolean;
}

/** The state of a succession: the ID of the new CA, or an empty string until the CA is created. */
export interface Succession {
  readonly id: string;
}

/** Returns the name constraints of a CA as form values. */
export function constraintInput({ view }: Authority): ConstraintInput {
  const extension = findExtension(view, extensionOid.nameConstraints);
  if (!extension) return {};
  const { permitted, excluded } = readNameConstraints(extension.value);
  const sides = { permitted, excluded };
  return Object.fromEntries(
    (["permitted", "excluded"] as const).flatMap((side) => {
      const { dns, ip, email, uri } = sides[side];
      return [
        [`${side}_dns_domains`, dns.join(", ")],
        [`${side}_ip_ranges`, ip.join(", ")],
        [`${side}_email_addresses`, email.join(", ")],
        [`${side}_uri_domains`, uri.join(", ")],
      ];
    }),
  );
}

async function create(one: Authority, plan: SuccessorPlan): Promise<string> {
  const fields = {
    ...subjectFields(one.view.der),
    ...fieldsOfKind(plan.key),
    common_name: plan.name,
    ttl: plan.ttl,
    max_path_length: pathLength(one) ?? -1,
    constraints: constraintsFrom(plan.constraints),
    ...(plan.short ? { issuer_name: plan.short } : {}),
  };
  const { id } = await (plan.signer === itself
    ? makeRoot(fields)
    : makeIntermediate(plan.signer, fields));
  return id;
}

/** Copies the settings of a CA that are not in its certificate. */
async function copySettings({ record }: Authority, id: string): Promise<void> {
  await patchIssuer(id, {
    leaf_not_after_behavior: record.leaf_not_after_behavior,
    ocsp_unknown_serials: record.ocsp_unknown_serials,
  });
}

/** Cross-signs the new root with the old CA. The cross-certificate expires with the old CA. */
async function crossSignNew(one: Authority, plan: SuccessorPlan, id: string): Promise<void> {
  const all = await authorities();
  const created = all.find(({ record }) => record.issuer_id === id);
  if (!created) throw new Error(`${plan.name} no longer exists.`);
  const left = Math.floor((one.view.ends.getTime() - Date.now()) / 1000);
  const name = plan.short && `${plan.short}-cross-signed`;
  await crossSign(created, {
    signer: one.record.issuer_id,
    ttl: `${left}s`,
    name,
    constraints: {},
  });
}

/** Returns the steps that replace a CA with a new one. */
export function successionSteps(
  one: Authority,
  plan: SuccessorPlan,
  roles: readonly NamedRole[],
): readonly FlowStep<Succession>[] {
  const step = (title: string, work: (id: string) => Promise<unknown>): FlowStep<Succession> => ({
    title,
    run: async (value) => {
      await work(value.id);
      return value;
    },
  });
  const { name } = plan;
  const names = roles.map(([role]) => role).join(", ");
  const behavior = one.record.leaf_not_after_behavior;
  const isCustom = behavior !== "err" || one.record.ocsp_unknown_serials;
  return [
    { title: `Create ${name} with a new key`, run: async () => ({ id: await create(one, plan) }) },
    ...(isCustom ? [step("Copy the issuer’s settings", (id) => copySettings(one, id))] : []),
    ...(plan.crossSigned
      ? [step(`Cross-sign the new root with ${one.name}`, (id) => crossSignNew(one, plan, id))]
      : []),
    ...(plan.isDefault ? [step("Make the new CA the default issuer", setDefaultIssuer)] : []),
    ...(plan.switchesRoles
      ? [
          step(
            `Switch ${roles.length === 1 ? "the role" : "the roles"} ${names} to the new CA`,
            async (id) => {
              const issuer_ref = plan.short || id;
              for (const [role, fields] of roles)
                await patchRole(role, { issuer_ref }, { ...fields, issuer_ref });
            },
          ),
        ]
      : []),
  ];
}
