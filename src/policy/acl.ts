import type { Capability, Entity } from "../engine/ports.ts";
import { denying, type Grant } from "./merge.ts";
import { admitsParameters, type Parameters } from "./parameters.ts";
import { render } from "./pattern.ts";
import type { Policy } from "./policy.ts";
import { selectionOf, type Selection } from "./selection.ts";

/** A policy by its name. */
export interface NamedPolicy extends Policy {
  readonly name: string;
}
/** The policy that may do everything; it has no text. */
export const rootPolicy: NamedPolicy = { name: "root", rules: [] };

/** What is judged of a request. */
export interface AclRequest {
  readonly capability: Capability;
  /** Below the version prefix, decoded, without a slash at its end. */
  readonly path: string;
  /** Members of the body or the query, as sent. */
  readonly parameters: Parameters;
  /** Seconds for which the reply is wanted behind a wrapping token. */
  readonly wrapTtl?: number | undefined;
}
/** What a list of policies grants. */
export interface Acl {
  readonly root: boolean;
  can(capability: Capability, path: string): boolean;
  /** Judges what was sent beside the path; `can` too. */
  permits(request: AclRequest): boolean;
  /** The capabilities on a path, sorted; `root`, or `deny` where there is none (P 9.5.2). */
  capabilities(path: string): readonly string[];
  /** The rule that decides; undefined where none does, and nothing is granted. */
  explain(capability: Capability, path: string): Grant | undefined;
  /** All rules: those of single paths, and those with wildcards, the first that matches wins. */
  readonly rules: Pick<Selection, "exact" | "wild">;
}

const everything: Grant = {
  pattern: "*",
  policies: [rootPolicy.name],
  capabilities: [],
  allowed: new Map(),
  denied: new Map(),
  required: [],
  minWrap: 0,
  maxWrap: 0,
};
const rootAcl: Acl = {
  root: true,
  can: () => true,
  permits: () => true,
  capabilities: () => [rootPolicy.name],
  explain: () => everything,
  rules: { exact: new Map(), wild: [] },
};

/**
 * What policies grant together (P 9.5.1). `entity`: for templates in their paths; a rule whose
 * template has no value does not count.
 */
export function compileAcl(policies: readonly NamedPolicy[], entity?: Entity): Acl {
  if (policies.some(({ name }) => name === rootPolicy.name)) return rootAcl;
  const selection = selectionOf(
    policies.flatMap(({ name, rules }) =>
      rules.flatMap(({ pattern, rule }) => {
        const rendered = render(pattern, entity);
        if (!rendered) return [];
        const grant = rendered.denies
          ? denying(rendered.text, name)
          : { ...rule, pattern: rendered.text, policies: [name] };
        return [[rendered, grant] as const];
      }),
    ),
  );
  const ruleFor = (capability: Capability, path: string) =>
    // a listing is of what lies below: its path ends with a slash
    selection.find(capability === "list" && !path.endsWith("/") ? `${path}/` : path);
  return {
    root: false,
    can: (capability, path) => grants(ruleFor(capability, path), capability),
    permits: (request) => permitted(ruleFor(request.capability, request.path), request),
    capabilities: (path) => {
      const { capabilities = [] } = selection.find(path) ?? {};
      return capabilities.length === 0 ? ["deny"] : [...capabilities].sort();
    },
    explain: ruleFor,
    rules: selection,
  };
}

const grants = (grant: Grant | undefined, capability: Capability): grant is Grant =>
  grant?.capabilities.includes(capability) === true;
/** Requests that carry parameters. */
const judged: ReadonlySet<Capability> = new Set(["create", "read", "update", "patch"]);
function permitted(
  grant: Grant | undefined,
  { capability, parameters, wrapTtl }: AclRequest,
): boolean {
  if (!grants(grant, capability)) return false;
  const { minWrap, maxWrap } = grant;
  if (maxWrap > 0 && (wrapTtl === undefined || wrapTtl > maxWrap)) return false;
  if (minWrap > 0 && (wrapTtl === undefined || wrapTtl < minWrap)) return false;
  return !judged.has(capability) || admitsParameters(grant, parameters);
}
