/** The answer of one turn: its segments in their places, each by the server's number of it. */
import { makeSegment } from "./segment.js"

/** @typedef {import("./segment.js").Segment} Segment */

/** @param {{ body: HTMLElement, soon: (draw: () => void) => void, before: () => void }} around `before`: a new segment begins */
export const makeAnswerText = ({ body, soon, before }) => {
  /** @type {Segment[]} */
  const all = []
  /** @type {Map<number, Segment>} */
  const numbered = new Map()
  /** @type {Segment | undefined} */
  let current

  const close = () => {
    current?.finish()
    current = undefined
  }
  /** @param {number | undefined} number */
  const segmentOf = (number) => {
    const known = number === undefined ? current : numbered.get(number)
    if (known) return known
    before()
    const made = makeSegment()
    all.push(made)
    if (number !== undefined) numbered.set(number, made)
    body.append(made.element)
    current = made
    return made
  }
  return {
    /** @param {string} text @param {{ offset?: number | undefined, blocks?: import("./types.js").BlockChange | undefined }} how */
    add: (text, how) => {
      const segment = segmentOf(how.blocks?.segment)
      segment.add(text, how)
      soon(segment.draw)
    },
    /** The last characters are void. @param {number} characters */
    take: (characters) => {
      let left = characters
      for (const segment of all.toReversed()) left = segment.take(left)
    },
    close,
    isOpen: () => current !== undefined,
    source: () =>
      all
        .map((segment) => segment.source().trim())
        .filter((text) => text !== "")
        .join("\n\n")
  }
}
