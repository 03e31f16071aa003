import type { JSX } from "preact";
import { useId, useRef } from "preact/hooks";
import { Button } from "../../ui/button.tsx";
import { TermText } from "../../ui/term.tsx";
import { Icon } from "../../ui/icon.tsx";
import type { Role } from "../../lib/role.ts";
import { verdictOnName, kindOf } from "../../lib/verdict.ts";
import { visible } from "../../lib/visible-text.ts";

/**
 * A list of fields, one for each name, with the results of the checks. If the user pastes several
 * names, separated by commas, spaces or line breaks, each name gets a field.
 */
export function NameList({
  role,
  names,
  change,
}: {
  role: Role;
  names: readonly string[];
  change: (names: readonly string[]) => void;
}): JSX.Element {
  const list = useRef<HTMLUListElement>(null);
  // Names of people and publishers may contain spaces.
  const free = String(role.cn_validations) === "disabled";
  const setName = (at: number, text: string): void => {
    const parts = text.split(free ? /[,;\n]+/ : /[\s,;]+/).filter((part) => part.trim() !== "");
    change(names.toSpliced(at, 1, ...(parts.length > 1 ? parts : [text])));
  };
  const focus = (at: number): number =>
    requestAnimationFrame(() =>
      list.current?.querySelectorAll<HTMLInputElement>("input")[at]?.focus(),
    );
  const add = (): void => {
    change([...names, ""]);
    focus(names.length);
  };
  /** Moves the focus to the Issue button. The button may be outside the form. */
  const focusSubmit = (): void =>
    Array.from(list.current?.closest("form")?.elements ?? [])
      .filter((element) => element instanceof HTMLButtonElement)
      .find(({ type }) => type === "submit")
      ?.focus();
  const remove = (at: number): void => {
    change(names.length > 1 ? names.toSpliced(at, 1) : [""]);
    focus(Math.max(0, at - 1));
  };
  const first = names.findIndex((name) => kindOf(name.trim()) === "name" && name.trim() !== "");
  return (
    <fieldset class="field">
      <legend>Names</legend>
      <p class="hint">
        <TermText of="san" />
      </p>
      <ul class="names" ref={list}>
        {names.map((name, i) => (
          <NameRow
            key={i}
            at={i}
            name={name}
            role={role}
            first={i === first}
            twice={
              name.trim() !== "" && names.findIndex((other) => other.trim() === name.trim()) < i
            }
            put={setName}
            remove={remove}
            next={() => (i + 1 < names.length ? focus(i + 1) : focusSubmit())}
          />
        ))}
      </ul>
      <div>
        <Button tiny icon="plus" press={add}>
          Add a name
        </Button>
      </div>
    </fieldset>
  );
}

interface RowProps {
  at: number;
  name: string;
  role: Role;
  first: boolean;
  twice: boolean;
  put: (at: number, text: string) => void;
  remove: (at: number) => void;
  /** Moves the focus to the next name, or from the last name to the button that issues. */
  next: () => void;
}

function NameRow({ at, name, role, first, twice, put, remove, next }: RowProps): JSX.Element {
  const id = useId();
  const typed = name.trim();
  const { allowed, why } = typed ? verdictOnName(role, typed, first) : { allowed: true, why: "" };
  const problem = twice ? "duplicate: sent only once" : why;
  return (
    <li>
      <input
        class="mono"
        value={name}
        aria-label={`Name ${at + 1}`}
        aria-invalid={allowed ? undefined : "true"}
        aria-describedby={problem ? id : undefined}
        spellcheck={false}
        autocomplete="off"
        placeholder="Host name, IP, email, URI"
        onInput={(event) => put(at, event.currentTarget.value)}
        onKeyDown={(event) => {
          // Do not let Enter submit the form, because only the button may issue a certificate.
          if (event.key !== "Enter" || event.isComposing) return;
          event.preventDefault();
          next();
        }}
      />
      <button
        class="btn plain square"
        type="button"
        aria-label={`Remove name ${at + 1}`}
        onClick={() => remove(at)}
      >
        <Icon name="x" />
      </button>
      {problem && (
        <p class={`verdict ${allowed ? "yes" : "no"}`} id={id}>
          <Icon name={twice ? "info" : allowed ? "check" : "x"} />
          <span class="break">{visible(`${typed}: ${problem}`)}</span>
        </p>
      )}
    </li>
  );
}
