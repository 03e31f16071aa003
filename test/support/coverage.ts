/** The properties of an endpoint that the check needs. */
export interface Declared {
  readonly id: string;
  readonly refuses?: readonly string[];
}

/**
 * Refusals that any endpoint may return without declaring them, because they come from the
 * dispatcher or the runtime.
 */
const general: ReadonlySet<string> = new Set([
  "forbidden",
  "unsupported_path",
  "unsupported_operation",
  "no_route",
  "busy",
  "storage",
  // any signature may come from an external signer
  "signer_failed",
  "malformed",
  "invalid_field",
  "unknown_field",
  "too_large",
  "unsupported_media",
  "header_too_large",
  "too_many_requests",
]);
/** Endpoints that reject every valid request: there is nothing to initialize, seal or renew. */
const refusing: ReadonlySet<string> = new Set([
  "init",
  "seal",
  "renewLease",
  // sinks are settings of the deployment
  "enableAuditDevice",
  "disableAuditDevice",
]);

/** The logged outcomes of one endpoint. */
interface RuleCoverage {
  answered: boolean;
  readonly refused: Set<string>;
}

/**
 * Compares the log events of a run, `<endpoint id> <status> <refusal or ->`, with the declarations
 * of the endpoints. Returns one sentence for each gap.
 */
export function uncovered(
  declared: readonly Declared[],
  events: Iterable<string>,
): readonly string[] {
  const seen = new Map(
    declared.map(({ id }): [string, RuleCoverage] => [id, { answered: false, refused: new Set() }]),
  );
  const unknown = new Set<string>();
  for (const event of events) {
    const [, id = event, status = "", refusal = "-"] = /^(.+) (\d+) (\S+)$/.exec(event) ?? [];
    // calls without an endpoint, help, and jobs (two words) have events too
    if (id === "none" || id === "readHelp" || id.includes(" ")) continue;
    const endpoint = seen.get(id);
    if (!endpoint) unknown.add(id);
    else if (refusal !== "-") endpoint.refused.add(refusal);
    else if (/^[23]\d\d$/.test(status)) endpoint.answered = true;
  }
  return [
    ...declared.flatMap((endpoint) => gapsOf(endpoint, seen.get(endpoint.id))),
    ...[...unknown].map((id) => `${id}: logged, but there is no such endpoint`),
  ];
}

function gapsOf({ id, refuses = [] }: Declared, seen: RuleCoverage | undefined): readonly string[] {
  const missing = refuses.filter((code) => !seen?.refused.has(code));
  const surprising = [...(seen?.refused ?? [])].filter(
    (code) => !refuses.includes(code) && !general.has(code),
  );
  return [
    ...(seen?.answered || refusing.has(id) ? [] : [`${id}: no test had an answer of 2xx`]),
    ...missing.map((code) => `${id}: no test was refused with ${code}`),
    ...surprising.map((code) => `${id}: refused with ${code}, which it does not declare`),
  ];
}
