import { CaError } from "../../base/errors.ts";
import type { Reply } from "../../wire/call.ts";
import type { RoutedCall, Outcome, Style } from "../../wire/endpoint.ts";
import { envelope } from "../../wire/style.ts";

const ndjson = "application/x-ndjson";

/** Style for requests with a backup part as the body, and with query parameters. */
export const partStyle = {
  ...envelope,
  accepts: { POST: ndjson },
  whole: "part",
  async read({ call, body }: RoutedCall) {
    const part = await body();
    if (part.length === 0) throw new CaError("malformed", "the body must be a part of a backup");
    return { ...Object.fromEntries(call.query), part };
  },
} as const satisfies Style;

/**
 * A running backup whose first part already exists, so that earlier errors were reported as usual.
 */
export interface BackupStream {
  readonly first: Uint8Array;
  readonly rest: AsyncGenerator<Uint8Array, undefined>;
}
/**
 * Style for responses with the parts of a backup. An interrupted response lacks the end of the
 * backup.
 */
export const backupStyle = {
  ...envelope,
  name: "raw",
  answers: ndjson,
  reply({ data }: Outcome, { failed }: RoutedCall): Reply {
    // only the backup endpoint has this style
    const { first, rest } = data as BackupStream;
    let next: Uint8Array | undefined = first;
    const stream = new ReadableStream<Uint8Array>({
      async pull(controller) {
        try {
          const part = next ?? (await rest.next()).value;
          next = undefined;
          if (part === undefined) controller.close();
          else controller.enqueue(part);
        } catch (error) {
          failed(error);
          controller.error(error);
        }
      },
      cancel: async () => void (await rest.return(undefined)),
    });
    return {
      status: 200,
      headers: { "content-type": ndjson, "cache-control": "no-store" },
      body: null,
      stream,
    };
  },
} as const satisfies Style;
