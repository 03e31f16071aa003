import type { JSX } from "preact";
import { Fragment } from "preact";
import { groups } from "../lib/hex-text.ts";
import { CopyButton } from "./button.tsx";

/**
 * Hexadecimal digits in groups of four, which are copied without spaces. `copy` names the value in
 * the label of the copy button.
 */
export function Digits({ of, copy }: { of: string; copy?: string }): JSX.Element {
  return (
    <span class="digits">
      <span>
        {groups(of)
          .split(" ")
          .map((group, i) => (
            <Fragment key={i}>
              <i>{group}</i>
              <wbr />
            </Fragment>
          ))}
      </span>
      {copy && <CopyButton bare text={of} label={`Copy ${copy}`} />}
    </span>
  );
}
