import type { ComponentChildren, JSX } from "preact";
import { useId, useLayoutEffect, useRef } from "preact/hooks";
import { useStore } from "../lib/store.ts";
import { place, placeName } from "../lib/place.ts";

interface Props {
  title: string;
  close: () => void;
  /** Called before Esc closes the dialog. Returns false to keep it open. */
  mayClose?: () => boolean;
  /**
   * The object that is written to, which the dialog shows with the server; `true` for the mount.
   */
  writes?: boolean | string;
  /** `palette`: at the top of the window, with a title only for screen readers. */
  kind?: "palette";
  children: ComponentChildren;
}

/**
 * A modal dialog, which is open while it is rendered. Closing it returns the focus to the element
 * that had it before.
 */
export function Dialog(props: Props): JSX.Element {
  const { title, close, mayClose, writes = false, kind, children } = props;
  const element = useRef<HTMLDialogElement>(null);
  const scroller = useRef<HTMLDivElement>(null);
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
    // undo the scrolling of a high dialog due to the focus of a button at its end
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
  // Browsers may close the dialog on a second Esc although `cancel` was prevented: reopen it then.
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
