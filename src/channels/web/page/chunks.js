/**
 * Keeps a long conversation light: its turns are in chunks, and only those near the viewport are in the page. The
 * others keep their place by their height, and return unchanged, with their unfolded parts.
 */
import { h } from "./elements.js"

/** Turns of a chunk; twice as many at the end of the conversation begin one. */
const turnsAChunk = 200
/** So far above and below what is seen a chunk is in the page. */
const nearby = "150% 0px"

/** Keeps chunks in use: open request, focus, selection. @param {Element} chunk */
const isHeld = (chunk) =>
  chunk.contains(document.activeElement) ||
  chunk.querySelector(".card.request:not(.decided), [aria-busy='true']") !== null ||
  (getSelection()?.isCollapsed === false && getSelection()?.containsNode(chunk, true) === true)

/**
 * @param {{ log: HTMLElement, scroll: HTMLElement, mayFold: () => boolean }} options `mayFold`: the affected part is
 * not being read
 */
export const makeChunks = ({ log, scroll, mayFold }) => {
  /** @type {Map<HTMLElement, ChildNode[]>} */
  const away = new Map()

  /** @param {HTMLElement} chunk @param {number} height */
  const send = (chunk, height) => {
    if (away.has(chunk) || height === 0 || isHeld(chunk)) return
    chunk.style.blockSize = `${height}px`
    away.set(chunk, [...chunk.childNodes])
    chunk.replaceChildren()
  }
  /** @param {HTMLElement} chunk */
  const bring = (chunk) => {
    const content = away.get(chunk)
    if (!content) return
    away.delete(chunk)
    chunk.append(...content)
    chunk.style.blockSize = ""
  }
  const watch = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting, boundingClientRect } of entries) {
        if (!(target instanceof HTMLElement)) continue
        if (isIntersecting) bring(target)
        else send(target, boundingClientRect.height)
      }
    },
    { root: scroll, rootMargin: nearby }
  )

  /** @param {HTMLElement} chunk which is in the page */
  const add = (chunk) => watch.observe(chunk)

  /** The first turns of a long end become a chunk, once they are over. */
  const fold = () => {
    const turns = log.querySelectorAll(":scope > .turn")
    const next = turns[turnsAChunk]
    if (turns.length < 2 * turnsAChunk || !next || !mayFold()) return
    /** @type {Element[]} */
    const moved = []
    for (const each of log.children) {
      if (each === next) break
      if (!each.matches(".chunk")) moved.push(each)
    }
    const [first] = moved
    if (!first || moved.some((each) => each.matches("[aria-busy='true']"))) return
    const chunk = h("div.chunk")
    first.before(chunk)
    chunk.append(...moved)
    add(chunk)
  }
  return {
    add,
    fold,
    clear: () => {
      watch.disconnect()
      away.clear()
    }
  }
}
