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
  /** Absent: any type is accepted, or none. */
  readonly type?: string;
  /** Required value of the id, if one is sent; with `requiresId` it must be sent. */
  readonly id?: string;
  readonly requiresId?: boolean;
  readonly requiresAttributes?: boolean;
  /** Pointer to the resource object in the document. */
  readonly at?: string;
}

/** Parses a resource object. Throws 422 with a fault for each error, 409 for another id. */
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

/** Returns the id in a relationship. Throws 422 with a pointer. */
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
