import type { Send } from "./send.ts";

/**
 * Sends the example requests about a mount's log. `tick` advances the clock by a second and runs
 * the due jobs.
 */
export async function log(send: Send, tick: () => Promise<void>): Promise<void> {
  await send("writeLogConfig", { enabled: true, public: true });
  await send("readLogConfig");
  await send("rotateCrl");
  await tick();
  await send("readLogCheckpoint", {}, { token: "" });
  await send("readLogTile", { tile: "0/000.p/1" }, { token: "" });
}
