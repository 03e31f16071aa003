/** What the clock of a deployment depends on. */
export interface ClockEnv {
  /** Tests only: makes `PUT /test/clock` answer. No request can set a binding, and no deployment has this one. */
  readonly TEST_CLOCK?: string;
}

// Worker and objects of one local runtime share their modules, so tests move the time of all of them at once
let offset = 0;

/** The time that the authority goes by, Unix milliseconds: what `PUT /test/clock` made of it where `TEST_CLOCK` is bound, else the system's. */
export function clockOf({ TEST_CLOCK }: ClockEnv): () => number {
  return TEST_CLOCK ? () => Date.now() + offset : () => Date.now();
}

/** Answers `PUT /test/clock` with the body `{"now":<Unix milliseconds>}`: time goes on from there, and `tick` runs what is due then. Undefined without the binding. */
export async function serveClock(request: Request, { TEST_CLOCK }: ClockEnv, tick: () => Promise<unknown>): Promise<Response | undefined> {
  if (!TEST_CLOCK || request.method !== "PUT" || new URL(request.url).pathname !== "/test/clock") return undefined;
  const body: { readonly now?: unknown } = await request.json();
  if (typeof body.now !== "number") return Response.json({ errors: ["now: Unix milliseconds"] }, { status: 400 });
  offset = body.now - Date.now();
  await tick();
  return new Response(null, { status: 204 });
}
