import { utf8 } from "../../base/bytes.ts";
import { byCodePoint, wellFormed } from "../../base/code-point.ts";
import type { VarsSettings } from "../../engine/ports.ts";
import { timestamp } from "../jsonapi/document.ts";
import { attributeFault, type Fault } from "../jsonapi/fault.ts";
import type { Kind, NamedWorkspace, OrganizationRow, Spelling, VariableRow } from "../rows/rows.ts";

/** The two ways to a variable: the deprecated `/vars`, and the workspace's own. */
export type Surface = "vars" | "scoped";

const [longestKey, longestDescription] = [128, 512];
/** 256 KiB of UTF-8. */
const largestValue = 256 * 1024;
/** All values of one workspace together: 16 MiB. */
export const largestWorkspace = 16 * 1024 * 1024;
/**
 * Most variables of one workspace: a list is one answer, and keys and descriptions count nowhere
 * else.
 */
export const mostVariables = 10_000;

/** Attributes that were sent and are fit; what was not sent is absent. */
export interface Attributes {
  readonly key?: string;
  /** null: as it is if sensitive, else empty. */
  readonly value?: string | null;
  readonly description?: string | null;
  readonly category?: { readonly kind: Kind; readonly spelling?: Spelling };
  readonly hcl?: boolean;
  readonly sensitive?: boolean;
}
type Sent = Readonly<Record<string, unknown>>;
type Demand = "key" | "category" | "description";

/**
 * Reads the attributes of a variable; adds a fault for each that is unfit, in the order of the
 * documents. `demanded` must be there.
 */
export function readAttributes(
  sent: Sent,
  demanded: ReadonlySet<Demand>,
  faults: Fault[],
): Attributes {
  const fault = (attribute: string, sentence: string) =>
    void faults.push(attributeFault(attribute, sentence));
  const key = readKey(sent["key"], demanded.has("key"), fault);
  const value = readValue(sent["value"], fault);
  const description = readDescription(sent["description"], demanded.has("description"), fault);
  const category = readCategory(sent["category"], demanded.has("category"), fault);
  const hcl = readFlag(sent["hcl"], "hcl", fault);
  const sensitive = readFlag(sent["sensitive"], "sensitive", fault);
  return {
    ...(key === undefined ? {} : { key }),
    ...(value === undefined ? {} : { value }),
    ...(description === undefined ? {} : { description }),
    ...(category === undefined ? {} : { category }),
    ...(hcl === undefined ? {} : { hcl }),
    ...(sensitive === undefined ? {} : { sensitive }),
  };
}
type Fail = (attribute: string, sentence: string) => void;

function readKey(sent: unknown, demanded: boolean, fault: Fail): string | undefined {
  if (sent === undefined || sent === null) {
    if (demanded) fault("key", "Key can't be blank");
    return undefined;
  }
  if (typeof sent !== "string") fault("key", "Key must be a string");
  else if (sent.trim() === "") fault("key", "Key can't be blank");
  else if (longerThan(sent, longestKey))
    fault("key", `Key is too long (maximum is ${longestKey} characters)`);
  else if (!wellFormed(sent)) fault("key", "Key must be valid Unicode");
  else if (/\p{Cc}/u.test(sent)) fault("key", "Key must not contain control characters");
  else return sent;
  return undefined;
}
function readValue(sent: unknown, fault: Fail): string | null | undefined {
  if (sent === undefined || sent === null) return sent;
  if (typeof sent !== "string") fault("value", "Value must be a string");
  // a character has at most three bytes for each unit, so short texts need no counting
  else if (
    sent.length > largestValue ||
    (3 * sent.length > largestValue && sizeOf(sent) > largestValue)
  )
    fault("value", "Value is too long (maximum is 256 KB)");
  else if (!wellFormed(sent)) fault("value", "Value must be valid Unicode");
  else return sent;
  return undefined;
}
function readDescription(sent: unknown, demanded: boolean, fault: Fail): string | null | undefined {
  if (sent === undefined || sent === null) {
    if (demanded) fault("description", "Description must be given (empty string allowed)");
    return sent;
  }
  if (typeof sent !== "string") fault("description", "Description must be a string");
  else if (longerThan(sent, longestDescription))
    fault("description", `Description is too long (maximum is ${longestDescription} characters)`);
  else if (!wellFormed(sent)) fault("description", "Description must be valid Unicode");
  else return sent;
  return undefined;
}
const categories: ReadonlyMap<unknown, NonNullable<Attributes["category"]>> = new Map([
  ["iac", { kind: "provisioning", spelling: "iac" }],
  ["terraform", { kind: "provisioning", spelling: "terraform" }],
  ["env", { kind: "env" }],
] as const);
function readCategory(sent: unknown, demanded: boolean, fault: Fail): Attributes["category"] {
  if (sent === undefined || sent === null || sent === "") {
    if (demanded || sent === "") fault("category", "Category can't be blank");
    return undefined;
  }
  const category = categories.get(sent);
  if (!category) fault("category", "Category is not included in the list");
  return category;
}
function readFlag(sent: unknown, attribute: "hcl" | "sensitive", fault: Fail): boolean | undefined {
  if (sent === undefined || sent === null) return undefined;
  if (typeof sent === "boolean") return sent;
  fault(attribute, `${attribute === "hcl" ? "Hcl" : "Sensitive"} must be true or false`);
  return undefined;
}
/** Counts characters, of which some are two units long. */
const longerThan = (text: string, most: number): boolean =>
  text.length > most && (text.length > 2 * most || [...text].length > most);
/** Bytes of a value in UTF-8. */
export const sizeOf = (value: string): number => utf8(value).length;

/**
 * What a sensitive variable does not let go of (V 4.4). A member that says what is stored anyway is
 * no fault.
 */
export function lockFaults(stored: VariableRow, { key, hcl, sensitive }: Attributes): Fault[] {
  if (!stored.sensitive) return [];
  const faults: Fault[] = [];
  if (key !== undefined && key !== stored.key)
    faults.push(attributeFault("key", "Key cannot be updated for a sensitive variable"));
  if (hcl !== undefined && hcl !== stored.hcl)
    faults.push(attributeFault("hcl", "Hcl cannot be updated for a sensitive variable"));
  if (sensitive === false)
    faults.push(
      attributeFault(
        "sensitive",
        "Sensitive cannot be changed from true to false on saved records. To make this variable readable, destroy this record and create a new one with the same key value.",
      ),
      attributeFault("sensitive", "Sensitive cannot be updated for a sensitive variable"),
    );
  return faults;
}

/**
 * How provisioning was spelled by the last write, and by the last one through the workspace's own
 * surface (V 4.3).
 */
export function spellingsAfter(
  stored: Pick<VariableRow, "spelling" | "scoped">,
  { category }: Attributes,
  surface: Surface,
): Pick<VariableRow, "spelling" | "scoped"> {
  const spelling = category?.spelling ?? stored.spelling;
  const scoped = surface === "scoped" ? (category?.spelling ?? stored.scoped) : stored.scoped;
  return {
    ...(spelling === undefined ? {} : { spelling }),
    ...(scoped === undefined ? {} : { scoped }),
  };
}
/** The category as a surface shows it. */
export function categoryOf(
  row: VariableRow,
  surface: Surface,
  { categorySpelling = "echo" }: VarsSettings,
): "env" | Spelling {
  if (row.kind === "env") return "env";
  if (categorySpelling !== "echo") return categorySpelling;
  return (surface === "vars" ? row.spelling : row.scoped) ?? "terraform";
}

/** Where a variable is: what its resource object tells of its workspace. */
export interface Home {
  readonly workspace: NamedWorkspace;
  readonly organization: Pick<OrganizationRow, "name">;
}
/** A variable's resource object. A sensitive value is never shown. */
export function variableDocument(
  row: VariableRow,
  { workspace, organization }: Home,
  surface: Surface,
  settings: VarsSettings,
) {
  const self =
    surface === "vars"
      ? `/api/v2/vars/${row.id}`
      : `/api/v2/workspaces/${row.workspace}/vars/${row.id}`;
  return {
    id: row.id,
    type: "vars",
    attributes: {
      key: row.key,
      // a stored value is text exactly when it is not sensitive
      value: !row.sensitive && typeof row.value === "string" ? row.value : null,
      sensitive: row.sensitive,
      category: categoryOf(row, surface, settings),
      hcl: row.hcl,
      "created-at": timestamp(row.created),
      description: row.description,
      "version-id": row.version,
    },
    relationships: {
      configurable: {
        data: { id: workspace.id, type: "workspaces" },
        links: {
          related: `/api/v2/organizations/${organization.name}/workspaces/${workspace.name}`,
        },
      },
    },
    links: { self },
  };
}

/** Order of a list: key by code point, then kind, then id. */
export function inOrder(
  one: Pick<VariableRow, "key" | "kind" | "id">,
  other: Pick<VariableRow, "key" | "kind" | "id">,
): number {
  return (
    byCodePoint(one.key, other.key) ||
    byCodePoint(one.kind, other.kind) ||
    byCodePoint(one.id, other.id)
  );
}
