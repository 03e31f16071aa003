import type { ComponentChildren, JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { useAct, type Act } from "../lib/use-action.ts";
import { isUnsure } from "../api/transport.ts";
import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";
import { Text } from "./field.tsx";
import { useLeaving } from "./leave-unsaved.tsx";
import { Failure } from "./page.tsx";

interface FormProps {
  title: string;
  /** The object that the dialog changes. The dialog shows it with the server's name. */
  writes?: boolean | string;
  close: () => void;
  act: Act;
  /** The label of the submit button. */
  action: string;
  danger?: boolean;
  disabled?: boolean;
  submit: () => void;
  /** Whether a field already shows the error. */
  isErrorShown?: boolean;
  /** A link for checking the result if the response is lost. */
  look?: ComponentChildren;
  /** Additional buttons before Cancel. */
  more?: ComponentChildren;
  /**
   * Replaces this form with a dialog that asks whether to delete the edited object. If there is
   * unsaved input, the user must first agree to lose it.
   */
  drop?: (() => void) | undefined;
  /** The button that closes the dialog; by default, Cancel. */
  out?: JSX.Element;
  children: ComponentChildren;
}

/** Moves the focus to the first invalid field, after expanding its section and scrolling to it. */
export function toWrong(form: EventTarget | null): void {
  // The error is on the page only after the next render.
  setTimeout(() => {
    const field =
      form instanceof HTMLElement
        ? form.querySelector<HTMLElement>("[aria-invalid=true]")
        : undefined;
    field?.closest("details")?.setAttribute("open", "");
    field?.focus({ preventScroll: true });
    field?.scrollIntoView({ block: "center" });
  });
}

/**
 * A dialog with fields, a submit button and Cancel. Errors are shown above the buttons. Esc and
 * navigation ask for confirmation before they discard input; Cancel discards it without asking.
 */
export function FormDialog(props: FormProps): JSX.Element {
  const {
    title,
    writes = true,
    close,
    act,
    action,
    danger = false,
    disabled = false,
    submit,
    isErrorShown = false,
    look,
    more,
    drop,
    out,
    children,
  } = props;
  const form = useRef<HTMLFormElement>(null);
  const input = useRef({ typed: false, sent: false });
  // a deletion has no input to lose, and a form that was submitted without an error has been saved
  const isUnsaved = (): boolean =>
    !danger &&
    input.current.typed &&
    !(input.current.sent && !act.error && !form.current?.querySelector("[aria-invalid=true]"));
  const { asking, mayLeave } = useLeaving(isUnsaved, "form");
  const failure = useRef<HTMLDivElement>(null);
  useEffect(() => failure.current?.scrollIntoView({ block: "nearest" }), [act.error]);
  const send = (event: SubmitEvent): void => {
    event.preventDefault();
    input.current.sent = true;
    submit();
    toWrong(event.currentTarget);
  };
  return (
    <Dialog title={title} close={close} mayClose={() => mayLeave(close)} writes={writes}>
      <form
        class="plain"
        ref={form}
        onSubmit={send}
        onInput={({ target }) => {
          // a chosen file does not count as input, because the user can choose it again
          const isFile = target instanceof HTMLInputElement && target.type === "file";
          input.current = { typed: input.current.typed || !isFile, sent: false };
        }}
        noValidate
      >
        {children}
        {act.error && !isErrorShown && (
          <div ref={failure}>
            <Failure error={act.error}>{isUnsure(act.error) && look}</Failure>
          </div>
        )}
        <div class="actions">
          {more}
          {drop && <Delete press={() => mayLeave(drop) && drop()} />}
          {out ?? <Button press={close}>Cancel</Button>}
          <Button kind={danger ? "danger" : "primary"} submit busy={act.busy} disabled={disabled}>
            {action}
          </Button>
        </div>
      </form>
      {asking}
    </Dialog>
  );
}

/** The button that asks whether to delete the edited object. */
export const Delete = ({
  lacks = "",
  end = false,
  press,
}: {
  /** The permission that the token lacks for the deletion; empty if none. */
  lacks?: string;
  /** Whether the button is at the end of its row. */
  end?: boolean;
  press: () => void;
}): JSX.Element => (
  <Button kind="danger" lacks={lacks} end={end} press={press}>
    Delete…
  </Button>
);

interface ConfirmProps {
  title: string;
  writes?: boolean | string;
  close: () => void;
  /** The text that the user must type to enable the delete button, if any. */
  name?: string;
  action?: string;
  /** A link for checking the result if the response is lost. */
  look?: ComponentChildren;
  /** Runs the deletion, after which the dialog closes. */
  work: () => Promise<unknown>;
  /** The consequences of the deletion. */
  children: ComponentChildren;
}

/** The dialog that asks before something is deleted permanently. Cancel has the focus. */
export function Confirm({
  title,
  writes = true,
  close,
  name = "",
  action = "Delete",
  look,
  work,
  children,
}: ConfirmProps): JSX.Element {
  const [typed, setTyped] = useState("");
  const act = useAct();
  const cancel = (
    <button class="btn" type="button" autofocus onClick={close}>
      Cancel
    </button>
  );
  return (
    <FormDialog
      title={title}
      writes={writes}
      close={close}
      act={act}
      action={action}
      look={look}
      danger
      disabled={typed !== name}
      submit={() => typed === name && act.run(work)}
      out={cancel}
    >
      {children}
      {name !== "" && <Text label={<Typing name={name} />} value={typed} change={setTyped} mono />}
    </FormDialog>
  );
}

const Typing = ({ name }: { name: string }): JSX.Element => (
  <>
    Type <code>{name}</code> to confirm
  </>
);
