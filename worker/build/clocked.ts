import { clock } from "../clock.ts";
import worker from "../index.ts";
import { deployment, type Env } from "../ports.ts";

export { MountObject } from "../index.ts";

/**
 * A test Worker whose clock is set by `PUT /test/clock` with the body `{"now":<Unix
 * milliseconds>}`. The clock continues to run from that time, and due jobs run. Never published or
 * deployed.
 */
export default {
  fetch(request: Request, env: Env): Promise<Response> {
    if (request.method === "PUT" && new URL(request.url).pathname === "/test/clock")
      return setClock(request, env);
    return worker.fetch(request, env);
  },
};

async function setClock(request: Request, env: Env): Promise<Response> {
  const { now }: { readonly now?: unknown } = await request.json();
  if (typeof now !== "number")
    return Response.json(
      { errors: ["now must be a number of Unix milliseconds"] },
      { status: 400 },
    );
  const offset = now - Date.now();
  clock.now = () => Date.now() + offset;
  await deployment.ca(env).tick();
  return new Response(null, { status: 204 });
}
