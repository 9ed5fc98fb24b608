/** Keys of the whole page. None allows anything: Alt+A moves to what asks, and Tab to its buttons. */
import { isDrawerOpen, isNarrow, showDrawer } from "./drawer.js"
import { button, byId, h } from "./elements.js"
import { inKeys, isCommandKey } from "./keyboard.js"
import { words } from "./words.js"

/** @param {Element} element */
const isTyping = (element) => element.matches("input:not([type=radio]):not([type=checkbox]), textarea, select")

/** @param {number} step */
const moveBy = (step) => {
  const all = [...document.querySelectorAll(".message, .turn")]
  const here = document.activeElement?.closest(".turn-body > .message, .message, .turn")
  const index = here ? all.indexOf(here) : -1
  const next = all[index === -1 ? all.length - 1 : index + step]
  if (!(next instanceof HTMLElement)) return
  next.tabIndex = -1
  next.focus()
}

/** @param {{ stop: () => void, next: () => void, begin: () => void }} actions */
export const startShortcuts = ({ stop, next, begin }) => {
  const dialog = byId("keys", "dialog")
  const rows = words.shortcuts.flatMap(([keys = "", what]) => [
    h(
      "dt",
      {},
      ...inKeys(keys)
        .split(" ")
        .map((key) => h("kbd", {}, key))
    ),
    h("dd", {}, what)
  ])
  dialog.append(
    h("h2", { id: "keys-title" }, words.keys),
    h("dl.facts", {}, ...rows),
    h("p.soft", {}, inKeys(words.keysNote)),
    button(words.close, () => dialog.close(), "primary")
  )

  const search = () => {
    if (isNarrow()) showDrawer(true)
    byId("find", "input").focus()
  }
  document.addEventListener("keydown", (press) => {
    if (!(press.target instanceof Element) || press.isComposing) return
    const act = (/** @type {() => void} */ does) => {
      press.preventDefault()
      does()
    }
    const isCommand = isCommandKey(press)
    const isAlt = press.altKey && !press.ctrlKey && !press.metaKey
    if (isCommand && press.code === "KeyK") return act(search)
    if (isCommand && press.key === ".") return act(stop)
    // By the place of the key: with Alt a Mac's keyboard gives other characters.
    if (isAlt && press.code === "KeyA") return act(next)
    if (isAlt && press.code === "KeyN") return act(begin)
    if (isAlt && press.key === "ArrowUp") return act(() => moveBy(-1))
    if (isAlt && press.key === "ArrowDown") return act(() => moveBy(1))
    if (press.key === "Escape" && isDrawerOpen()) return act(() => showDrawer(false))
    // AltGr, which is both, types characters.
    const isHeld = press.metaKey || press.ctrlKey !== press.altKey
    if (isTyping(press.target) || isHeld) return
    if (press.key === "/") act(() => byId("prompt", "textarea").focus())
    else if (press.key === "?") act(() => dialog.showModal())
  })
}
