/** An error for a deployment without its secrets: the message names what is missing. */
export class NotConfigured extends Error {
  override readonly name = "NotConfigured";
}
