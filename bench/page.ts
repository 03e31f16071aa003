import { chromium, type Browser, type CDPSession, type Page } from "playwright";
import { chromiumLaunch } from "../test/support/chromium.ts";
import { builtDemo } from "../test/support/built.ts";
import { devCa, serve } from "../test/demo/support.ts";
import { atMost, figure, median, round } from "./figures.ts";
import { scratchDirectory, startBuilt } from "./programs.ts";

/** The measured values of a visit to a page. */
interface Visit {
  /** Time until the selected element can be clicked (ms). */
  readonly usable: number;
  /** Number of bytes transferred by the page and its service worker, including headers. */
  readonly bytes: number;
  /** Number of requests that the page and its service worker sent. */
  readonly requests: number;
  /** Cumulative layout shift. */
  readonly shift: number;
}

const rounds = 5;

/**
 * Returns a script that records layout shifts, and the time at which the selected element can first
 * be clicked.
 */
const watch = (selector: string): string => `globalThis.shift = 0;
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) if (!entry.hadRecentInput) globalThis.shift += entry.value;
}).observe({ type: "layout-shift", buffered: true });
const look = () => {
  if (globalThis.usable) return;
  const one = document.querySelector(${JSON.stringify(selector)});
  if (one && !one.disabled) return requestAnimationFrame(() => (globalThis.usable = performance.now()));
};
new MutationObserver(look).observe(document, { childList: true, subtree: true, attributes: true });`;

/** Counts the bytes and requests of a page, with the browser's cache disabled. */
async function counted(session: CDPSession): Promise<{ bytes: number; requests: number }> {
  const sum = { bytes: 0, requests: 0 };
  session.on("Network.loadingFinished", ({ encodedDataLength }) => {
    if (encodedDataLength === 0) return;
    sum.bytes += encodedDataLength;
    sum.requests += 1;
  });
  await session.send("Network.enable");
  await session.send("Network.setCacheDisabled", { cacheDisabled: true });
  return sum;
}

/** Visits a URL in a new profile. `before` runs first, in another page. */
async function visit(
  browser: Browser,
  url: string,
  selector: string,
  before?: (page: Page) => Promise<void>,
): Promise<Visit> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  try {
    if (before) {
      const page = await context.newPage();
      await page.goto(url);
      await before(page);
      await page.waitForLoadState("networkidle");
      await page.close();
    }
    await context.addInitScript(watch(selector));
    const page = await context.newPage();
    const sum = await counted(await context.newCDPSession(page));
    let worker = 0;
    context.on("request", (request) => (worker += request.serviceWorker() ? 1 : 0));
    await page.goto(url);
    await page.locator(selector).first().waitFor();
    await page.waitForLoadState("networkidle");
    return {
      usable: await page.evaluate("globalThis.usable"),
      shift: await page.evaluate("globalThis.shift"),
      bytes: sum.bytes,
      requests: sum.requests + worker,
    };
  } finally {
    await context.close();
  }
}

/**
 * Measures the time until a page of the console is usable: on first visits to the server and to a
 * static host without compression, and on a return visit to a CA in the browser.
 */
export async function benchPage(): Promise<void> {
  const server = await startBuilt({
    dataDir: scratchDirectory(),
    env: { DEMO_DIR: await builtDemo() },
  });
  const host = await serve();
  const browser = await chromium.launch(await chromiumLaunch());
  try {
    const signIn = `${server.url}/demo/`;
    const visits: readonly (readonly [string, () => Promise<Visit>])[] = [
      ["page of the server, sign-in", () => visit(browser, signIn, "input[type=password]")],
      ["page of a static host, start", () => visit(browser, host.url, "button.start")],
      [
        "return to an authority in the browser, its tree",
        () => visit(browser, host.url, "main a[href*='authorities/']", devCa),
      ],
    ];
    for (const [what, go] of visits) {
      const seen: Visit[] = [];
      for (let i = 0; i < rounds; i++) seen.push(await go());
      const [{ bytes, requests } = { bytes: 0, requests: 0 }] = seen;
      figure(`${what}: bytes and requests`, `${round(bytes / 1000)} kB, ${requests}`);
      atMost(`${what}: usable`, median(seen.map(({ usable }) => usable)), 1000, "ms");
      atMost(`${what}: layout shift`, Math.max(...seen.map(({ shift }) => shift)), 0.02, "");
    }
  } finally {
    await browser.close();
    await host.close();
    await server.stop();
  }
}
