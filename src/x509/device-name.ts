import { fromUtf8, utf8, type Bytes } from "../base/bytes.ts";
import {
  explicit,
  isOid,
  octets,
  oid,
  readDer,
  sequence,
  tlvOf,
  utf8String,
  type Reader,
} from "../base/der.ts";
import { CaError } from "../base/errors.ts";

/** Object identifiers of the otherName types for devices, by ACME identifier type. */
export const deviceNameOid = {
  /** The type PermanentIdentifier (RFC 4043). */
  "permanent-identifier": "1.3.6.1.5.5.7.8.3",
  /** The type HardwareModuleName (RFC 4108 section 5). */
  "hardware-module": "1.3.6.1.5.5.7.8.4",
} as const;
/**
 * A type of device name, which is also an ACME identifier type of draft-ietf-acme-device-attest-09.
 */
export type DeviceType = keyof typeof deviceNameOid;
/** All types of device names. */
export const deviceTypes: readonly DeviceType[] = ["permanent-identifier", "hardware-module"];

/**
 * The name of a device. `value` is `<identifier>` or `<identifier>/<assigner>` for a permanent
 * identifier, and `<serial number>/<type>` for a hardware module.
 */
export interface DeviceName {
  readonly type: DeviceType;
  readonly value: string;
}
/** The parts of a device name. `oid` is absent if a permanent identifier has no assigner. */
interface DeviceNameParts {
  readonly id: string;
  /** Object identifier of the assigner, or of the hardware module's type. */
  readonly oid?: string;
}

/** Reports whether an identifier type is a type of device names. */
export const isDeviceType = (type: string): type is DeviceType =>
  Object.hasOwn(deviceNameOid, type);

/** Maximum length of a device name's value, in characters. */
const maxLength = 512;
/** Matches an object identifier (draft-ietf-acme-device-attest-09 sections 3.1 and 4.1). */
const dotted = /^(?:[01]\.(?:[1-3]?[0-9])|2\.(?:0|[1-9][0-9]*))(?:\.(?:0|[1-9][0-9]*))*$/;

/**
 * Splits the value of a device name into its parts. Values are compared exactly and never
 * normalized. Returns undefined if the value is malformed (draft-ietf-acme-device-attest-09
 * sections 3.1 and 4.1).
 */
export function splitDeviceName({ type, value }: DeviceName): DeviceNameParts | undefined {
  const [id = "", ...rest] = value.split("/");
  const [second] = rest;
  if (id === "" || rest.length > 1 || value.length > maxLength || /\p{Cs}/u.test(value))
    return undefined;
  if (second === undefined) return type === "permanent-identifier" ? { id } : undefined;
  return dotted.test(second) && isOid(second) ? { id, oid: second } : undefined;
}

/**
 * Encodes a device name as a GeneralName. Throws `CaError` `malformed` if its value is malformed.
 */
export function encodeDeviceName(name: DeviceName): Bytes {
  const parts = splitDeviceName(name);
  if (!parts) throw new CaError("malformed", `not a ${name.type}: ${name.value.slice(0, 80)}`);
  const type = parts.oid === undefined ? [] : [oid(parts.oid)];
  const value =
    name.type === "permanent-identifier"
      ? sequence(utf8String(parts.id), ...type)
      : sequence(...type, octets(utf8(parts.id)));
  return tlvOf(0xa0, [oid(deviceNameOid[name.type]), explicit(0, value)]);
}

/**
 * Parses the device names in a SubjectAltName value. Skips other names, and device names that no
 * ACME identifier can express. Throws `CaError` `malformed`.
 */
export function readDeviceNames(san: Uint8Array): readonly DeviceName[] {
  const outer = readDer(san, "subject alternative name").enter("GeneralNames");
  const names: DeviceName[] = [];
  while (outer.tag !== undefined) {
    if (outer.tag === 0xa0) names.push(...readOtherName(outer.enter("an otherName", 0xa0)));
    else outer.element("a name");
  }
  return names;
}
function readOtherName(other: Reader): readonly DeviceName[] {
  const oid = other.oid("the type");
  const type = deviceTypes.find((one) => deviceNameOid[one] === oid);
  const value = other.enter("the value", 0xa0);
  other.end();
  if (!type) return [];
  const inner = value.enter("the name");
  value.end();
  const name = type === "permanent-identifier" ? readPermanent(inner) : readHardware(inner);
  inner.end();
  return name !== undefined && splitDeviceName({ type, value: name })
    ? [{ type, value: name }]
    : [];
}
/**
 * Parses a PermanentIdentifier, both parts of which are optional (RFC 4043 section 2). Returns
 * undefined if there is no identifier, or if the identifier contains a slash, which would separate
 * an assigner.
 */
function readPermanent(inner: Reader): string | undefined {
  const id = inner.tag === 0x0c ? textIn(inner.element("the identifier").content) : undefined;
  const assigner = inner.tag === 0x06 ? inner.oid("the assigner") : undefined;
  if (id === undefined || id.includes("/")) return undefined;
  return assigner === undefined ? id : `${id}/${assigner}`;
}
function readHardware(inner: Reader): string | undefined {
  const type = inner.oid("the hardware type");
  const serial = textIn(inner.octets("the serial number"));
  return serial === undefined ? undefined : `${serial}/${type}`;
}
/**
 * Decodes UTF-8. Returns undefined for bytes that are not UTF-8, which serial numbers may contain.
 */
function textIn(bytes: Uint8Array): string | undefined {
  try {
    return fromUtf8(bytes);
  } catch {
    return undefined;
  }
}
