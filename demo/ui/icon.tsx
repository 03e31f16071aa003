import type { JSX } from "preact";

export type IconName =
  | "overview"
  | "certs"
  | "issue"
  | "inspect"
  | "roles"
  | "ban"
  | "cycle"
  | "vars"
  | "api"
  | "settings"
  | "search"
  | "plus"
  | "check"
  | "x"
  | "warn"
  | "info"
  | "copy"
  | "down"
  | "up"
  | "theme"
  | "key"
  | "lock"
  | "next"
  | "prev"
  | "swap"
  | "browser"
  | "server"
  | "device"
  | "shield"
  | "users"
  | "more"
  | "clock";
export type Tone = "ok" | "warn" | "danger" | "info" | "quiet" | "";

/** An icon next to text. Never rely on an icon alone to convey meaning. */
export function Icon({ name, tone = "" }: { name: IconName; tone?: Tone }): JSX.Element {
  return (
    <svg class={`icon ${tone && `tone-${tone}`}`} aria-hidden="true">
      <use href={`#i-${name}`} />
    </svg>
  );
}

/** The product's logo, which screen readers ignore. */
export const Mark = (): JSX.Element => (
  <svg class="mark" aria-hidden="true">
    <use href="#mark" />
  </svg>
);

/** A short word in a badge. */
export function Badge({
  tone = "",
  mark,
  children,
}: {
  tone?: string;
  mark?: IconName | undefined;
  children: preactChildren;
}): JSX.Element {
  return (
    <span class={`badge ${tone}`}>
      {mark && <Icon name={mark} />}
      {children}
    </span>
  );
}
type preactChildren = JSX.Element | string | readonly (JSX.Element | string)[];
