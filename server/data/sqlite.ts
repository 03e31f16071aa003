import type { DatabaseSync } from "node:sqlite";

/** What is taken of `node:sqlite`. */
interface Sqlite {
  readonly DatabaseSync: typeof DatabaseSync;
}

/**
 * `node:sqlite`; undefined in a Node that lacks it (before 22.13), where what needs it is left out.
 */
export const sqlite: Sqlite | undefined = loaded();

function loaded(): Sqlite | undefined {
  // where it is an experiment still, Node would say so to whoever starts a server
  const { emitWarning } = process;
  process.emitWarning = () => undefined;
  try {
    // a Node that is older still lacks this too
    return process.getBuiltinModule?.("node:sqlite");
  } finally {
    process.emitWarning = emitWarning;
  }
}
