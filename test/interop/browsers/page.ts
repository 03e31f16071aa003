import { expect } from "vitest";
import type { Window } from "./engine.ts";

/** Returns an expression that finds an element of the open dialog, or else the page, by label or text. */
const named = (selector: string, name: RegExp): string =>
  `[...(document.querySelector("dialog[open]") ?? document).querySelectorAll(${JSON.stringify(selector)})].find((one) => one.checkVisibility() && ${String(name)}.test((one.ariaLabel ?? [...(one.labels?.length ? one.labels : [one])].map(({ textContent }) => textContent).join(" ")).trim()))`;

/** Waits until an expression is true in the page. */
async function until(window: Window, expression: string): Promise<void> {
  await expect
    .poll(() => window.evaluate(`!!(${expression})`).catch(String), {
      timeout: 30_000,
      message: expression,
    })
    .toBe(true);
}

/** Waits until a matching element is visible. */
export const seen = (window: Window, selector: string, name: RegExp): Promise<void> =>
  until(window, named(selector, name));

/** Clicks a button, a link or a checkbox as soon as it is enabled. */
export const press = (window: Window, name: RegExp): Promise<void> =>
  until(
    window,
    `((one) => one && !one.disabled && (one.click(), true))(${named("button, a[href], input", name)})`,
  );

/** Types into a field or selects an option. */
export const fill = (window: Window, name: RegExp, value: string): Promise<void> => {
  const events = `["input", "change"].forEach((type) => one.dispatchEvent(new Event(type, { bubbles: true })))`;
  return until(
    window,
    `((one) => one && (one.value = ${JSON.stringify(value)}, ${events}, true))(${named("input, select, textarea", name)})`,
  );
};

/** Waits until the browser's CA has started, which the first view that calls it does. */
export async function begun(window: Window): Promise<void> {
  await seen(window, "h1", /./);
  await window.evaluate("location.hash = '#/roles'");
  await seen(window, "h1", /^Roles$/);
  await until(window, "navigator.serviceWorker.controller");
}

/** Calls the browser's CA from its page and returns the text of the response. */
export async function ask(
  window: Window,
  method: string,
  path: string,
  body?: object,
): Promise<string> {
  const init = { method, ...(body && { body: JSON.stringify(body) }) };
  const [status, text] = (await window.evaluate(
    `fetch(${JSON.stringify(`./v1/${path}`)}, ${JSON.stringify(init)}).then(async (answer) => [answer.status, await answer.text()])`,
  )) as [number, string];
  if (status >= 300) throw new Error(`${method} ${path}: ${status} ${text}`);
  return text;
}

/** Returns the data of a JSON response. */
export const data = async (...asked: Parameters<typeof ask>): Promise<Record<string, unknown>> => {
  const text = await ask(...asked);
  return text ? (JSON.parse(text) as { data: Record<string, unknown> }).data : {};
};
