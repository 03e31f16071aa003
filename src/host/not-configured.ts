/** The error for a deployment that lacks required secrets. The message names what is missing. */
export class NotConfigured extends Error {
  override readonly name = "NotConfigured";
}
