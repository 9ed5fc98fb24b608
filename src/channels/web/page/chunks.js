/**
 * Keeps a long conversation fast: its turns are in chunks, of which only those near the viewport are in the document. Others
 * keep their height, and return unchanged, with their unfolded parts.
 */
import { h } from "./elements.js"

/** Turns of a chunk; a new one is made when twice as many are outside of chunks. */
const turnsAChunk = 200
/** Distance from the viewport within which chunks are in the document. */
const nearby = "150% 0px"

/** Keeps chunks in use: open request, focus, selection. @param {Element} chunk */
const isHeld = (chunk) =>
  chunk.contains(document.activeElement) ||
  chunk.querySelector(".card.request:not(.decided), [aria-busy='true']") !== null ||
  (getSelection()?.isCollapsed === false && getSelection()?.containsNode(chunk, true) === true)

/** @param {{ log: HTMLElement, scroll: HTMLElement, mayFold: () => boolean }} options `mayFold`: false while earlier turns are being read */
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

  /** @param {HTMLElement} chunk */
  const add = (chunk) => watch.observe(chunk)

  /** Makes a chunk of the first finished turns. */
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
