import type { ComponentChildren, JSX } from "preact";
import { useId, useRef, useState } from "preact/hooks";

/**
 * Tabs with panels, one of which is shown. The arrow keys, Home and End move between the tabs,
 * which are a single tab stop. If the selected tab disappears, the first one is selected.
 */
export function Tabs({
  label,
  panels,
  shown,
  choose,
  panelLabel,
}: {
  label: string;
  panels: readonly (readonly [title: string, content: () => ComponentChildren])[];
  /** Index of the shown panel, if the parent controls it. */
  shown?: number;
  choose?: (index: number) => void;
  /** Accessible name of the panels. The default is the title of the tab. */
  panelLabel?: string;
}): JSX.Element {
  const [chosen, setChosen] = useState(0);
  const wanted = shown ?? chosen;
  const at = wanted < panels.length ? wanted : 0;
  const setAt = choose ?? setChosen;
  const id = useId();
  const row = useRef<HTMLDivElement>(null);
  const move = (event: KeyboardEvent): void => {
    const last = panels.length - 1;
    const next = {
      ArrowLeft: at === 0 ? last : at - 1,
      ArrowRight: at === last ? 0 : at + 1,
      Home: 0,
      End: last,
    }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    setAt(next);
    const tab = row.current?.children.item(next);
    if (tab instanceof HTMLElement) tab.focus();
  };
  return (
    <>
      <div class="tabs" role="tablist" aria-label={label} ref={row} onKeyDown={move}>
        {panels.map(([title], i) => (
          <button
            key={title}
            type="button"
            role="tab"
            id={`${id}-t${i}`}
            aria-controls={`${id}-p${i}`}
            aria-selected={i === at}
            tabIndex={i === at ? 0 : -1}
            onClick={() => setAt(i)}
          >
            {title}
          </button>
        ))}
      </div>
      {panels.map(([title, content], i) => (
        <div
          key={title}
          role="tabpanel"
          id={`${id}-p${i}`}
          aria-label={panelLabel}
          aria-labelledby={panelLabel ? undefined : `${id}-t${i}`}
          hidden={i !== at}
        >
          {i === at && content()}
        </div>
      ))}
    </>
  );
}
