import { run } from "../examples/run.ts";
import type { GrantedRequest } from "../examples/send.ts";
import type { Files } from "./product.ts";
import { standIns } from "./stand-ins.ts";

/** A request as shown in the documentation. */
export interface ShownRequest {
  readonly parameters?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
}
let cached: Promise<ReadonlyMap<string, ShownRequest>> | undefined;
/**
 * Returns the first granted request of each endpoint by id, with placeholders for values that
 * differ between runs.
 */
export const shownExamples = (): Promise<ReadonlyMap<string, ShownRequest>> =>
  (cached ??= run().then(shownOf));

function shownOf(all: readonly GrantedRequest[]): ReadonlyMap<string, ShownRequest> {
  const standIn = standIns();
  const shown = new Map<string, ShownRequest>();
  for (const { endpoint, parameters, body } of all) {
    // earlier placeholders get their numbers first, whether or not they are shown
    const text = standIn(JSON.stringify({ ...some(parameters), ...(body ? { body } : {}) }));
    if (!shown.has(endpoint.id)) shown.set(endpoint.id, JSON.parse(text) as ShownRequest);
  }
  return shown;
}
const some = (parameters: object) => (Object.keys(parameters).length > 0 ? { parameters } : {});

/** Returns the file with the examples that the server includes in its OpenAPI description. */
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
