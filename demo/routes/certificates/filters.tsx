import type { ComponentChildren, JSX } from "preact";
import { Filter } from "../../ui/field.tsx";
import { useCards } from "../../ui/virtual-rows.tsx";
import { refine } from "../../lib/route.ts";
import type { Filters } from "../../api/inventory-search.ts";
import { sortingOf, sortingText } from "./sorting.ts";

const states = [
  ["", "All"],
  ["valid", "Valid"],
  ["soon", "Expires soon"],
  ["revoked", "Revoked"],
  ["expired", "Expired"],
] as const;

const issued = [
  ["", "Issued any time"],
  ["today", "Issued today"],
  ["7", "In the last 7 days"],
  ["30", "In the last 30 days"],
] as const;
/** The choices for the sort order, for tables without clickable headings. */
const orders = [
  ["", "Newest first"],
  ["issued", "Oldest first"],
  ["expires", "Expires first"],
  ["-expires", "Expires last"],
  ["name", "By name"],
  ["-name", "By name, descending"],
] as const;

interface Props {
  filters: Filters;
  issuers: readonly (readonly [value: string, text: string])[];
  roles: readonly string[];
}

/** The fields for the filters of a search. Every change updates the URL. */
export function CertificateFilters({ filters, issuers, roles }: Props): JSX.Element {
  const change = (fields: Partial<Filters>): void => refine({ ...filters, ...fields });
  // On a phone, fold the filters so that the list comes first.
  const { cards } = useCards();
  const picks = (
    <>
      <Pick
        label="Issuer"
        value={filters.issuer}
        options={[["", "All issuers"], ...issuers]}
        change={(issuer) => change({ issuer })}
      />
      <Pick
        label="Issued"
        value={filters.since}
        options={
          issued.some(([value]) => value === filters.since)
            ? issued
            : [...issued, [filters.since, `Issued since ${filters.since}`]]
        }
        change={(since) => change({ since })}
      />
      <span class="narrow-only">
        <Pick
          label="Order"
          value={sortingText(sortingOf(filters.sort))}
          options={orders}
          change={(sort) => change({ sort })}
        />
      </span>
    </>
  );
  const unfolded = cards && [filters.issuer, filters.since].some(Boolean);
  return (
    <search class="filters">
      <Filter
        label="Filter by name, serial number or fingerprint"
        placeholder="Name, serial number or fingerprint"
        value={filters.q}
        change={(q) => change({ q })}
      />
      <div class="pick" role="group" aria-label="Status">
        {states.map(([value, text]) => (
          <button
            key={value}
            type="button"
            aria-pressed={value === filters.status}
            onClick={() => change({ status: value })}
          >
            {text}
          </button>
        ))}
      </div>
      {!cards && picks}
      <More filters={filters} roles={roles} change={change} unfolded={unfolded}>
        {cards && picks}
      </More>
    </search>
  );
}

interface MoreProps {
  filters: Filters;
  roles: readonly string[];
  change: (fields: Partial<Filters>) => void;
  /** Whether the URL contains one of these filters. */
  unfolded: boolean;
  children: ComponentChildren;
}

/** The rarely used filters, which are expanded if the URL contains one of them. */
function More({ filters, roles, change, unfolded, children }: MoreProps): JSX.Element {
  const { match, role, source, from, to, since, until } = filters;
  const day = /^\d{4}-/.test(since) ? since : "";
  return (
    <details open={[match, role, source, from, to, day, until, unfolded].some(Boolean)}>
      <summary>More filters</summary>
      <div class="more">
        {children}
        <Pick
          label="Name match"
          value={filters.match}
          options={[
            ["", "begins with"],
            ["any", "any name contains"],
          ]}
          change={(match) => change({ match })}
        />
        {roles.length > 0 && (
          <Pick
            label="Role"
            value={filters.role}
            options={[["", "All roles"], ...roles.map((name) => [name, name] as const)]}
            change={(role) => change({ role })}
          />
        )}
        <Pick
          label="Source"
          value={source}
          options={[
            ["", "any"],
            ["acme", "ACME"],
            ["api", "console or API"],
          ]}
          change={(source) => change({ source })}
        />
        <Window
          what="Expires"
          from={from}
          to={to}
          change={(days) => change({ from: days.from, to: days.to })}
        />
        <Window
          what="Issued"
          from={day}
          to={until}
          change={(days) => change({ since: days.from || (day ? "" : since), until: days.to })}
        />
      </div>
    </details>
  );
}

interface WindowProps {
  what: string;
  from: string;
  to: string;
  change: (days: { readonly from: string; readonly to: string }) => void;
}

/** The fields for a range of days, either end of which may be empty. */
function Window({ what, from, to, change }: WindowProps): JSX.Element {
  return (
    <span class="window">
      <span class="small muted" aria-hidden="true">
        {what}
      </span>
      <input
        type="date"
        aria-label={`${what} from`}
        value={from}
        onChange={(event) => change({ from: event.currentTarget.value, to })}
      />
      <span class="small muted" aria-hidden="true">
        to
      </span>
      <input
        type="date"
        aria-label={`${what} until`}
        value={to}
        onChange={(event) => change({ from, to: event.currentTarget.value })}
      />
    </span>
  );
}

interface PickProps {
  label: string;
  value: string;
  options: readonly (readonly [value: string, text: string])[];
  change: (value: string) => void;
}

function Pick({ label, value, options, change }: PickProps): JSX.Element {
  return (
    <select
      aria-label={label}
      value={value}
      onChange={(event) => change(event.currentTarget.value)}
    >
      {options.map(([option, text]) => (
        <option key={option} value={option} selected={option === value}>
          {text}
        </option>
      ))}
    </select>
  );
}
