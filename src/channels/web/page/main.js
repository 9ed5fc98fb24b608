/**
 * The page: one stream of rows, folded into the conversation that is shown, and what people do, sent. This file makes the
 * parts and opens conversations: connection → listening → conversation → drawing; box and buttons → acts → outbox → server.
 */
import { makeActs } from "./acts.js"
import { makeChanges } from "./changes.js"
import { changeConversation, makeChoices, makeChoosing } from "./choices.js"
import { makeChunks } from "./chunks.js"
import { makeComposer } from "./composer.js"
import { makeConnection } from "./connection.js"
import { makeConversation } from "./conversation.js"
import { makeConversationList } from "./conversationList.js"
import { isDrawerOpen, isNarrow, showDrawer, startDrawer } from "./drawer.js"
import { makeDrawing, makePainter } from "./drawing.js"
import { button, byId, h, setQuiet } from "./elements.js"
import { showFile } from "./files.js"
import { inKeys, isCommandKey, shortcut } from "./format.js"
import { messageAnswered, messageStuck, takeHello, takeLink, takeRow, takeState } from "./listening.js"
import { makeOutbox } from "./outbox.js"
import { here, isRunning, parts } from "./parts.js"
import { makeEarlier, makeScrolling } from "./scrolling.js"
import { download, newId } from "./server.js"
import { makeLinkStrip, makeRunStrip } from "./strips.js"
import { conversationInAddress, showInAddress, stored, takeKey } from "./tabMemory.js"
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

const themes = ["system", "light", "dark"]
const place = "reins.theme"

/** @param {string} theme */
const set = (theme) => {
  document.documentElement.dataset["theme"] = theme
  byId("theme", "button").setAttribute("aria-label", words.colours[theme] ?? theme)
}

/** Light, dark, or as the system: kept for this browser. */
export const startTheme = () => {
  const stored = localStorage.getItem(place) ?? "system"
  set(themes.includes(stored) ? stored : "system")
  byId("theme", "button").addEventListener("click", () => {
    const next =
      themes[(themes.indexOf(document.documentElement.dataset["theme"] ?? "system") + 1) % themes.length] ?? "system"
    localStorage.setItem(place, next)
    set(next)
  })
}

takeKey()
fillFrame()
startTheme()
startDrawer()

/** @param {string} id @param {boolean} [isNew] */
const open = (id, isNew = false) => {
  const { changes, composer, connection, conversation, drawing, earlier, messages, scrolling } = parts
  Object.assign(here, { id, isNew, chosen: stored(`choices.${id}`) ?? {}, isStopping: false })
  conversation.clear()
  changes.clear()
  composer.show(id)
  earlier.show(isNew ? "" : id)
  for (const { body } of messages.of(id)) conversation.addUnsent({ id: body.id, text: String(body["text"]) })
  setQuiet(true)
  connection.show(isNew ? "" : id)
  if (isDrawerOpen()) showDrawer(false)
  scrolling.toEnd()
  drawing.around()
}
const begin = () => {
  showInAddress("")
  open(newId(), true)
  parts.composer.focus()
}
/** @param {string} id */
const openListed = (id) => {
  showInAddress(id)
  open(id)
  if (!isNarrow()) parts.composer.focus()
}

const { ask, next, pressPlainly, send, stop } = makeActs()
const { choices, choose } = makeChoosing()
const { around, paint } = makeDrawing()
const painter = makePainter(paint)
Object.assign(parts, {
  open,
  choosing: { choices, choose },
  drawing: { around, paint },
  painter
})
parts.presses = makeOutbox("presses", { done: () => {}, stuck: () => parts.connection.check() })
parts.messages = makeOutbox("messages", { done: messageAnswered, stuck: messageStuck })
parts.conversation = makeConversation({
  log: byId("log"),
  unsent: byId("unsent"),
  waiting: byId("waiting"),
  chunks: makeChunks({
    log: byId("log"),
    scroll: byId("scroll", "main"),
    mayFold: () => parts.scrolling.isAtEnd()
  }),
  actions: {
    press: ask,
    plainly: pressPlainly,
    ask,
    send: (text) => send({ text, files: [], isQueued: false }),
    edit: ({ text, files }) => parts.composer.put(text, files),
    show: (file) => void showFile(file),
    next,
    soon: painter.soon,
    chooseAgent: () => byId("agent", "select").focus(),
    chooseModel: () => byId("model", "select").focus(),
    agent: () => choices().agent ?? "",
    person: () => words.you
  }
})
parts.connection = makeConnection({ hello: takeHello, row: takeRow, state: takeState, link: takeLink })
parts.composer = makeComposer({ send, limits: () => here.state?.limits ?? { text: 100_000, uploadBytes: 20_000_000 } })
parts.changes = makeChanges()
parts.scrolling = makeScrolling({ nearTop: () => parts.earlier.load() })
parts.earlier = makeEarlier({ put: (rows) => parts.scrolling.keepPlace(() => parts.conversation.prepend(rows)) })
parts.linkStrip = makeLinkStrip({ retry: () => parts.connection.retry() })
parts.strip = makeRunStrip({ stop: () => void stop(), goThere: next })
parts.selects = makeChoices({ changed: (change) => void choose(change) })
parts.list = makeConversationList({
  open: openListed,
  change: changeConversation,
  save: async ({ id, title }, format) =>
    (await download(`conversations/${encodeURIComponent(id)}/export?format=${format}`, `${title}.${format}`))?.error
})
startShortcuts({ stop: () => void stop(), next, begin })
byId("new", "button").addEventListener("click", begin)

/** The address names a conversation, or a new key. */
const follow = () => {
  if (takeKey()) parts.connection.retry()
  const address = conversationInAddress()
  if (address !== "" && address !== here.id) open(address)
  else if (address === "" && !here.isNew) open(newId(), true)
}
addEventListener("hashchange", follow)
addEventListener("popstate", follow)
addEventListener("online", () => parts.connection.retry())
document.addEventListener("visibilitychange", () => {
  if (!document.hidden && parts.connection.isWaiting()) parts.connection.retry()
})
setInterval(() => {
  parts.linkStrip.tick()
  if (isRunning() || parts.conversation.requests.size > 0) painter.schedule()
}, 500)

const address = conversationInAddress()
open(address === "" ? newId() : address, address === "")
if (!isNarrow()) parts.composer.focus()
