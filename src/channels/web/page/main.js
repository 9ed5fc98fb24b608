/**
 * The page: one stream of rows, folded into the conversation that is shown, and what people do, sent. This file only wires:
 * connection → rows → conversation → strip, rail, list; box and buttons → outbox → server. It is longer than others: all
 * that the parts share stands here, once.
 */
import { setQuiet, tell } from "./announce.js"
import { makeChoices } from "./choices.js"
import { makeChunks } from "./chunks.js"
import { makeComposer } from "./composer.js"
import { makeConnection } from "./connection.js"
import { makeConversation } from "./conversation.js"
import { makeConversationList } from "./conversationList.js"
import { drawCountdowns } from "./countdowns.js"
import { setReader } from "./deciders.js"
import { isDrawerOpen, isNarrow, showDrawer, startDrawer } from "./drawer.js"
import { makeEarlier } from "./earlier.js"
import { byId } from "./elements.js"
import { showFile } from "./fileDialog.js"
import { fillFrame } from "./frame.js"
import { drawHead, drawTabTitle } from "./head.js"
import { conversationInAddress, showInAddress, takeKey } from "./key.js"
import { inKeys } from "./keyboard.js"
import { makeLinkStrip } from "./linkStrip.js"
import { makeOutbox } from "./outbox.js"
import { makePainter } from "./painter.js"
import { drawRail } from "./rail.js"
import { makeRunStrip } from "./runStrip.js"
import { makeScrolling } from "./scrolling.js"
import { download, newId, post } from "./server.js"
import { setServerTime } from "./serverClock.js"
import { startShortcuts } from "./shortcuts.js"
import { drawExpired, drawMissing, drawStart } from "./start.js"
import { keep, kept } from "./tabMemory.js"
import { startTheme } from "./theme.js"
import { words } from "./words.js"

/** @type {import("./types.js").State | undefined} */
let state
/** The conversation that is shown; the server does not know a new one before its first message. */
let id = ""
let isNew = true
/** The newest row when the stream was opened: until it is there, rows are a replay. */
let replayUntil = 0
let isStopping = false
/** @type {import("./connection.js").Link} */
let link = { state: "connecting" }
/** @type {import("./types.js").Choices} */
let chosen = {}

const row = () => state?.conversations.find((each) => each.id === id)
const title = () => row()?.title ?? (state ? words.newTitle : "Reins")
const isRunning = () => conversation.turn()?.isOver === false

/** What the server says, the last run, and what was chosen here since. @returns {import("./types.js").Choices} */
const choices = () => {
  const turn = conversation.turn()
  const known = {
    ...present(row()),
    ...present({ agent: turn?.agent, model: turn?.model, mode: turn?.mode }),
    ...chosen
  }
  // A model is one of its agent.
  const { model, ...others } = state?.defaults ?? {}
  const isOther = known.agent !== undefined && known.agent !== others.agent
  return { ...others, ...(isOther || model === undefined ? {} : { model }), ...known }
}
/** @param {{ [Name in keyof import("./types.js").Choices]: string | undefined } | undefined} some @returns {import("./types.js").Choices} */
const present = ({ agent, model, mode, directory } = {}) =>
  Object.fromEntries(Object.entries({ agent, model, mode, directory }).filter(([, value]) => value !== undefined))

// ── what people do ──────────────────────────────────────────────────────────────────────────────────────────────────

/** @param {import("./types.js").Press} press @returns {Promise<{ error?: string, text?: string, blocks?: import("./types.js").Block[] }>} */
const ask = async (press) => {
  const { answer, failure } = await presses.send("press", id, { id: newId(), conversation: id, press })
  const said = /** @type {{ text?: string, blocks?: import("./types.js").Block[] }} */ (answer ?? {})
  if (failure || said.text) tell(failure?.error ?? said.text ?? "", failure !== undefined)
  return failure ? { error: failure.error } : said
}
/** A press whose failure no card shows. @param {import("./types.js").Press} press */
const pressPlainly = async (press) => {
  const { error } = await ask(press)
  if (error !== undefined) byId("problem", "p").textContent = error
  return error === undefined ? {} : { error }
}
const stopMs = 20_000
const stopAgain = () => {
  isStopping = false
  painter.schedule()
}
const stop = async () => {
  if (!isRunning() || isStopping) return
  isStopping = true
  painter.schedule()
  const turn = conversation.turnId()
  // One that a message began: no other is meant, however late the server hears of it.
  const { error } = await pressPlainly({ do: "stop", ...(turn?.startsWith("bridge-") ? { turn } : {}) })
  if (error !== undefined) isStopping = false
  // What does not end by then may be stopped again.
  else setTimeout(stopAgain, stopMs)
  painter.schedule()
}
/** To what waits longest; else to the box. */
const next = () => {
  const [card] = conversation.requests.values()
  const asking =
    [...conversation.requests.values()].find(({ element }) => !element.querySelector(".buttons > .spin")) ?? card
  if (!asking || asking.element.querySelector(".buttons > .spin")) return composer.focus()
  asking.element.focus({ preventScroll: true })
  asking.element.scrollIntoView({ block: "nearest" })
}
/** @param {import("./composer.js").Written} written */
const send = ({ text, files, isQueued }) => {
  const message = newId()
  const fileIds = files.map(({ fileId }) => fileId)
  const how = isRunning() ? { how: isQueued ? "queue" : "steer" } : {}
  const body = {
    id: message,
    conversation: id,
    text,
    ...(fileIds.length > 0 ? { files: fileIds } : {}),
    ...how,
    ...(isNew ? asUsual(chosen) : {})
  }
  conversation.addUnsent({ id: message, text, ...(files.length > 0 ? { files } : {}) })
  showInAddress(id, { replace: isNew })
  void messages.send("messages", id, body)
  scrolling.toEnd()
  drawAround()
}
/** An empty choice is the server's own. @param {import("./types.js").Choices} some */
const asUsual = (some) =>
  Object.fromEntries(Object.entries(some).map(([name, value]) => [name, value === "" ? null : value]))

/** @param {string} of @param {Record<string, unknown>} change */
const changeConversation = async (of, change) => {
  const { failure } = await post(`conversations/${encodeURIComponent(of)}`, change)
  return failure?.error
}
/** @param {import("./types.js").Choices} change */
const choose = async (change) => {
  const before = chosen
  chosen = { ...chosen, ...change }
  keep(`choices.${id}`, chosen)
  drawAround()
  if (isNew) return
  const error = await changeConversation(id, asUsual(change))
  if (error === undefined) return
  chosen = before
  keep(`choices.${id}`, chosen)
  byId("problem", "p").textContent = error
  drawAround()
}

// ── what the server says ────────────────────────────────────────────────────────────────────────────────────────────

/** @param {import("./outbox.js").Parcel} parcel @param {import("./outbox.js").Outcome} outcome */
const messageAnswered = ({ id: message, conversation: of, body }, { failure }) => {
  if (of !== id) {
    if (failure) keep(`draft.${of}`, [kept(`draft.${of}`), body["text"]].filter((each) => each).join("\n"))
    return
  }
  if (failure) {
    conversation.failUnsent(message, failure.error)
    tell(words.notSent(failure.error), true)
    return
  }
  conversation.accepted(message)
  if (!isNew) return
  isNew = false
  chosen = {}
  keep(`choices.${id}`, undefined)
  connection.show(id)
}
/** @param {import("./server.js").Failure} failure @param {import("./outbox.js").Parcel} parcel */
const messageStuck = ({ problem, error }, { id: message }) => {
  if (problem === "busy") conversation.holdUnsent(message, error)
  connection.check()
}
/** @param {import("./types.js").Row} seen */
const takeRow = (seen) => {
  conversation.apply(seen)
  if (seen.row === "run") {
    chosen = {}
    isStopping = false
  }
  if (seen.id >= replayUntil) endReplay()
  painter.schedule()
}
const endReplay = () => {
  if (replayUntil === 0) return
  replayUntil = 0
  // What was missed is not read out; what still waits is.
  requestAnimationFrame(() => {
    setQuiet(false)
    const [card] = conversation.requests.values()
    if (card) tell(words.asksNow(card.agent, card.title, inKeys("Alt A")), true)
  })
}
/** @param {import("./connection.js").Hello} hello */
const takeHello = (hello) => {
  const { now, newest } = hello
  setServerTime(now)
  if (newest < connection.last()) {
    // Another store: what is in the page is of no use.
    connection.forget()
    open(id)
    return
  }
  earlier.hello(hello)
  setQuiet(true)
  replayUntil = Math.max(1, newest)
  if (isNew || newest <= connection.last()) endReplay()
  for (const box of [presses, messages]) box.flush()
  painter.schedule()
}
/** @param {import("./types.js").State} given */
const takeState = (given) => {
  const asked = new Set(state?.conversations.filter((each) => each.state === "asking").map((each) => each.id))
  if (state)
    for (const each of given.conversations)
      if (each.state === "asking" && each.id !== id && !asked.has(each.id)) tell(words.elsewhere(each.title))
  state = given
  setReader(given.person.name ?? given.person.id)
  setServerTime(given.now)
  drawAround()
}
/** @param {import("./connection.js").Link} given */
const takeLink = (given) => {
  link = given
  if (given.state === "missing" && messages.of(id).length > 0) {
    isNew = true
    return connection.show("")
  }
  linkStrip.set(given, state !== undefined)
  drawAround()
}

// ── what is drawn ───────────────────────────────────────────────────────────────────────────────────────────────────

const drawAround = () => {
  const isShut = link.state === "missing" || (link.state === "expired" && state === undefined)
  byId("foot").hidden = isShut
  const isEmpty = conversation.isEmpty() && (isNew || (link.state === "open" && replayUntil === 0))
  byId("start").hidden = !isShut && !(isEmpty && state !== undefined)
  if (link.state === "missing") drawMissing()
  else if (isShut) drawExpired()
  else if (state && isEmpty)
    drawStart(state, choices(), { suggest: composer.put, chooseDirectory: (directory) => void choose({ directory }) })
  if (state) {
    list.set(state.conversations, id)
  }
  painter.schedule()
}
const paint = () => {
  const turn = conversation.turn()
  if (turn?.isOver !== false) isStopping = false
  strip.draw({ turn, asking: conversation.requests.size, isStopping })
  drawHead(state, title(), choices())
  if (state) selects.draw(state, choices())
  composer.ask(choices().agent ?? "")
  if (state) drawRail(state, choices(), { turn, changed: conversation.changed })
  const asks = conversation.requests.size > 0 || state?.conversations.some((each) => each.state === "asking") === true
  drawTabTitle(title(), state?.title ?? "Reins", { asks, works: isRunning() })
  if (!conversation.isEmpty()) byId("start").hidden = link.state !== "missing"
  drawCountdowns(conversation.requests.values())
  scrolling.follow()
}
const painter = makePainter(paint)

/** @param {string} of @param {boolean} [isNewOne] */
const open = (of, isNewOne = false) => {
  id = of
  isNew = isNewOne
  chosen = kept(`choices.${id}`) ?? {}
  isStopping = false
  conversation.clear()
  composer.show(id)
  earlier.show(isNewOne ? "" : id)
  for (const { body } of messages.of(id)) conversation.addUnsent({ id: body.id, text: String(body["text"]) })
  setQuiet(true)
  connection.show(isNewOne ? "" : id)
  if (isDrawerOpen()) showDrawer(false)
  scrolling.toEnd()
  drawAround()
}
const begin = () => {
  showInAddress("")
  open(newId(), true)
  composer.focus()
}

// ── the parts ───────────────────────────────────────────────────────────────────────────────────────────────────────

takeKey()
fillFrame()
startTheme()
startDrawer()
const presses = makeOutbox("presses", { done: () => {}, stuck: () => connection.check() })
const messages = makeOutbox("messages", { done: messageAnswered, stuck: messageStuck })
const conversation = makeConversation({
  log: byId("log"),
  unsent: byId("unsent"),
  waiting: byId("waiting"),
  chunks: makeChunks({ log: byId("log"), scroll: byId("scroll", "main"), mayFold: () => scrolling.isAtEnd() }),
  actions: {
    press: ask,
    plainly: pressPlainly,
    ask,
    send: (text) => send({ text, files: [], isQueued: false }),
    edit: ({ text, files }) => composer.put(text, files),
    show: (file) => void showFile(file),
    next,
    soon: painter.soon,
    chooseAgent: () => byId("agent", "select").focus(),
    chooseModel: () => byId("model", "select").focus(),
    agent: () => choices().agent ?? "",
    person: () => words.you
  }
})
const connection = makeConnection({ hello: takeHello, row: takeRow, state: takeState, link: takeLink })
const composer = makeComposer({ send, limits: () => state?.limits ?? { text: 100_000, uploadBytes: 20_000_000 } })
const scrolling = makeScrolling({ nearTop: () => earlier.load() })
const earlier = makeEarlier({ put: (rows) => scrolling.keepPlace(() => conversation.prepend(rows)) })
const linkStrip = makeLinkStrip({ retry: () => connection.retry() })
const strip = makeRunStrip({ stop: () => void stop(), goThere: next })
const selects = makeChoices({ changed: (change) => void choose(change) })
const list = makeConversationList({
  open: (of) => {
    showInAddress(of)
    open(of)
    if (!isNarrow()) composer.focus()
  },
  change: changeConversation,
  save: async ({ id: of, title: name }, format) =>
    (await download(`conversations/${encodeURIComponent(of)}/export?format=${format}`, `${name}.${format}`))?.error
})
startShortcuts({ stop: () => void stop(), next, begin })
byId("new", "button").addEventListener("click", begin)

/** The address names a conversation, or a new key. */
const follow = () => {
  if (takeKey()) connection.retry()
  const wanted = conversationInAddress()
  if (wanted !== "" && wanted !== id) open(wanted)
  else if (wanted === "" && !isNew) open(newId(), true)
}
addEventListener("hashchange", follow)
addEventListener("popstate", follow)
addEventListener("online", () => connection.retry())
document.addEventListener("visibilitychange", () => {
  if (!document.hidden && connection.isWaiting()) connection.retry()
})
setInterval(() => {
  linkStrip.tick()
  if (isRunning() || conversation.requests.size > 0) painter.schedule()
}, 500)

const wanted = conversationInAddress()
open(wanted === "" ? newId() : wanted, wanted === "")
if (!isNarrow()) composer.focus()
