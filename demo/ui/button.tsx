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

/** Returns why an action is not allowed or would fail; empty if no reason is known. */
const reasonOf = ({ lacks, fails = "" }: Pick<Look, "lacks" | "fails">): string =>
  lacks ? `Your token lacks ${lacks}` : fails;

/** The attributes of a control that is disabled for a reason, and the text with the reason. */
interface DisabledControl {
  readonly attributes: {
    readonly "aria-disabled"?: "true";
    readonly title?: string;
    readonly onFocus?: () => void;
    readonly onBlur: () => void;
  };
  /** The reason, to be rendered after the control. */
  readonly reason: JSX.Element | false;
  /** Shows the reason when the control is pressed. */
  readonly explain: (event: MouseEvent & { readonly currentTarget: HTMLElement }) => void;
}

/**
 * Returns the attributes of a control that is disabled for the reason `why`, which may be empty.
 * The title states the reason where a pointer can hover, and a text below the control states it
 * while the control has the focus.
 */
export function useReason(why: string): DisabledControl {
  const [isShown, show] = useState(false);
  return {
    attributes: {
      onBlur: () => show(false),
      ...(why && { "aria-disabled": "true", title: why, onFocus: () => show(true) }),
    },
    // the title already is the accessible description
    reason: why !== "" && isShown && (
      <span class="why small muted" aria-hidden="true">
        {why}
      </span>
    ),
    explain: (event) => {
      event.preventDefault();
      // a tap does not focus a button in Safari
      event.currentTarget.focus();
      show(true);
    },
  };
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
  } = props;
  const { attributes, reason, explain } = useReason(reasonOf(props));
  const stopped = busy || attributes.title;
  const button = (
    <button
      class={classOf(props, end ? "end" : "")}
      type={submit ? "submit" : "button"}
      form={of}
      autofocus={first}
      aria-label={label}
      aria-pressed={pressed}
      aria-busy={busy || undefined}
      aria-disabled={busy || undefined}
      {...attributes}
      disabled={disabled}
      onClick={stopped ? explain : press}
    >
      {icon && !busy && <Icon name={icon} />}
      {children}
    </button>
  );
  return (
    <>
      {button}
      {reason}
    </>
  );
}

/** A link that looks like a button. */
export function ButtonLink(props: Look & { to: string; label?: string }): JSX.Element {
  const { attributes, reason, explain } = useReason(reasonOf(props));
  return (
    <>
      <a
        class={classOf(props)}
        {...(attributes.title
          ? { role: "link", tabIndex: 0, onClick: explain, ...attributes }
          : { href: props.to })}
        aria-label={props.label}
      >
        {props.icon && <Icon name={props.icon} />}
        <span>{props.children}</span>
      </a>
      {reason}
    </>
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
