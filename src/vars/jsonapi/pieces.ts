import { utf8 } from "../../base/bytes.ts";
import type { Reply } from "../../wire/call.ts";

/** The body of a response in pieces, which are generated on demand. */
export type Pieces = AsyncIterable<Iterable<string>>;
/**
 * Minimum length of a chunk, and maximum length of a response that is sent as a whole with
 * Content-Length, in characters.
 */
const [chunk, maxWholeLength] = [256 * 1024, 2 * 1024 * 1024];

/**
 * Number of resources that are serialized together, because serializing small resources
 * individually takes a third longer.
 */
const together = 4;
/**
 * Yields a JSON document whose member `data` is a list of resources. The resources are read in
 * parts.
 */
export async function* listPieces(parts: AsyncIterable<Iterable<unknown>>): Pieces {
  let before = '{"data":[';
  function* textOf(part: Iterable<unknown>): Iterable<string> {
    let group: unknown[] = [];
    const printed = () => {
      const text = before + JSON.stringify(group).slice(1, -1);
      before = ",";
      group = [];
      return text;
    };
    for (const resource of part) if (group.push(resource) === together) yield printed();
    if (group.length) yield printed();
  }
  for await (const part of parts) yield textOf(part);
  yield [before === "," ? "]}" : `${before}]}`];
}

/**
 * Returns the body of a response: a string if it is short, and otherwise a stream, because a list
 * may be too large for a single string in a Worker. The stream calls `failed` with an error that
 * ends it early. Rejects if a short body cannot be generated.
 */
export async function sentPieces(
  pieces: Pieces,
  failed: (error: unknown) => void,
): Promise<Pick<Reply, "body" | "stream">> {
  const chunks = chunksOf(pieces);
  const waiting: string[] = [];
  let length = 0;
  for (let next = await chunks.next(); ; next = await chunks.next()) {
    if (next.done) return { body: waiting.join("") };
    waiting.push(next.value);
    length += next.value.length;
    if (length > maxWholeLength) break;
  }
  const stream = new ReadableStream({
    async pull(controller) {
      try {
        const text = waiting.shift() ?? (await chunks.next()).value;
        if (text === undefined) controller.close();
        else controller.enqueue(utf8(text));
      } catch (error) {
        failed(error);
        controller.error(error);
      }
    },
    cancel: async () => void (await chunks.return(undefined)),
  });
  return { body: null, stream };
}
/** Joins pieces into chunks that have at least the minimum length, except the last one. */
async function* chunksOf(pieces: Pieces): AsyncGenerator<string, undefined> {
  let text = "";
  for await (const part of pieces)
    for (const piece of part) {
      text += piece;
      if (text.length < chunk) continue;
      yield text;
      text = "";
    }
  if (text !== "") yield text;
  return undefined;
}
