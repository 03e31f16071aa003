import { isObject } from "./document.ts";
import { conflictError, invalidError, requestFault, type Fault } from "./fault.ts";

type Members = Readonly<Record<string, unknown>>;
/** A resource object in a request. */
export interface Resource {
  readonly attributes: Members;
  readonly relationships: Members;
}
/** Requirements for a resource object. */
interface Shape {
  /** Required type. If absent, any type is accepted, and the type may be omitted. */
  readonly type?: string;
  /** Required value of the ID, if the request contains an ID. With `requiresId`, it must. */
  readonly id?: string;
  readonly requiresId?: boolean;
  readonly requiresAttributes?: boolean;
  /** JSON pointer to the resource object in the document. */
  readonly at?: string;
}

/**
 * Parses a resource object. Throws 422 with a fault for each error, and 409 if the ID is not that
 * of the resource in the URL.
 */
export function readResource(
  data: unknown,
  { type, id, requiresId, requiresAttributes, at = "/data" }: Shape,
): Resource {
  if (!isObject(data)) {
    const lacking = at === "/data" || data === undefined || data === null;
    throw invalidError([
      requestFault(
        at,
        `${at.slice(1).replaceAll("/", ".")} ${lacking ? "is required" : "must be an object"}`,
      ),
    ]);
  }
  const faults: Fault[] = [];
  if (type !== undefined && data["type"] !== type)
    faults.push(requestFault(`${at}/type`, `type must be "${type}"`));
  const sentId = data["id"];
  if (requiresId && (sentId === undefined || sentId === null))
    faults.push(requestFault(`${at}/id`, "id is required"));
  const attributes = data["attributes"];
  if (requiresAttributes && (attributes === undefined || attributes === null))
    faults.push(requestFault(`${at}/attributes`, "attributes is required"));
  else if (attributes !== undefined && attributes !== null && !isObject(attributes))
    faults.push(requestFault(`${at}/attributes`, "attributes must be an object"));
  if (faults.length) throw invalidError(faults);
  if (id !== undefined && sentId !== undefined && sentId !== null && sentId !== id)
    throw conflictError("id does not match the resource in the URL", `${at}/id`);
  const relationships = data["relationships"];
  return {
    attributes: isObject(attributes) ? attributes : {},
    relationships: isObject(relationships) ? relationships : {},
  };
}

/**
 * Returns the ID in a relationship. Throws 422, with a pointer to the defect, if it is missing or
 * malformed.
 */
export function relatedId({ relationships }: Resource, name: string, type: string): string {
  const relationship = relationships[name];
  const data = isObject(relationship) ? relationship["data"] : undefined;
  const at = `/data/relationships/${name}`;
  if (!isObject(data)) throw invalidError([requestFault(at, `${name} is required`)]);
  const faults: Fault[] = [];
  if (data["type"] !== type) faults.push(requestFault(`${at}/data/type`, `type must be "${type}"`));
  const id = data["id"];
  if (typeof id !== "string" || id === "")
    faults.push(requestFault(`${at}/data/id`, "id is required"));
  if (faults.length || typeof id !== "string") throw invalidError(faults);
  return id;
}
