/** The error for a deployment that lacks required settings. The message states what is missing. */
export class NotConfigured extends Error {
  override readonly name = "NotConfigured";
}
