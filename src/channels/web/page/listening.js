/** Handles rows, states, the connection and the answers to messages. */
import { setQuiet, tell } from "./elements.js"
import { inKeys, setServerTime } from "./format.js"
import { here, parts } from "./parts.js"
import { setReader } from "./requestParts.js"
import { keep, stored } from "./tabMemory.js"
import { words } from "./words.js"

/** @param {import("./outbox.js").Parcel} parcel @param {import("./outbox.js").Outcome} outcome */
export const messageAnswered = ({ id: message, conversation: of, body }, { failure }) => {
  if (of !== here.id) {
    if (failure) keep(`draft.${of}`, [stored(`draft.${of}`), body["text"]].filter((each) => each).join("\n"))
    return
  }
  if (failure) {
    parts.conversation.failUnsent(message, failure.error)
    tell(words.notSent(failure.error), true)
    return
  }
  parts.conversation.accepted(message)
  if (!here.isNew) return
  here.isNew = false
  here.chosen = {}
  keep(`choices.${here.id}`, undefined)
  parts.connection.show(here.id)
}
/** @param {import("./server.js").Failure} failure @param {import("./outbox.js").Parcel} parcel */
export const messageStuck = ({ problem, error }, { id: message }) => {
  if (problem === "busy") parts.conversation.holdUnsent(message, error)
  parts.connection.check()
}

/** @param {import("./types.js").Row} row */
export const takeRow = (row) => {
  parts.conversation.apply(row)
  if (row.row === "run") {
    here.chosen = {}
    here.isStopping = false
  }
  if (row.row === "done" && here.replayUntil === 0) parts.changes.refresh()
  if (row.id >= here.replayUntil) endReplay()
  parts.painter.schedule()
}
const endReplay = () => {
  if (here.replayUntil === 0) return
  here.replayUntil = 0
  parts.changes.refresh()
  // Missed events are not read out; pending requests are.
  requestAnimationFrame(() => {
    setQuiet(false)
    const [card] = parts.conversation.requests.values()
    if (card) tell(words.asksNow(card.agent, card.title, inKeys("Alt A")), true)
  })
}
/** @param {import("./connection.js").Hello} hello */
export const takeHello = (hello) => {
  const { now, newest } = hello
  const { connection, earlier, messages, painter, presses } = parts
  setServerTime(now)
  if (newest < connection.last()) {
    // Another store: the page's rows are outdated.
    connection.forget()
    parts.open(here.id)
    return
  }
  earlier.hello(hello)
  setQuiet(true)
  here.replayUntil = Math.max(1, newest)
  if (here.isNew || newest <= connection.last()) endReplay()
  for (const box of [presses, messages]) box.flush()
  painter.schedule()
}
/** @param {import("./types.js").State} value */
export const takeState = (value) => {
  const before = here.state
  const asking = new Set(before?.conversations.filter((each) => each.state === "asking").map((each) => each.id))
  if (before)
    for (const each of value.conversations)
      if (each.state === "asking" && each.id !== here.id && !asking.has(each.id)) tell(words.elsewhere(each.title))
  here.state = value
  setReader(value.person.name ?? value.person.id)
  setServerTime(value.now)
  parts.drawing.around()
}
/** @param {import("./connection.js").Link} value */
export const takeLink = (value) => {
  here.link = value
  if (value.state === "missing" && parts.messages.of(here.id).length > 0) {
    here.isNew = true
    return parts.connection.show("")
  }
  parts.linkStrip.set(value, here.state !== undefined)
  parts.drawing.around()
}
