import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { asJson, type Engine, type Manner, type Window } from "./engine.ts";
import { start } from "./process.ts";
import { connect } from "./socket.ts";

/** Restricts the browser to this machine: its own requests go to a proxy that does not exist. */
const preferences = {
  "network.proxy.type": 1,
  "network.proxy.http": "127.0.0.1",
  "network.proxy.http_port": 9,
  "network.proxy.ssl": "127.0.0.1",
  "network.proxy.ssl_port": 9,
  "network.proxy.failover_direct": false,
  "app.normandy.enabled": false,
  "app.update.enabled": false,
  "browser.shell.checkDefaultBrowser": false,
  "datareporting.policy.dataSubmissionEnabled": false,
  "services.settings.server": "data:,",
  "toolkit.telemetry.enabled": false,
};

const ofManner = {
  kept: {},
  private: { "browser.privatebrowsing.autostart": true },
  blocked: { "network.cookie.cookieBehavior": 2 },
} satisfies Record<Manner, object>;

/** Firefox, controlled through WebDriver BiDi. */
export function firefox(): Engine | undefined {
  const program = ["firefox-esr", "firefox"].find(
    (name) => spawnSync(name, ["--version"], { stdio: "ignore" }).status === 0,
  );
  if (!program) return undefined;
  return {
    name: "firefox",
    version: async () => spawnSync(program, ["--version"], { encoding: "utf8" }).stdout.trim(),
    manners: ["kept", "private", "blocked"],
    open: (...how) => open(program, ...how),
  };
}

async function open(
  program: string,
  profile: string,
  url: string,
  manner: Manner = "kept",
): Promise<Window> {
  const lines = Object.entries({ ...preferences, ...ofManner[manner] }).map(
    ([name, value]) => `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});\n`,
  );
  writeFileSync(join(profile, "user.js"), lines.join(""));
  const args = [
    "--headless",
    "--no-remote",
    "--profile",
    profile,
    "--remote-debugging-port",
    "0",
    "about:blank",
  ];
  const browser = start(program, args, { HOME: profile });
  const { call, close } = await connect(
    `${await browser.said(/WebDriver BiDi listening on (ws:\S+)/)}/session`,
  );
  await call("session.new", { capabilities: {} });
  const { contexts } = await call<{ contexts: readonly { context: string }[] }>(
    "browsingContext.getTree",
  );
  const context = contexts[0]?.context;
  await call("browsingContext.navigate", { context, url, wait: "complete" });
  return {
    async evaluate(expression) {
      const answer = await call<Answer>("script.evaluate", {
        expression: asJson(expression),
        target: { context },
        awaitPromise: true,
      });
      if (answer.type === "exception")
        throw new Error(`${answer.exceptionDetails.text} in ${expression}`);
      return JSON.parse(answer.result.value);
    },
    async close() {
      await call("browser.close");
      close();
      await browser.end(10_000);
    },
  };
}

type Answer =
  | { readonly type: "success"; readonly result: { readonly value: string } }
  | { readonly type: "exception"; readonly exceptionDetails: { readonly text: string } };
