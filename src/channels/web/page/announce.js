/** Announcements for screen readers: finished paragraphs, failures and requests, but not streamed pieces. */
import { byId } from "./elements.js"

let quiet = true

/** While rows are replayed nothing is said. @param {boolean} is */
export const setQuiet = (is) => {
  quiet = is
}

export const isQuiet = () => quiet

const longest = 1000
const gatherMs = 50
/** @type {Map<string, string[]>} what is said together, by region */
const gathered = new Map()

/**
 * Simultaneous announcements are joined. @param {string} text @param {boolean} [urgent] interrupts the current
 * announcement
 */
export const tell = (text, urgent = false) => {
  if (quiet || text === "") return
  const id = urgent ? "urgent" : "polite"
  const more = gathered.get(id)
  if (more) {
    more.push(text)
    return
  }
  const texts = [text]
  gathered.set(id, texts)
  const region = byId(id)
  region.textContent = ""
  // An equal text is said again only where the region was empty in between.
  setTimeout(() => {
    gathered.delete(id)
    region.textContent = texts.map((each) => each.slice(0, longest)).join("\n")
  }, gatherMs)
}
