import type { RefObject } from "preact";
import { useLayoutEffect } from "preact/hooks";

/**
 * Moves the focus to the first `h2` of an element when the control with the focus is removed or
 * disabled, because the browser would otherwise move it to the page's body.
 */
export function useLostFocus(element: RefObject<HTMLElement | null>): void {
  useLayoutEffect(() => {
    const within = element.current;
    if (!within) return;
    let last: EventTarget | null = null;
    const recover = (): void => {
      if (!(last instanceof HTMLElement)) return;
      if (last.isConnected && !last.matches(":disabled")) return;
      const focused = document.activeElement;
      if (focused !== last && focused !== document.body) return;
      const heading = within.querySelector("h2");
      if (!heading) return;
      heading.tabIndex = -1;
      heading.focus();
    };
    within.addEventListener("focusin", ({ target }) => {
      last = target;
    });
    // the observer and the listener end with the element
    const changed = { subtree: true, childList: true, attributeFilter: ["disabled"] };
    new MutationObserver(recover).observe(within, changed);
  }, []);
}
