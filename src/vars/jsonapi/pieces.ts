import { utf8 } from "../../base/bytes.ts";
import type { Reply } from "../../wire/call.ts";

/** Text of an answer in pieces, each made when it is asked for. */
export type Pieces = AsyncIterable<Iterable<string>>;
/**
 * Characters that are sent at once, and of the longest answer that is sent whole, with its length.
 */
const [chunk, maxWholeLength] = [256 * 1024, 2 * 1024 * 1024];

/** Resources that are printed together: one by one a list of small ones takes a third longer. */
const together = 4;
/** A JSON document with one member `data`, a list whose resources come in parts. */
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
 * The body of a reply that is made of pieces: a list may be larger than what a Worker can hold as
 * one text. A long one is a stream, which tells `failed` of the error that ends it early. Rejects
 * when a short one cannot be made.
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
/** Pieces joined to chunks; all but the last have at least the length of one. */
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
