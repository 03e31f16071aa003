import { get } from "node:http";

/** Longer than any answer takes whose storage can be reached. */
const PATIENCE_MS = 5_000;

/** Whether the Worker behind a Unix socket says that its secrets were sealed under another key. No answer, or none in time, says nothing against the key. */
export function isSealed(socketPath: string): Promise<boolean> {
  return new Promise((resolve) => {
    const request = get({ socketPath, path: "/v1/sys/seal-status", headers: { host: "localhost" }, timeout: PATIENCE_MS }, (answer) => {
      let text = "";
      answer.setEncoding("utf8").on("data", (part: string) => (text += part));
      answer.once("error", () => resolve(false));
      answer.once("end", () => resolve(says(text)));
    });
    request.once("timeout", () => request.destroy());
    request.on("error", () => resolve(false));
    request.once("close", () => resolve(false));
  });
}

function says(text: string): boolean {
  try {
    return (JSON.parse(text) as { readonly sealed?: unknown } | null)?.sealed === true;
  } catch {
    return false;
  }
}
