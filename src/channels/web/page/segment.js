/**
 * The text of an answer between two steps. It grows by blocks: from the first changed one on they are drawn again, at most
 * once a frame; those before it stand, with what is selected in them. A long block of code only gets its new characters.
 */
import { isQuiet, tell } from "./announce.js"
import { block } from "./blocks.js"
import { isColoured } from "./codeBlock.js"
import { h } from "./elements.js"

/** @typedef {import("./types.js").BlockChange} BlockChange */
/** @typedef {import("./types.js").Block} Block */

export const makeSegment = () => {
  const element = h("div.prose")
  /** @type {Block[]} */
  let list = []
  let source = ""
  /** Index of the first block that is not drawn as it is now. */
  let dirty = 0
  /** Undrawn text of the last block, which is code. */
  let grown = ""
  /** Index of a block of code that grew, and has no colours yet. */
  let grownAt = -1
  /** So many blocks were read aloud. */
  let announced = 0

  /** A paragraph that is finished is read aloud once; one that grows is not. @param {number} end index of the first that grows */
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

  /** A block that stopped growing is drawn again in colours. */
  const colour = () => {
    const code = list[grownAt]
    if (code?.t === "code" && isColoured(code.lang ?? "")) dirty = Math.min(dirty, grownAt)
    grownAt = -1
  }
  /** @param {BlockChange} change */
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

  /** @param {string} text @param {{ offset?: number | undefined, blocks?: BlockChange | undefined }} how without blocks the text is shown as it is */
  const add = (text, { offset = source.length, blocks }) => {
    source = source.slice(0, offset) + text
    change(blocks ?? { from: 0, list: [{ t: "p", c: [source] }] })
  }
  /** Takes back the last characters of the text, and says how many of them are elsewhere. @param {number} characters */
  const take = (characters) => {
    const mine = Math.min(characters, source.length)
    source = source.slice(0, source.length - mine)
    return characters - mine
  }
  /** Nothing more comes: code that grew gets its colours. */
  const finish = () => {
    colour()
    draw()
    sayUntil(list.length)
  }
  return { element, add, take, draw, finish, source: () => source }
}

/** @typedef {ReturnType<typeof makeSegment>} Segment */
