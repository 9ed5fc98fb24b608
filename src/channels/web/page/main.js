/**
 * The page: one stream of rows, folded into the conversation that is shown, and what people do, sent. This file makes the
 * parts and opens conversations: connection → listening → conversation → drawing; box and buttons → acts → outbox → server.
 */
import { makeActs } from "./acts.js"
import { setQuiet } from "./announce.js"
import { makeChoices } from "./choices.js"
import { changeConversation, makeChoosing } from "./choosing.js"
import { makeChunks } from "./chunks.js"
import { makeComposer } from "./composer.js"
import { makeConnection } from "./connection.js"
import { makeConversation } from "./conversation.js"
import { makeConversationList } from "./conversationList.js"
import { isDrawerOpen, isNarrow, showDrawer, startDrawer } from "./drawer.js"
import { makeDrawing } from "./drawing.js"
import { makeEarlier } from "./earlier.js"
import { byId } from "./elements.js"
import { showFile } from "./fileDialog.js"
import { fillFrame } from "./frame.js"
import { conversationInAddress, showInAddress, takeKey } from "./key.js"
import { makeLinkStrip } from "./linkStrip.js"
import { messageAnswered, messageStuck, takeHello, takeLink, takeRow, takeState } from "./listening.js"
import { makeOutbox } from "./outbox.js"
import { makePainter } from "./painter.js"
import { here, isRunning, parts } from "./parts.js"
import { makeRunStrip } from "./runStrip.js"
import { makeScrolling } from "./scrolling.js"
import { download, newId } from "./server.js"
import { startShortcuts } from "./shortcuts.js"
import { kept } from "./tabMemory.js"
import { startTheme } from "./theme.js"
import { words } from "./words.js"

takeKey()
fillFrame()
startTheme()
startDrawer()

/** @param {string} id @param {boolean} [isNew] */
const open = (id, isNew = false) => {
  const { composer, connection, conversation, drawing, earlier, messages, scrolling } = parts
  Object.assign(here, { id, isNew, chosen: kept(`choices.${id}`) ?? {}, isStopping: false })
  conversation.clear()
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
  const wanted = conversationInAddress()
  if (wanted !== "" && wanted !== here.id) open(wanted)
  else if (wanted === "" && !here.isNew) open(newId(), true)
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

const wanted = conversationInAddress()
open(wanted === "" ? newId() : wanted, wanted === "")
if (!isNarrow()) parts.composer.focus()
