/**
 * Foreign text made exact: controls, bidi marks, zero-width and tag characters are shown by their number, where a
 * person decides by the text.
 */
import { h } from "./elements.js"
import { words } from "./words.js"

const invisible =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u115f\u1160\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb]|[\u{e0000}-\u{e01ef}]/gu

/**
 * @param {string} text
 * @returns {(string | HTMLElement)[]}
 */
export const exact = (text) => {
  const nodes = []
  let from = 0
  for (const { 0: character, index } of text.matchAll(invisible)) {
    const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")
    nodes.push(text.slice(from, index), h("span.control", { title: words.invisible }, `U+${code}`))
    from = index + character.length
  }
  return [...nodes, text.slice(from)]
}

/** Where no element can stand: without what is invisible. @param {string} text */
export const visible = (text) => text.replace(invisible, "")

/** Text between backticks is code; all of it exact. @param {string} text */
export const withCode = (text) =>
  text
    .split(/`([^`\n]+)`/)
    .flatMap((part, index) => (index % 2 === 0 ? exact(part) : h("code", { dir: "ltr" }, ...exact(part))))

/** Output of a terminal: its colours are removed, other controls are shown. @param {string} text */
export const output = (text) => exact(text.replace(/\u001b\[[0-9;?]*[ -/]*[@-~]/g, "").replace(/\r\n/g, "\n"))
