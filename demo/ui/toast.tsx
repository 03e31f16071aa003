import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { createStore, useStore } from "../lib/store.ts";
import { Icon } from "./icon.tsx";

const toasts = createStore({ text: "", turn: 0 });

/** Shows a brief confirmation of an action. Do not use it as the only place for an error. */
export const toast = (text: string): void => toasts.set({ text, turn: toasts.get().turn + 1 });

/**
 * Shows a popover above everything, including open dialogs. Browsers without popovers show it below
 * dialogs.
 */
function showPopover(element: HTMLElement | null, shown: boolean): void {
  if (!element || !("showPopover" in element)) return;
  element.hidePopover();
  if (shown) element.showPopover();
}

/** The toast. It is shown for five seconds, and longer while it is hovered. */
export function Toast(): JSX.Element {
  const { text, turn } = useStore(toasts, (value) => value);
  const hovered = useRef(false);
  const element = useRef<HTMLDivElement>(null);
  useEffect(() => {
    showPopover(element.current, text !== "");
    if (!text) return;
    const timer = setInterval(() => {
      if (!hovered.current) toasts.set({ text: "" });
    }, 5000);
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
    </div>
  );
}
