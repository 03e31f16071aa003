import type { Deployment, Keeper } from "../engine/deployment.ts";
import type { HttpOptions } from "./http.ts";

/** An API beside that of the CA engine, with its own paths, over the same stores and vault. */
export interface Api extends Keeper {
  answers(path: string): boolean;
  fetch(deployment: Deployment, request: Request, options?: HttpOptions): Promise<Response>;
}
