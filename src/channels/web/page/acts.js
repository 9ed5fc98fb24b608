/** User actions: messages and presses go to the outboxes, and the page shows at once that they are being sent. */
import { tell } from "./announce.js"
import { asUsual } from "./choosing.js"
import { byId } from "./elements.js"
import { showInAddress } from "./key.js"
import { here, isRunning, parts } from "./parts.js"
import { newId } from "./server.js"

/** @typedef {import("./types.js").Press} Press */

const stopMs = 20_000

export const makeActs = () => {
  /** @param {Press} press @returns {Promise<{ error?: string, text?: string, blocks?: import("./types.js").Block[] }>} */
  const ask = async (press) => {
    const { answer, failure } = await parts.presses.send("press", here.id, {
      id: newId(),
      conversation: here.id,
      press
    })
    const reply = /** @type {{ text?: string, blocks?: import("./types.js").Block[] }} */ (answer ?? {})
    if (failure || reply.text) tell(failure?.error ?? reply.text ?? "", failure !== undefined)
    return failure ? { error: failure.error } : reply
  }
  /** A press whose failure no card shows. @param {Press} press */
  const pressPlainly = async (press) => {
    const { error } = await ask(press)
    if (error !== undefined) byId("problem", "p").textContent = error
    return error === undefined ? {} : { error }
  }
  const stopAgain = () => {
    here.isStopping = false
    parts.painter.schedule()
  }
  const stop = async () => {
    if (!isRunning() || here.isStopping) return
    here.isStopping = true
    parts.painter.schedule()
    const turn = parts.conversation.turnId()
    // One that a message began: no other is meant, however late the server hears of it.
    const { error } = await pressPlainly({ do: "stop", ...(turn?.startsWith("bridge-") ? { turn } : {}) })
    if (error !== undefined) here.isStopping = false
    // If it has not ended by then, the button works again.
    else setTimeout(stopAgain, stopMs)
    parts.painter.schedule()
  }
  /** To what waits longest; else to the box. */
  const next = () => {
    const { requests } = parts.conversation
    const asking = [...requests.values()].find(({ element }) => !element.querySelector(".buttons > .spin"))
    if (!asking) return parts.composer.focus()
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
      conversation: here.id,
      text,
      ...(fileIds.length > 0 ? { files: fileIds } : {}),
      ...how,
      ...(here.isNew ? asUsual(here.chosen) : {})
    }
    parts.conversation.addUnsent({ id: message, text, ...(files.length > 0 ? { files } : {}) })
    showInAddress(here.id, { replace: here.isNew })
    void parts.messages.send("messages", here.id, body)
    parts.scrolling.toEnd()
    parts.drawing.around()
  }
  return { ask, pressPlainly, stop, next, send }
}
