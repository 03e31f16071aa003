import type { ComponentChildren, JSX } from "preact";
import { useRef } from "preact/hooks";

/**
 * A container that does not shrink when `of` changes, so that a choice in a dialog does not change
 * the height of the dialog.
 */
export function SteadyHeight({
  of,
  children,
}: {
  of: string;
  children: ComponentChildren;
}): JSX.Element {
  const element = useRef<HTMLDivElement>(null);
  const last = useRef({ of, height: 0 });
  if (last.current.of !== of) last.current = { of, height: element.current?.offsetHeight ?? 0 };
  return (
    <div class="steady stack close" ref={element} style={{ minHeight: `${last.current.height}px` }}>
      {children}
    </div>
  );
}
