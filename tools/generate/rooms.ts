import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { filesBelow, root, sourceOf } from "../../test/support/syntax.ts";
import type { Files } from "./product.ts";

/**
 * Returns the room of a file: a folder of `src`, or `server`, `worker` or `demo`. Returns "" for
 * other files.
 */
export const roomOf = (path: string): string =>
  /^src\/((?:acme|auth|external|log|pki|vars)\/\w+(?=\/)|\w+)/.exec(path)?.[1] ??
  /^(worker|server|demo)\//.exec(path)?.[1] ??
  "";

/** The rooms that each room imports. The value is true if it imports more than types. */
export type RoomImports = ReadonlyMap<string, ReadonlyMap<string, boolean>>;

/** Returns the imports between rooms, read from the sources. */
export function roomImports(): RoomImports {
  const sources = [
    ...["src", "worker", "server"].flatMap((folder) => filesBelow(folder, ".ts")),
    ...filesBelow("demo", ".ts", ".tsx"),
  ].map(sourceOf);
  const rooms = new Map<string, Map<string, boolean>>();
  for (const { path, imports } of sources) {
    const room = rooms.get(roomOf(path)) ?? new Map<string, boolean>();
    rooms.set(roomOf(path), room);
    for (const { from, type } of imports) {
      const imported = roomOf(from);
      if (imported === "" || imported === roomOf(path)) continue;
      room.set(imported, room.get(imported) === true || !type);
    }
  }
  return rooms;
}

/** Descriptions of the rooms that are not folders of `src`. */
const others: Readonly<Record<string, string>> = {
  demo: "The console, and the authority in the browser's service worker.",
  index: "The entry of the library: `createCa`.",
  server: "The server of self-hosters: command line, HTTP, processes and data directory.",
  worker: "The Cloudflare Worker.",
};

/**
 * Returns the description of a room, from the README.md of its folder or the list above. Returns ""
 * if there is none.
 */
export function purposeOf(room: string): string {
  const [folder = "", inner] = room.split("/");
  const path = join(root, "src", folder, "README.md");
  if (!existsSync(path)) return others[room] ?? "";
  const text = readFileSync(path, "utf8");
  return inner === undefined
    ? (/^# .*\n\n(.*)/.exec(text)?.[1] ?? "")
    : (new RegExp(`^- \`${inner}\`: (.*)$`, "m").exec(text)?.[1] ?? "");
}

/** Generates docs/rooms.md: each room, its description and the rooms that it imports. */
export function roomsFile(): Files {
  const all = [...roomImports()].sort(([a], [b]) => (a < b ? -1 : 1));
  const rows = all.map(([room, imports]) => {
    const names = [...imports]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, values]) => (values ? name : `(${name})`));
    return `| ${room} | ${purposeOf(room)} | ${names.join(" ")} |\n`;
  });
  return {
    "docs/rooms.md": `<!-- Made by \`npm run generate\`; what is changed here is lost. -->
# Rooms

Every folder of \`src\` with its purpose and the rooms it imports; in parentheses: for types only. \`test/architecture.test.ts\` has what each may import. The purposes come from the README.md of each folder. [Architecture](architecture.md) has the drawing.

| room | purpose | imports |
| --- | --- | --- |
${rows.join("")}`,
  };
}
