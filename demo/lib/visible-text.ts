// Matches control characters, soft hyphens, zero-width and bidirectional marks, line separators,
// interlinear and tag characters, and lone surrogates.
const unseen =
  // oxlint-disable-next-line no-control-regex, no-misleading-character-class
  /[\u0000-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\uffff]|[\u{e0000}-\u{e0fff}]|\p{Cs}/gu;

/** Escapes invisible and reordering characters in untrusted text, as `‹U+202E›`. */
export const visible = (text: string): string =>
  text.replace(
    unseen,
    (character) =>
      `‹U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}›`,
  );

/**
 * Escapes the same characters in JSON as `\u202e`, so that copies of the displayed JSON are valid
 * and have the same value.
 */
export const visibleJson = (json: string): string =>
  json.replace(unseen, (character) =>
    character === "\n"
      ? character
      : Array.from(
          { length: character.length },
          (_, i) => `\\u${character.charCodeAt(i).toString(16).padStart(4, "0")}`,
        ).join(""),
  );
