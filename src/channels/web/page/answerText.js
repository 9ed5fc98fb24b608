/**
 * The answer of one turn, in segments between its steps. A segment is drawn again from its first changed block on, at most
 * once a frame; earlier blocks and selections stay. A growing block of code only gets its new characters.
 */

import { block, isColoured } from "./blocks.js"
import { h, isQuiet, tell } from "./elements.js"

/** @typedef {import("./types.js").Block} Block */
/** @typedef {{ offset?: number | undefined, blocks?: import("./types.js").BlockChange | undefined }} TextPlace without blocks the text is shown as it is */

const makeSegment = () => {
  const element = h("div.prose")
  /** @type {Block[]} */
  let list = []
  let source = ""
  /** Index of the first block whose drawing is outdated. */
  let dirty = 0
  /** Undrawn text of the last block, of code. */
  let grown = ""
  /** Index of a block of code that has grown since it was coloured. */
  let grownAt = -1
  /** Number of announced blocks. */
  let announced = 0

  /** Announces finished blocks, once. @param {number} end index of the first that may grow */
  const sayUntil = (end) => {
    const finished = [...element.children].slice(announced, Math.max(announced, end))
    announced = Math.max(announced, end)
    if (!isQuiet()) for (const each of finished) tell(each.textContent ?? "")
  }
  const draw = () => {
    if (grown !== "" && dirty >= list.length) {
      const code = element.lastElementChild?.querySelector("pre > code")
      if (code) code.append(grown)
      else dirty = list.length - 1
    }
    grown = ""
    if (dirty >= list.length && element.children.length === list.length) return
    while (element.children.length > dirty) element.lastElementChild?.remove()
    element.append(...list.slice(dirty).map((each) => block(each)))
    dirty = list.length
    sayUntil(list.length - 1)
  }

  /** Draws a block of code that stopped growing again, in colours. */
  const colour = () => {
    const code = list[grownAt]
    if (code?.t === "code" && isColoured(code.lang ?? "")) dirty = Math.min(dirty, grownAt)
    grownAt = -1
  }
  /** @param {import("./types.js").BlockChange} change */
  const change = ({ from, list: tail, grow }) => {
    const last = list[from]
    if (grow !== undefined && last?.t === "code" && from === list.length - 1) {
      list = [...list.slice(0, from), { ...last, text: last.text + grow }]
      if (dirty > from) grown += grow
      grownAt = from
      return
    }
    list = [...list.slice(0, from), ...tail]
    announced = Math.min(announced, from)
    dirty = Math.min(dirty, from)
    grown = ""
    colour()
  }

  /** @param {string} text @param {TextPlace} place */
  const add = (text, { offset = source.length, blocks }) => {
    source = source.slice(0, offset) + text
    change(blocks ?? { from: 0, list: [{ t: "p", c: [source] }] })
  }
  /** Removes the last characters; returns how many of them are in earlier segments. @param {number} characters */
  const take = (characters) => {
    const mine = Math.min(characters, source.length)
    source = source.slice(0, source.length - mine)
    return characters - mine
  }
  const finish = () => {
    colour()
    draw()
    sayUntil(list.length)
  }
  return { element, add, take, draw, finish, source: () => source }
}

/** @typedef {ReturnType<typeof makeSegment>} Segment */

/** @param {{ body: HTMLElement, soon: (draw: () => void) => void, before: () => void }} around `before` runs before a new segment */
export const makeAnswerText = ({ body, soon, before }) => {
  /** @type {Segment[]} */
  const all = []
  /** @type {Map<number, Segment>} by the server's number */
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
    /** @param {string} text @param {TextPlace} place */
    add: (text, place) => {
      const segment = segmentOf(place.blocks?.segment)
      segment.add(text, place)
      soon(segment.draw)
    },
    /** Removes the last characters. @param {number} characters */
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
