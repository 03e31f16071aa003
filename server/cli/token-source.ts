import { client, RefusedError, type Answer, type Table } from "../../src/client/index.ts";

/** Where the token of a rejected request was found, by error. */
const sources = new WeakMap<RefusedError, string>();

// any call will do; clients export no function that converts a response to an error
const anyCall: Table<{ call(): Promise<unknown> }> = { call: "raw GET /" };

/**
 * Rejects with the error in a response, if any, and records where the token of the request was
 * found.
 */
export async function rejectWithSource(answer: Answer, source: string): Promise<void> {
  try {
    await client(anyCall, "", () => Promise.resolve(answer)).call();
  } catch (error) {
    if (error instanceof RefusedError) sources.set(error, source);
    throw error;
  }
}

/**
 * Returns the source of the token of a rejected request, or "" if there was none. Returns undefined
 * if no source was recorded.
 */
export const tokenSourceOf = (error: RefusedError): string | undefined => sources.get(error);
