/** Foreign text made safe to show; pure. No text of an agent can move the cursor, colour the screen or set a title. */

/** Control characters become visible; a line feed and a tab stay. */
export const harmless = (text: string): string =>
  text
    .replace(/\r(?=\n|$)/g, "")
    .replace(/[\0-\x08\x0b-\x1f]/g, (control) => String.fromCharCode(0x2400 + control.charCodeAt(0)))
    .replace(/[\x7f-\x9f]/g, (control) => (control === "\x7f" ? "␡" : "�"))

/** That, and no character that turns the order of others around, ends a line or hides. */
export const plain = (text: string): string =>
  harmless(text).replace(/[\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g, "�")
