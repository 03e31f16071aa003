import type { JSX } from "preact";
import { Filter } from "../parts/field.tsx";
import { refine } from "../route.ts";
import type { Filters } from "../search.ts";

const states = [
  ["", "All"],
  ["valid", "Valid"],
  ["soon", "Expires soon"],
  ["revoked", "Revoked"],
  ["expired", "Expired"],
] as const;

interface Props {
  filters: Filters;
  issuers: readonly (readonly [value: string, text: string])[];
  roles: readonly string[];
}

/** What to look for. Every change goes into the address. */
export function CertificateFilters({ filters, issuers, roles }: Props): JSX.Element {
  const change = (fields: Partial<Filters>): void => refine({ ...filters, ...fields });
  return (
    <search class="filters">
      <Filter
        label="Filter by name or serial number or fingerprint"
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
      <Pick
        label="Issuer"
        value={filters.issuer}
        options={[["", "All issuers"], ...issuers]}
        change={(issuer) => change({ issuer })}
      />
      <More filters={filters} roles={roles} change={change} />
    </search>
  );
}

interface MoreProps {
  filters: Filters;
  roles: readonly string[];
  change: (fields: Partial<Filters>) => void;
}

/** What is asked less often; open when the address asks for it. */
function More({ filters, roles, change }: MoreProps): JSX.Element {
  const { match, role, source, from, to } = filters;
  return (
    <details open={[match, role, source, from, to].some(Boolean)}>
      <summary>More filters</summary>
      <div class="more">
        <Pick
          label="How the name is compared"
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
          label="How it was issued"
          value={source}
          options={[
            ["", "by anybody"],
            ["acme", "by ACME"],
            ["api", "by hand"],
          ]}
          change={(source) => change({ source })}
        />
        <span class="window">
          <span class="small muted" aria-hidden="true">
            Expires
          </span>
          <input
            type="date"
            aria-label="Expires from"
            value={filters.from}
            onChange={(event) => change({ from: event.currentTarget.value })}
          />
          <span class="small muted" aria-hidden="true">
            to
          </span>
          <input
            type="date"
            aria-label="Expires until"
            value={filters.to}
            onChange={(event) => change({ to: event.currentTarget.value })}
          />
        </span>
      </div>
    </details>
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
