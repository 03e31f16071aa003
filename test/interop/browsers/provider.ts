import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { playwright } from "@vitest/browser-playwright";
import type { BrowserProvider, BrowserProviderOption, TestProject } from "vitest/node";
import type { Engine, Window } from "./engine.ts";

/**
 * Runs browser tests in an engine. Everything except the browser itself is that of the provider for
 * Chromium.
 */
export function provider({ name, open }: Engine): BrowserProviderOption {
  const windows: { readonly window: Promise<Window>; readonly profile: string }[] = [];
  const made: BrowserProvider = {
    name: "engine",
    supportsParallelism: false,
    getCommandsContext: () => ({}),
    async openPage(_session, url) {
      const profile = mkdtempSync(join(tmpdir(), "sealwright-browser-"));
      const window = open(profile, url);
      windows.push({ window, profile });
      await window;
    },
    async close() {
      for (const { window, profile } of windows.splice(0)) {
        await (await window).close();
        rmSync(profile, { recursive: true, force: true });
      }
    },
  };
  const providerFactory = (project: TestProject): BrowserProvider => {
    // called before every file; no test here depends on the size of the window
    project.browser?.registerCommand("__vitest_viewport" as never, () => undefined as never);
    return made;
  };
  return { ...playwright(), name: made.name, supportedBrowser: [name], providerFactory };
}
