import type { JSX } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { useAcl } from "../api/permissions.ts";
import { isTokenLike } from "../lib/token-syntax.ts";
import { visible } from "../lib/visible-text.ts";
import { place, signedOut } from "../lib/place.ts";
import { recentEntries, rememberEntry } from "../lib/recent-entries.ts";
import { address, push } from "../lib/route.ts";
import { useLoad } from "../lib/use-load.ts";
import { useStore } from "../lib/store.ts";
import { digitsIn } from "../routes/certificates/serial-prefix.ts";
import { Dialog } from "../ui/dialog.tsx";
import { Icon } from "../ui/icon.tsx";
import { toast } from "../ui/toast.tsx";
import { revokeAction, staticEntries, type PaletteEntry } from "./palette-entries.ts";
import { defaultEntry, groupResults, type PaletteGroup } from "./palette-groups.ts";
import {
  callEntries,
  issuersOnce,
  maxSerialDigits,
  namedEntries,
  searchEntry,
  searchesCertificates,
} from "./palette-sources.ts";

/** Time in ms without typing after which the server is queried. */
const pause = 150;

interface ServerResults {
  readonly query: string;
  readonly certificates: readonly PaletteEntry[];
  readonly calls: readonly PaletteEntry[];
}
const none: ServerResults = { query: "", certificates: [], calls: [] };

/**
 * Returns the certificates and API calls that match a query. Searches when the user stops typing.
 */
function useServerResults(
  query: string,
  calls: boolean,
  issuers: ReturnType<typeof issuersOnce>,
): ServerResults & { busy: boolean } {
  const [results, setResults] = useState(none);
  useEffect(() => {
    let over = false;
    const add = (change: Partial<ServerResults>): void => {
      if (!over) setResults((now) => ({ ...(now.query === query ? now : none), query, ...change }));
    };
    const search = (): void => {
      // an older server may lack the search, or the token may lack permission for it: show the
      // other results
      void import("./palette-certificates.ts")
        .then(({ certificateEntries }) => certificateEntries(query, issuers))
        .catch(() => [])
        .then((certificates) => add({ certificates }));
      if (!calls) return;
      void callEntries(query)
        .catch(() => [])
        .then((entries) => add({ calls: entries }));
    };
    const timer = setTimeout(search, pause);
    return () => {
      over = true;
      clearTimeout(timer);
    };
  }, [query, calls]);
  const isCurrent = results.query === query;
  return { ...(isCurrent ? results : none), busy: query.trim() !== "" && !isCurrent };
}

/**
 * Returns the results of a query. If `picking`, they are only certificates, one of which the user
 * must choose.
 */
function useResults(query: string, picking: boolean) {
  useAcl();
  const where = useStore(place, (value) => value);
  const [issuers] = useState(issuersOnce);
  const named = useLoad(() => namedEntries(issuers), [where]).value ?? [];
  // only the palette and the issue form store entries
  const [recent] = useState(() => recentEntries() as readonly PaletteEntry[]);
  const results = useServerResults(query, !picking, issuers);
  const searches = !picking && query.trim() !== "" && searchesCertificates();
  const groups = groupResults(picking ? "" : query, {
    recent: picking || signedOut(where) ? [] : recent,
    builtIn: picking ? [] : [...staticEntries(), ...named],
    certificates: [...(searches ? [searchEntry(query)] : []), ...results.certificates],
    calls: results.calls,
  });
  return { groups, busy: results.busy };
}

/** Opens an entry. If `picking`, opens the revocation dialog of the chosen certificate. */
function choose(entry: PaletteEntry, picking: boolean): void {
  if (entry.run) return entry.run();
  if (!picking && entry.id !== "search") rememberEntry(entry);
  const serial = entry.id.replace("certificate ", "");
  push(picking ? address("certificates", serial, { do: "revoke" }) : (entry.to ?? ""));
}

/**
 * The search over everything that the console shows: certificates, CAs, roles, mounts, settings,
 * API calls and actions. It is a combobox with a grouped list of options.
 */
export function Palette({ close }: { close: () => void }): JSX.Element {
  const [query, setQuery] = useState("");
  const [picking, setPicking] = useState(false);
  const [selected, select] = useState("");
  const id = useId();
  const { groups, busy } = useResults(query, picking);
  const all = groups.flatMap(({ entries }) => entries);
  const active =
    all.find((entry) => entry.id === selected) ?? defaultEntry(picking ? "" : query, all);
  const optionId = (entry: PaletteEntry): string => `${id}-${entry.id.replace(/\s/g, "_")}`;
  const type = (typed: string): string => {
    const isToken = isTokenLike(typed);
    if (isToken) toast("This looks like a token, so it was not searched for");
    const text = isToken ? "" : typed;
    setQuery(text);
    select("");
    return text;
  };
  const pick = (entry: PaletteEntry): void => {
    if (entry.id !== revokeAction) {
      close();
      return choose(entry, picking);
    }
    setPicking(true);
    type("");
  };
  const move = (by: number): void => {
    const at = all.findIndex((entry) => entry === active);
    const next = all[(at + by + all.length) % all.length];
    if (next) select(next.id);
  };
  const press = (event: KeyboardEvent): void => {
    if (event.isComposing) return;
    if (event.key === "Backspace" && query === "") return setPicking(false);
    if (!["ArrowDown", "ArrowUp", "Enter"].includes(event.key)) return;
    event.preventDefault();
    if (event.key !== "Enter") return move(event.key === "ArrowDown" ? 1 : -1);
    if (active) pick(active);
  };
  useEffect(() => {
    if (active) document.getElementById(optionId(active))?.scrollIntoView({ block: "nearest" });
  }, [active?.id]);
  const label = picking ? "Certificate to revoke: name or serial number" : "Search or go to";
  return (
    <Dialog
      title={picking ? "Revoke a certificate" : "Search or go to"}
      kind="palette"
      close={close}
    >
      <div class="find">
        <Icon name={picking ? "ban" : "search"} />
        <Combobox
          {...{ query, type, press, label }}
          placeholder={picking ? label : "Name, serial number, fingerprint, setting, action…"}
          list={`${id}-list`}
          active={active && optionId(active)}
        />
        <kbd aria-hidden="true">Esc</kbd>
      </div>
      <Options {...{ groups, active, optionId, pick, select }} id={`${id}-list`} />
      <Outcome query={query} picking={picking} busy={busy} count={all.length} groups={groups} />
    </Dialog>
  );
}

interface ComboboxProps {
  query: string;
  /** Handles typed text and returns the text that the field then contains. */
  type: (text: string) => string;
  press: (event: KeyboardEvent) => void;
  label: string;
  placeholder: string;
  list: string;
  active: string | undefined;
}

function Combobox({
  query,
  type,
  press,
  label,
  placeholder,
  list,
  active,
}: ComboboxProps): JSX.Element {
  const element = useRef<HTMLInputElement>(null);
  // `autofocus` has no effect in a dialog whose contents are rendered by a script
  useEffect(() => element.current?.focus(), []);
  return (
    <input
      ref={element}
      type="text"
      role="combobox"
      aria-label={label}
      aria-expanded={active !== undefined}
      aria-controls={list}
      aria-autocomplete="list"
      aria-activedescendant={active}
      placeholder={placeholder}
      autocomplete="off"
      spellcheck={false}
      value={query}
      onInput={(event) => {
        event.currentTarget.value = type(event.currentTarget.value);
      }}
      onKeyDown={press}
    />
  );
}

interface OptionsProps {
  id: string;
  groups: readonly PaletteGroup<PaletteEntry>[];
  active: PaletteEntry | undefined;
  optionId: (entry: PaletteEntry) => string;
  pick: (entry: PaletteEntry) => void;
  select: (id: string) => void;
}

function Options({ id, groups, active, optionId, pick, select }: OptionsProps): JSX.Element {
  return (
    <div role="listbox" id={id} aria-label="Results" class="options">
      {groups.map(({ name, entries }) => (
        <div key={name} role="group" aria-labelledby={`${id}-${name.replace(" ", "")}`}>
          <div class="group-name" role="presentation" id={`${id}-${name.replace(" ", "")}`}>
            {name}
          </div>
          {entries.map((entry) => (
            <div
              key={entry.id}
              id={optionId(entry)}
              role="option"
              aria-selected={entry.id === active?.id}
              // keep the focus in the field
              onMouseDown={(event) => event.preventDefault()}
              onMouseMove={() => select(entry.id)}
              onClick={() => pick(entry)}
            >
              <Icon name={entry.icon} />
              <span class="break">{entry.title}</span>
              {entry.hint && <span class="small muted">{entry.hint}</span>}
            </div>
          ))}
        </div>
      ))}
    </div>
  );
}

/** Returns advice for a query without results. */
function advice(query: string, picking: boolean): string {
  if (!searchesCertificates())
    return "Your token cannot list certificates. Enter the complete serial number of a certificate to open it, or open its file in Inspect.";
  if (digitsIn(query).length === maxSerialDigits)
    return "No certificate has this serial number. To find a certificate by its fingerprint, enter the SHA-256 fingerprint: SHA-1 fingerprints are not indexed.";
  return picking
    ? "Type the beginning of a name or serial number."
    : "Search certificates by name, serial number or fingerprint, and CAs, roles, mounts, settings, API calls and actions by keyword.";
}

/** The number of results, or advice if there are none. */
function Outcome({
  query,
  picking,
  busy,
  count,
  groups,
}: {
  query: string;
  picking: boolean;
  busy: boolean;
  count: number;
  groups: readonly PaletteGroup<PaletteEntry>[];
}): JSX.Element {
  const onlySearch = count === 1 && groups[0]?.entries[0]?.id === "search";
  const isEmpty = !busy && query.trim() !== "" && (count === 0 || onlySearch);
  return (
    <div role="status" class={isEmpty || (picking && count === 0) ? "small muted" : "hidden-text"}>
      {isEmpty && <p>Nothing matches “{visible(query.trim())}”.</p>}
      {isEmpty || (picking && count === 0) ? (
        <p>{advice(query, picking)}</p>
      ) : busy ? (
        ""
      ) : (
        `${count} result${count === 1 ? "" : "s"}`
      )}
    </div>
  );
}
