import type { ComponentChildren, JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { ApiError, isUnsure, unknownToken } from "../api/transport.ts";
import { place, signInAgain, wasRefused } from "../lib/place.ts";
import { address, route } from "../lib/route.ts";
import { useStore } from "../lib/store.ts";
import type { Loaded } from "../lib/use-load.ts";
import { Button } from "./button.tsx";
import { Icon } from "./icon.tsx";

let focused = 0;

/** The heading of a view. It sets the page title and takes the focus after a navigation. */
export function Heading({
  children,
  title,
}: {
  children?: ComponentChildren;
  title: string;
}): JSX.Element {
  const turn = useStore(route, (value) => value.turn);
  const element = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · Sealwright`;
  }, [title]);
  useEffect(() => {
    // Take the focus again if the heading was replaced after the view had loaded.
    if (turn === focused && (turn === 0 || document.activeElement !== document.body)) return;
    focused = turn;
    scrollTo(0, 0);
    element.current?.focus({ preventScroll: true });
  }, [turn]);
  return (
    <h1 tabIndex={-1} ref={element}>
      {children ?? title}
    </h1>
  );
}

/** The link back to the list from which the view was opened. */
export function Back({ to, children }: { to: string; children: string }): JSX.Element {
  return (
    <a class="back" href={to}>
      <Icon name="prev" />
      {children}
    </a>
  );
}

/** The header of a view: its title, a sentence about the view, and its actions. */
export function Head({
  title,
  about,
  actions,
}: {
  title: string;
  about?: ComponentChildren;
  actions?: ComponentChildren;
}): JSX.Element {
  return (
    <div class="view-head">
      <div>
        <Heading title={title} />
        {about && <p>{about}</p>}
      </div>
      {actions && <div class="actions">{actions}</div>}
    </div>
  );
}

/** Advice after an error that is due to missing permissions. */
function Forbidden({ error }: { error: ApiError }): JSX.Element | null {
  if (place.get().kind === "worker" && (unknownToken(error) || place.get().token === ""))
    return (
      <p class="small">
        {place.get().token === ""
          ? "No token provided."
          : `The token is invalid or has expired.${wasRefused() ? " It was removed from this tab." : ""}`}{" "}
        <Button tiny press={signInAgain}>
          Sign in again
        </Button>
      </p>
    );
  // the message names the capability itself
  if (/capability on/.test(error.message)) return null;
  const [, verb = "", path = ""] = /^(\w+) \/v1\/([^?]*)/.exec(error.call) ?? [];
  return (
    <p class="small">
      The token lacks permission: it needs <code>{rights[verb] ?? "update"}</code> on{" "}
      <code class="break">{path}</code>. Send the line above to your administrator, or see{" "}
      <a href={address("access")}>its permissions</a>.
    </p>
  );
}

/** The capability that each method requires. Some calls also require sudo. */
const rights: Readonly<Record<string, string>> = {
  GET: "read",
  LIST: "list",
  PATCH: "patch",
  DELETE: "delete",
};

/**
 * Reports whether an error means that the server lacks the endpoint, because the server is older
 * than this page.
 */
const isMissing = ({ status, message }: ApiError): boolean =>
  (status === 404 || status === 405) && /unsupported (?:path|operation)|no handler/.test(message);

/**
 * Advice after a 404 response. If the call was for the current mount, the mount probably does not
 * exist.
 */
function Missing({ of: { call, message } }: { of: ApiError }): JSX.Element {
  const { mount } = place.get();
  return message.startsWith("no handler") && call.includes(` /v1/${mount}/`) ? (
    <p class="small">
      Mount <code class="break">{mount}</code> does not exist: it was deleted, moved or renamed.{" "}
      <a href={address("system", "mounts")}>Choose a mount</a>
    </p>
  ) : (
    <p class="small">The server may be too old to support this.</p>
  );
}

/** The notice that no request was sent, because the token's policies would not allow it. */
export function NotAllowed({ lacks }: { lacks: string }): JSX.Element {
  return (
    <Note icon="lock">
      <p>
        Your token lacks <code class="break">{lacks}</code>. See{" "}
        <a href={address("access")}>your permissions</a>, or ask your administrator.
      </p>
    </Note>
  );
}

/** An error as reported by the server, and a button that retries. */
export function Failure({
  error,
  again,
  children,
}: {
  error: Error;
  again?: () => void;
  children?: ComponentChildren;
}): JSX.Element {
  const apiError = error instanceof ApiError ? error : undefined;
  if (apiError?.lacks) return <NotAllowed lacks={apiError.lacks} />;
  return (
    <div class="note danger" role="alert">
      <Icon name="x" tone="danger" />
      <div>
        <b>{error.message}</b>
        {apiError?.call && (
          <p class="small muted">
            <code class="break">{apiError.call}</code>
            {apiError.request && (
              <>
                {" "}
                · request <code>{apiError.request}</code>
              </>
            )}
          </p>
        )}
        {apiError?.status === 403 && apiError.call && <Forbidden error={apiError} />}
        {apiError && isMissing(apiError) && <Missing of={apiError} />}
        {apiError && isUnsure(apiError) && (
          <p>
            The response was lost, so the change may have been made. Check before you try again.
          </p>
        )}
        {children && <p>{children}</p>}
        {again && (
          <p>
            <Button tiny press={again}>
              Try again
            </Button>
          </p>
        )}
      </div>
    </div>
  );
}

/** A note with an icon. */
export function Note({
  tone = "",
  icon = "info",
  children,
}: {
  tone?: "" | "warn" | "danger";
  icon?: "info" | "warn" | "key" | "lock" | "x";
  children: ComponentChildren;
}): JSX.Element {
  return (
    <div class={`note ${tone}`}>
      <Icon name={icon} tone={tone || "info"} />
      <div>{children}</div>
    </div>
  );
}

/** The warnings of a response. */
export function Warnings({ texts }: { texts: readonly string[] }): JSX.Element | null {
  return texts.length === 0 ? null : (
    <Note tone="warn" icon="warn">
      {texts.map((text) => (
        <p key={text}>{text}</p>
      ))}
    </Note>
  );
}

/** The placeholder for an empty list: its purpose, and a button that creates the first item. */
export function Empty({
  text,
  children,
}: {
  text: ComponentChildren;
  children?: ComponentChildren;
}): JSX.Element {
  return (
    <div class="empty">
      <p>{text}</p>
      {children && <div class="actions">{children}</div>}
    </div>
  );
}

/** Shows loaded data, or the error if loading failed. Dims the data while it is being reloaded. */
export function Ready<T>({
  from,
  children,
}: {
  from: Loaded<T>;
  children: (value: T) => ComponentChildren;
}): JSX.Element {
  const previous = useRef(from.value);
  const failed = useRef(false);
  useEffect(() => {
    // If the focused element disappeared with the previous data, move the focus to the title.
    if (
      (previous.current !== undefined || failed.current) &&
      previous.current !== from.value &&
      document.activeElement === document.body
    )
      document.querySelector("h1")?.focus({ preventScroll: true });
    previous.current = from.value;
    failed.current = from.error !== undefined;
  }, [from.value, from.error]);
  if (from.error) return <Failure error={from.error} again={from.again} />;
  if (from.value === undefined)
    return (
      <div class="loading" aria-busy="true">
        <p class="hidden-text">Loading</p>
        <i />
        <i />
        <i />
      </div>
    );
  return (
    <div class={from.busy ? "stale" : ""} aria-busy={from.busy}>
      {children(from.value)}
    </div>
  );
}

/** A framed part of a view with a heading. */
export function Card({
  title,
  end,
  footer,
  children,
}: {
  title: string;
  end?: ComponentChildren;
  footer?: ComponentChildren;
  children: ComponentChildren;
}): JSX.Element {
  return (
    <section class="card" aria-label={title}>
      <header>
        <h2>{title}</h2>
        {end && <div class="end actions">{end}</div>}
      </header>
      {children}
      {footer && <footer>{footer}</footer>}
    </section>
  );
}

/** A list of names and values, one pair per line. */
export function Facts({
  rows,
}: {
  rows: readonly (
    | readonly [name: string, value: ComponentChildren, mono?: boolean]
    | undefined
    | false
  )[];
}): JSX.Element {
  const shown = rows.filter((row) => row !== undefined && row !== false);
  return (
    <dl class="facts">
      {shown.map(([name, value, mono]) => [
        <dt key={name}>{name}</dt>,
        <dd class={mono ? "print" : ""} key={`${name}:`}>
          {value}
        </dd>,
      ])}
    </dl>
  );
}
