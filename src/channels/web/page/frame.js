/** Puts the words of the table into the page's frame: `data-word` is text, `data-label` a name, `data-placeholder` a hint. */
import { shortcut } from "./keyboard.js"
import { words } from "./words.js"

/** @type {Record<string, unknown>} */
const table = words

/** @param {string | undefined} name */
const wordOf = (name) => {
  const word = table[name ?? ""]
  return typeof word === "string" ? word : ""
}

export const fillFrame = () => {
  document.documentElement.lang = words.language
  document.documentElement.dir = words.direction
  for (const element of document.querySelectorAll("[data-word], [data-label], [data-placeholder]")) {
    if (!(element instanceof HTMLElement)) continue
    const { word, label, placeholder } = element.dataset
    if (word !== undefined) element.textContent = wordOf(word)
    if (label !== undefined) element.setAttribute("aria-label", wordOf(label))
    if (placeholder !== undefined) element.setAttribute("placeholder", wordOf(placeholder))
  }
  for (const element of document.querySelectorAll("[aria-keyshortcuts]"))
    element.setAttribute("aria-keyshortcuts", shortcut(element.getAttribute("aria-keyshortcuts") ?? ""))
}
