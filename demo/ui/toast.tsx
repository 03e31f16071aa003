import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { createStore, useStore } from "../lib/store.ts";
import { Icon } from "./icon.tsx";

/** The text and address of a link to the next step. */
export type NextStep = readonly [text: string, to: string];

const nothing: { readonly text: string; readonly next: NextStep | undefined } = {
  text: "",
  next: undefined,
};
const toasts = createStore({ ...nothing, turn: 0 });

/**
 * Confirms an action briefly. An error must not appear only here. `next`: a step to offer; because
 * the toast disappears, the step must also be offered elsewhere.
 */
export const toast = (text: string, next?: NextStep): void =>
  toasts.set({ text, next, turn: toasts.get().turn + 1 });

/** Time in ms for which a toast is shown, without and with a link. */
const [shortly, withLink] = [5000, 15_000];

/**
 * Shows a popover above everything, including open dialogs. Browsers without popovers show it below
 * dialogs.
 */
function showPopover(element: HTMLElement | null, shown: boolean): void {
  if (!element || !("showPopover" in element)) return;
  element.hidePopover();
  if (shown) element.showPopover();
}

/**
 * The toast. It is shown for a few seconds, and as long as it is hovered or its link has the focus.
 */
export function Toast(): JSX.Element {
  const { text, next, turn } = useStore(toasts, (value) => value);
  const hovered = useRef(false);
  const hide = (): void => toasts.set(nothing);
  const element = useRef<HTMLDivElement>(null);
  useEffect(() => {
    showPopover(element.current, text !== "");
    if (!text) return;
    const timer = setInterval(
      () => {
        if (!hovered.current && !element.current?.contains(document.activeElement)) hide();
      },
      next ? withLink : shortly,
    );
    return () => clearInterval(timer);
  }, [turn, text]);
  return (
    <div
      class="toast"
      role="status"
      popover="manual"
      ref={element}
      onPointerEnter={() => {
        hovered.current = true;
      }}
      onPointerLeave={() => {
        hovered.current = false;
      }}
    >
      {text && <Icon name="check" />}
      {text}
      {next && (
        <a href={next[1]} onClick={hide}>
          {next[0]}
        </a>
      )}
    </div>
  );
}
