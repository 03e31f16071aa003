import type { ComponentChildren, JSX } from "preact";
import { useId, useLayoutEffect, useRef } from "preact/hooks";
import { useStore } from "../lib/store.ts";
import { place, placeName } from "../lib/place.ts";
import { useLostFocus } from "./lost-focus.ts";

interface Props {
  title: string;
  close: () => void;
  /** Called before Esc closes the dialog; returns false to keep the dialog open. */
  mayClose?: () => boolean;
  /**
   * The object that the dialog changes, or `true` for the mount. The dialog shows it with the
   * server's name.
   */
  writes?: boolean | string;
  /** A `palette` is at the top of the window, with a title only for screen readers. */
  kind?: "palette";
  children: ComponentChildren;
}

/**
 * A modal dialog, which is open while it is rendered. When it closes, the focus returns to the
 * element that had it before.
 */
export function Dialog(props: Props): JSX.Element {
  const { title, close, mayClose, writes = false, kind, children } = props;
  const element = useRef<HTMLDialogElement>(null);
  const scroller = useRef<HTMLDivElement>(null);
  useLostFocus(element);
  const id = useId();
  const where = useStore(place, (value) => value);
  // Open the dialog before the next paint, so that Esc always has an effect when one dialog
  // replaces another.
  useLayoutEffect(() => {
    const dialog = element.current;
    const opener = document.activeElement;
    const root = document.documentElement;
    root.classList.toggle("scrolls", innerWidth > root.clientWidth);
    dialog?.showModal();
    // a focused button at the end of a tall dialog scrolls the dialog: scroll back to the top
    scroller.current?.scrollTo(0, 0);
    return () => {
      dialog?.close();
      if (opener instanceof HTMLElement && opener !== document.body && opener.isConnected)
        opener.focus();
      else document.querySelector("h1")?.focus();
    };
  }, []);
  const cancel = (event: Event): void => {
    event.preventDefault();
    if (!mayClose || mayClose()) close();
  };
  // Browsers may close the dialog on a second Esc even if `cancel` was prevented. Then reopen it.
  const onClosed = (): void => {
    if (element.current?.isConnected && !element.current.open) {
      if (!mayClose || mayClose()) close();
      else element.current.showModal();
    }
  };
  return (
    <dialog ref={element} class={kind} aria-labelledby={id} onCancel={cancel} onClose={onClosed}>
      <div class="scroller" ref={scroller}>
        <div class="body">
          <h2 id={id} class={kind && "hidden-text"}>
            {title}
          </h2>
          {writes && (
            <p class="small muted">
              {placeName(where)}, {writes === true ? "mount " : writes}
              {writes === true && <code>{where.mount}</code>}
            </p>
          )}
          {children}
        </div>
      </div>
    </dialog>
  );
}
