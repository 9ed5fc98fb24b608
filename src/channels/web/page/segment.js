/**
 * The text of an answer between two steps. It grows by blocks: from the first changed one on they are drawn again, at most
 * once a frame; those before it stand, with what is selected in them.
 */
import { isQuiet, tell } from "./announce.js"
import { block } from "./blocks.js"
import { h } from "./elements.js"

/** @typedef {import("./types.js").BlockChange} BlockChange */

export const makeSegment = () => {
  const element = h("div.prose")
  /** @type {import("./types.js").Block[]} */
  let list = []
  let source = ""
  /** Index of the first block that is not drawn as it is now. */
  let dirty = 0

  const draw = () => {
    if (dirty >= list.length && element.children.length === list.length) return
    const before = element.children.length
    while (element.children.length > dirty) element.lastElementChild?.remove()
    element.append(...list.slice(dirty).map((each) => block(each)))
    dirty = list.length
    // A paragraph that is finished is read aloud once; one that grows is not.
    if (!isQuiet() && before > 0 && list.length > before) tell(element.children[list.length - 2]?.textContent ?? "")
  }

  /** @param {string} text @param {BlockChange} [change] without it the text is shown as it is */
  const add = (text, change) => {
    source += text
    const { from, list: tail } = change ?? { from: 0, list: [{ t: /** @type {const} */ ("p"), c: [source] }] }
    list = [...list.slice(0, from), ...tail]
    dirty = Math.min(dirty, from)
  }

  /** Takes back the last characters, and says how many of them were elsewhere. @param {number} characters @param {BlockChange} [change] */
  const take = (characters, change) => {
    const mine = Math.min(characters, source.length)
    source = source.slice(0, source.length - mine)
    if (change) {
      list = [...list.slice(0, change.from), ...change.list]
      dirty = Math.min(dirty, change.from)
    } else {
      list = source === "" ? [] : [{ t: "p", c: [source] }]
      dirty = 0
    }
    draw()
    return characters - mine
  }

  return { element, add, take, draw, source: () => source }
}
