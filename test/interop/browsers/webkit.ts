import { spawnSync } from "node:child_process";
import { globSync } from "node:fs";
import { createServer } from "node:net";
import { setTimeout } from "node:timers/promises";
import { asJson, type Engine, type Manner, type Window } from "./engine.ts";
import { start, type Started } from "./process.ts";
import { calls, connect } from "./socket.ts";

const places = [
  "/usr/lib/*/webkit*gtk-*/MiniBrowser",
  "/usr/lib*/webkit*gtk-*/MiniBrowser",
  "/usr/libexec/webkit*gtk-*/MiniBrowser",
];

/** WebKitGTK, controlled through its inspector: under WebDriver it deletes a page's storage on exit. */
export function webkit(): Engine | undefined {
  const [program] = globSync(places);
  const screen = spawnSync("Xvfb", ["-help"], { stdio: "ignore" }).error === undefined;
  if (!program || !screen) return undefined;
  return {
    name: "webkit",
    version: () => version(program),
    manners: ["kept", "private"],
    open: (...how) => open(program, ...how),
  };
}

async function onScreen(): Promise<{
  readonly screen: Started;
  readonly env: Readonly<Record<string, string>>;
}> {
  const screen = start(
    "Xvfb",
    ["-displayfd", "1", "-screen", "0", "1280x900x24", "-nolisten", "tcp"],
    {},
  );
  return { screen, env: { DISPLAY: `:${await screen.said(/^(\d+)\n/m)}`, NO_AT_BRIDGE: "1" } };
}

async function stop(...all: readonly Started[]): Promise<void> {
  for (const { child, end } of all) {
    child.kill();
    await end(10_000);
  }
}

async function version(program: string): Promise<string> {
  const { screen, env } = await onScreen();
  const browser = start(program, ["--version"], env);
  try {
    return await browser.said(/^WebKit.*$/m);
  } finally {
    await stop(browser, screen);
  }
}

async function open(
  program: string,
  profile: string,
  url: string,
  manner: Manner = "kept",
): Promise<Window> {
  const { screen, env } = await onScreen();
  const folders = Object.fromEntries(
    ["HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_RUNTIME_DIR"].map(
      (name) => [name, profile],
    ),
  );
  const inspector = `127.0.0.1:${await freePort()}`;
  const browser = start(program, [...(manner === "private" ? ["--private"] : []), url], {
    ...env,
    ...folders,
    WEBKIT_INSPECTOR_HTTP_SERVER: inspector,
  });
  const page = await inspected(inspector, browser);
  return {
    async evaluate(expression) {
      const { result } = await page<Evaluated>("Runtime.evaluate", {
        expression: asJson(expression),
      });
      const answer = await page<Evaluated>("Runtime.awaitPromise", {
        promiseObjectId: result.objectId,
        returnByValue: true,
      });
      if (answer.wasThrown) throw new Error(`${answer.result.description} in ${expression}`);
      return JSON.parse(String(answer.result.value));
    },
    close: () => stop(browser, screen),
  };
}

interface Evaluated {
  readonly wasThrown: boolean;
  readonly result: {
    readonly objectId?: string;
    readonly value?: unknown;
    readonly description?: string;
  };
}

async function freePort(): Promise<number> {
  const server = createServer();
  const port = await new Promise<number>((done) =>
    server.listen(0, "127.0.0.1", () => done((server.address() as { port: number }).port)),
  );
  await new Promise((done) => server.close(done));
  return port;
}

/** Calls into the page of a browser that serves its inspector. */
async function inspected(
  inspector: string,
  { child }: Started,
): Promise<<T>(method: string, params: object) => Promise<T>> {
  let path: string | undefined;
  for (let tries = 0; !path && tries < 600 && child.exitCode === null; tries++) {
    await setTimeout(50);
    const listed = await fetch(`http://${inspector}/`).then(
      (answer) => answer.text(),
      () => "",
    );
    path = /\/socket\/\d+\/\d+\/WebPage/.exec(listed)?.[0];
  }
  if (!path) throw new Error("WebKitGTK did not start its inspector");
  const { call, take } = calls(
    (message) => void connection.call("Target.sendMessageToTarget", { targetId, message }),
  );
  let found: ((targetId: string) => void) | undefined;
  const target = new Promise<string>((done) => (found = done));
  const connection = await connect(`ws://${inspector}${path}`, ({ method, params }) => {
    const { targetInfo, message } = params as {
      targetInfo?: { targetId: string; type: string };
      message?: string;
    };
    if (method === "Target.targetCreated" && targetInfo?.type === "page")
      found?.(targetInfo.targetId);
    if (method === "Target.dispatchMessageFromTarget") take(JSON.parse(message ?? "{}"));
  });
  const targetId = await target;
  return call;
}
