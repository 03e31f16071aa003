/** A deployment without its secrets answers nothing: the message names what is missing. */
export class NotConfigured extends Error {
  override readonly name = "NotConfigured";
}
