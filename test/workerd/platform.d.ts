/**
 * The part of the Workers test plugin that tests use. Importing its own types would replace those
 * of the browser.
 */
declare module "cloudflare:test" {
  type Stub = import("@cloudflare/workers-types").DurableObjectStub;
  type State = import("@cloudflare/workers-types").DurableObjectState;
  export function runInDurableObject<O, R>(
    stub: Stub,
    run: (instance: O, state: State) => R | Promise<R>,
  ): Promise<R>;
  export function runDurableObjectAlarm(stub: Stub): Promise<boolean>;
  export function evictDurableObject(stub: Stub): Promise<void>;
  export function abortAllDurableObjects(): Promise<void>;
  export function reset(): Promise<void>;
}
