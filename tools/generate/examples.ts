import { run } from "../examples/run.ts";
import type { GrantedRequest } from "../examples/send.ts";
import type { Files } from "./product.ts";
import { standIns } from "./stand-ins.ts";

/** An example request in the documentation. */
export interface ShownRequest {
  readonly parameters?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
}
let cached: Promise<ReadonlyMap<string, ShownRequest>> | undefined;
/**
 * Returns the first successful request to each endpoint, by endpoint ID. Placeholders replace
 * values that differ between runs.
 */
export const shownExamples = (): Promise<ReadonlyMap<string, ShownRequest>> =>
  (cached ??= run().then(shownOf));

function shownOf(all: readonly GrantedRequest[]): ReadonlyMap<string, ShownRequest> {
  const standIn = standIns();
  const shown = new Map<string, ShownRequest>();
  for (const { endpoint, parameters, body } of all) {
    // number the placeholders in the order of all requests, including those that are not shown
    const text = standIn(JSON.stringify({ ...some(parameters), ...(body ? { body } : {}) }));
    if (!shown.has(endpoint.id)) shown.set(endpoint.id, JSON.parse(text) as ShownRequest);
  }
  return shown;
}
const some = (parameters: object) => (Object.keys(parameters).length > 0 ? { parameters } : {});

/** Generates the file with the examples that the server includes in its OpenAPI document. */
export async function examplesFile(): Promise<Files> {
  const all = [...(await shownExamples())].filter(([, one]) => Object.keys(one).length > 0);
  return {
    "src/sys/specs/examples.ts": `// Made by \`npm run generate\`; what is changed here is lost.
import type { Example } from "../../wire/openapi-about.ts";

const examples: Readonly<Record<string, Example>> = ${JSON.stringify(Object.fromEntries(all))};

/** A request of an endpoint that was sent and granted. */
export const exampleOf = (id: string): Example | undefined => examples[id];
`,
  };
}
