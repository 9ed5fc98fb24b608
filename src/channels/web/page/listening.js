/** Messages of the server: rows, the state around them, the connection, and the fate of messages. */
import { setQuiet, tell } from "./announce.js"
import { setReader } from "./deciders.js"
import { setServerTime } from "./format.js"
import { inKeys } from "./keyboard.js"
import { here, parts } from "./parts.js"
import { keep, kept } from "./tabMemory.js"
import { words } from "./words.js"

/** @param {import("./outbox.js").Parcel} parcel @param {import("./outbox.js").Outcome} outcome */
export const messageAnswered = ({ id: message, conversation: of, body }, { failure }) => {
  if (of !== here.id) {
    if (failure) keep(`draft.${of}`, [kept(`draft.${of}`), body["text"]].filter((each) => each).join("\n"))
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

/** @param {import("./types.js").Row} seen */
export const takeRow = (seen) => {
  parts.conversation.apply(seen)
  if (seen.row === "run") {
    here.chosen = {}
    here.isStopping = false
  }
  if (seen.id >= here.replayUntil) endReplay()
  parts.painter.schedule()
}
const endReplay = () => {
  if (here.replayUntil === 0) return
  here.replayUntil = 0
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
    // Another store: what is in the page is of no use.
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
/** @param {import("./types.js").State} given */
export const takeState = (given) => {
  const before = here.state
  const asked = new Set(before?.conversations.filter((each) => each.state === "asking").map((each) => each.id))
  if (before)
    for (const each of given.conversations)
      if (each.state === "asking" && each.id !== here.id && !asked.has(each.id)) tell(words.elsewhere(each.title))
  here.state = given
  setReader(given.person.name ?? given.person.id)
  setServerTime(given.now)
  parts.drawing.around()
}
/** @param {import("./connection.js").Link} given */
export const takeLink = (given) => {
  here.link = given
  if (given.state === "missing" && parts.messages.of(here.id).length > 0) {
    here.isNew = true
    return parts.connection.show("")
  }
  parts.linkStrip.set(given, here.state !== undefined)
  parts.drawing.around()
}
