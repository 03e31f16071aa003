import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import { asn1, maxElements, type Asn1 } from "../../lib/x509/asn1.ts";
import { numeral } from "../pager.tsx";

/** The elements of an ASN.1 structure as a tree. */
export function Asn1Tree({ der }: { der: Uint8Array }): JSX.Element {
  const { all, cut } = useMemo(() => asn1(der), [der]);
  return (
    <div class="asn1" role="region" aria-label="ASN.1" tabIndex={0}>
      <Elements of={all} depth={0} />
      {cut && <p class="small muted">Only the first {numeral(maxElements)} elements are shown.</p>}
    </div>
  );
}

/** Depth up to which elements are initially expanded. */
const unfolded = 6;

const Elements = ({ of, depth }: { of: readonly Asn1[]; depth: number }): JSX.Element => (
  <ul>
    {of.map((one) => (
      <li key={one.at}>
        {one.children.length === 0 ? (
          <Line of={one} />
        ) : (
          <details open={depth < unfolded}>
            <summary>
              <Line of={one} />
            </summary>
            <Elements of={one.children} depth={depth + 1} />
          </details>
        )}
      </li>
    ))}
  </ul>
);

function Line({ of: { at, length, tag, value, children } }: { of: Asn1 }): JSX.Element {
  return (
    <>
      <b>{tag}</b>
      {value && <span class="break"> {value}</span>}{" "}
      <span class="quiet">
        at {at}, {length} {length === 1 ? "byte" : "bytes"}
        {children.length > 0 && value === "" && `, ${children.length} inside`}
      </span>
    </>
  );
}
