/**
 * Frames of a stream of server-sent events from pieces of text; pure. A frame is given when its blank line is there, so that
 * a cut connection gives whole frames or none.
 *
 * @typedef {{ id: string | undefined, event: string, data: string }} Frame
 */
export const makeFrames = () => {
  let rest = ""
  return (/** @type {string} */ piece) => {
    const text = rest + piece
    // A carriage return at the end may be the first half of a line break.
    const whole = text.endsWith("\r") ? text.slice(0, -1) : text
    const parts = whole.replace(/\r\n?/g, "\n").split("\n\n")
    rest = (parts.pop() ?? "") + text.slice(whole.length)
    return parts.map(frameOf).filter((frame) => frame !== undefined)
  }
}

/** @param {string} text @returns {Frame | undefined} undefined: a comment, which only says that the server lives */
const frameOf = (text) => {
  /** @type {string[]} */
  const data = []
  let event = "message"
  let id
  for (const line of text.split("\n")) {
    const [, name, value = ""] = /^([^:]+)(?:: ?(.*))?$/s.exec(line) ?? []
    if (name === "data") data.push(value)
    if (name === "event") event = value
    if (name === "id") id = value
  }
  return data.length === 0 ? undefined : { id, event, data: data.join("\n") }
}
