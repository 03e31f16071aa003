import type { ComponentChildren, JSX } from "preact";
import { useState } from "preact/hooks";
import { Icon, type IconName } from "./icon.tsx";

interface Look {
  kind?: "primary" | "danger" | "plain" | "";
  tiny?: boolean;
  icon?: IconName;
  /**
   * The permission that the token lacks for the action, such as `update on pki/tidy`; empty if
   * none.
   */
  lacks?: string;
  /** A sentence that states why the action would fail; empty if no reason is known. */
  fails?: string;
  children: ComponentChildren;
}

/**
 * Returns the attributes of a control whose action is not allowed. The control's title states the
 * reason.
 */
function refusedBy({ lacks, fails }: Pick<Look, "lacks" | "fails">): {
  readonly "aria-disabled"?: "true";
  readonly title?: string;
} {
  const why = lacks ? `Your token lacks ${lacks}` : fails;
  return why ? { "aria-disabled": "true", title: why } : {};
}

const classOf = ({ kind = "", tiny = false }: Look, more = ""): string =>
  `btn ${kind} ${tiny ? "tiny" : ""} ${more}`.replace(/\s+/g, " ").trim();

/**
 * A button. While `busy`, it ignores clicks but keeps the focus, which a disabled button would
 * lose.
 */
export function Button(
  props: Look & {
    press?: () => void;
    submit?: boolean;
    /** ID of the form that the button submits, if the button is outside the form. */
    of?: string;
    busy?: boolean;
    disabled?: boolean;
    label?: string;
    /** The state of a toggle button. */
    pressed?: boolean;
    end?: boolean;
    /** Whether the button gets the focus when its dialog opens. */
    first?: boolean;
  },
): JSX.Element {
  const {
    press,
    submit = false,
    of,
    busy = false,
    disabled = false,
    icon,
    label,
    pressed,
    children,
    end = false,
    first = false,
    lacks,
    fails,
  } = props;
  const stopped = busy || Boolean(lacks) || Boolean(fails);
  return (
    <button
      class={classOf(props, end ? "end" : "")}
      type={submit ? "submit" : "button"}
      form={of}
      autofocus={first}
      aria-label={label}
      aria-pressed={pressed}
      aria-busy={busy || undefined}
      aria-disabled={busy || undefined}
      {...refusedBy(props)}
      disabled={disabled}
      onClick={stopped ? (event) => event.preventDefault() : press}
    >
      {icon && !busy && <Icon name={icon} />}
      {children}
    </button>
  );
}

/** A link that looks like a button. */
export function ButtonLink(props: Look & { to: string; label?: string }): JSX.Element {
  return (
    <a
      class={classOf(props)}
      {...(props.lacks ? { role: "link", ...refusedBy(props) } : { href: props.to })}
      aria-label={props.label}
    >
      {props.icon && <Icon name={props.icon} />}
      <span>{props.children}</span>
    </a>
  );
}

/**
 * A button that copies `text` and shows the result for two seconds. A `bare` button shows only an
 * icon and needs a label; otherwise `words` is its text.
 */
export function CopyButton({
  text,
  label,
  bare = false,
  words = "Copy",
}: {
  text: string;
  label?: string;
  bare?: boolean;
  words?: string;
}): JSX.Element {
  const [copied, setCopied] = useState("");
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text);
      setCopied("Copied");
    } catch {
      setCopied("Copy failed");
    }
    setTimeout(() => setCopied(""), 2000);
  };
  const icon = copied === "Copied" ? "check" : copied ? "x" : "copy";
  if (bare)
    return (
      <button
        class="btn plain tiny square"
        type="button"
        aria-label={copied || label}
        onClick={() => void copy()}
      >
        <Icon name={icon} />
      </button>
    );
  return (
    <Button tiny press={() => void copy()} icon={icon} {...(label && { label: copied || label })}>
      {copied || words}
    </Button>
  );
}
