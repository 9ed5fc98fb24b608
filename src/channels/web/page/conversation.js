/** A conversation: its rows become messages and turns, each once. Earlier rows are prepended in a chunk of their own. */
import { h } from "./elements.js"
import { interruptedCard } from "./failureCards.js"
import { hostView, messageView, saidView } from "./messageView.js"
import { makeTurn } from "./turn.js"
import { words } from "./words.js"

/** @typedef {import("./types.js").Row} Row */
/** @typedef {import("./types.js").Stamp} Stamp */
/** @typedef {import("./turn.js").Turn} Turn */
/** @typedef {{ root: ParentNode & Node, turn: Turn | undefined, turns: Map<string, Turn>, open: (() => void)[] }} Place of rows in the page */
/** @typedef {{ id: string, text: string, files?: import("./types.js").FileRow[] }} Unsent */
/**
 * Callbacks of a conversation to the page around it.
 *
 * @typedef {object} Actions
 * @property {import("./requestCard.js").SendPress} press
 * @property {(press: import("./types.js").Press) => Promise<import("./acts.js").PressAnswer>} ask
 * @property {import("./requestCard.js").SendPress} plainly a press whose failure is shown below the box
 * @property {(text: string) => void} send
 * @property {(unsent: Unsent) => void} edit
 * @property {(file: import("./types.js").FileRow) => void} show
 * @property {() => void} next
 * @property {(draw: () => void) => void} soon
 * @property {() => void} chooseAgent
 * @property {() => void} chooseModel
 * @property {() => string} agent for requests between turns
 * @property {() => string} person
 */

/** @param {{ log: HTMLElement, unsent: HTMLElement, waiting: HTMLElement, chunks: ReturnType<typeof import("./chunks.js").makeChunks>, actions: Actions }} options */
export const makeConversation = ({ log, unsent, waiting, chunks, actions }) => {
  /** @type {Map<string, import("./messageView.js").MessageView>} */
  const messages = new Map()
  /** @type {Map<string, import("./messageView.js").MessageView>} */
  const pending = new Map()
  /** @type {Map<string, import("./types.js").StateRow>} states of messages that are not loaded yet */
  const early = new Map()
  /** @type {Map<string, import("./turn.js").Card>} */
  const requests = new Map()
  /** @type {Map<string, { added: number, removed: number }>} */
  const changed = new Map()
  /** @type {Place} */
  const here = { root: log, turn: undefined, turns: new Map(), open: [] }
  /** @type {Map<string, string>} turns of requests between turns */
  const betweens = new Map()
  /** @type {Set<string>} */
  const keys = new Set()
  /** @type {Map<number, { row: (import("./types.js").HostRow | import("./types.js").SaidRow) & Stamp, element: HTMLElement }>} */
  const content = new Map()
  /** @type {Map<number, import("./types.js").EditedRow>} */
  const edits = new Map()

  /** @param {{ message?: string }} turn */
  const again = ({ message = "" }) => {
    const text = messages.get(message)?.row.text ?? [...messages.values()].at(-1)?.row.text
    return text === undefined || text === "" ? undefined : () => actions.send(text)
  }
  /** @type {import("./turn.js").Surroundings} */
  const around = {
    ...actions,
    asks: (id, card) => requests.set(id, card),
    settled: (id) => requests.delete(id),
    changed: (path, { added, removed }) => {
      const sum = changed.get(path) ?? { added: 0, removed: 0 }
      changed.set(path, { added: sum.added + added, removed: sum.removed + removed })
    },
    again,
    goOn: () => actions.send(words.goOnText)
  }
  const messageActions = {
    now: (/** @type {string} */ message) => void actions.plainly({ do: "now", message }),
    drop: (/** @type {string} */ message) => void actions.plainly({ do: "drop", message }),
    show: actions.show
  }

  /** Closes open parts before later rows. @param {Place} place */
  const goOn = (place) => {
    place.turn?.over()
    for (const over of place.open) over()
    place.open = []
  }
  /** @param {import("./messageView.js").MessageView} view @param {Place} place */
  const putMessage = (view, place) => {
    const { element, state } = view
    if (state() === "queued") waiting.append(element)
    else if (state() === "taken" && place.turn && !place.turn.isOver) place.turn.put(element)
    else place.root.append(element)
  }
  /** @param {import("./types.js").MessageRow & Stamp} row @param {Place} place */
  const addMessage = (row, place) => {
    pending.get(row.message)?.element.remove()
    pending.delete(row.message)
    const known = messages.get(row.message)
    if (known) return setState(row, place)
    const later = early.get(row.message)
    const view = messageView(later ? { ...row, state: later.state } : row, messageActions)
    messages.set(row.message, view)
    goOn(place)
    putMessage(view, place)
  }
  /** @param {{ message: string, state: import("./types.js").MessageState, place?: number }} row @param {Place} place */
  const setState = (row, place) => {
    const view = messages.get(row.message)
    if (!view) return void early.set(row.message, { row: "state", ...row })
    // The message's own turn shows that it was taken up.
    if (row.state === "taken" && place.turn?.message === row.message) return
    const before = view.state()
    view.setState(row.state, { place: row.place })
    if (before === row.state || (row.state !== "taken" && before !== "queued")) return
    putMessage(view, place)
  }
  /** Begins a block for each run, even of a turn that ran before. @param {import("./types.js").RunRow & Stamp} row @param {Place} place */
  const addTurn = (row, place) => {
    goOn(place)
    // A host that died did not record the end.
    place.turn?.end(undefined)
    const turn = makeTurn(row, around)
    if (row.message !== undefined) messages.get(row.message)?.setState("sent")
    place.turns.set(row.turn, turn)
    place.turn = turn
    place.root.append(turn.element)
    if (place === here) chunks.fold()
  }
  /** @param {import("./types.js").EventRow & Stamp} row @param {Place} place */
  const addEvent = (row, place) => {
    // The agent may ask between two turns, too.
    const request = row.turn === undefined && "requestId" in row.event ? row.event.requestId : undefined
    const of = row.turn ?? betweens.get(request ?? "") ?? `between-${row.id}`
    if (request !== undefined) betweens.set(request, of)
    const turn = turnOf({ ...row, turn: of }, place)
    turn.apply(row)
    if (row.turn === undefined && (row.event.type === "permission_decision" || row.event.type === "question_answer"))
      turn.end(undefined)
  }
  /** @param {{ turn: string } & Stamp} row @param {Place} place */
  const turnOf = (row, place) => {
    const known = place.turns.get(row.turn)
    if (known) return known
    addTurn({ row: "run", id: row.id, at: row.at, turn: row.turn, agent: actions.agent() }, place)
    return /** @type {Turn} */ (place.turns.get(row.turn))
  }
  /** @param {import("./types.js").HostRow & Stamp} row @param {Place} place */
  const addHost = (row, place) => {
    if (row.what !== "interrupted") return keepRow(row, place, hostView(row, actions))
    ;(row.turn === undefined ? place.turn : place.turns.get(row.turn))?.end(undefined)
    const card = interruptedCard(row, { press: actions.press })
    place.open.push(card.over)
    place.root.append(card.element)
  }
  /** @param {import("./types.js").SaidRow & Stamp} row @param {Place} place */
  const addSaid = (row, place) => {
    if (keys.has(row.key)) return
    keys.add(row.key)
    keepRow(row, place, saidView(row, actions))
  }
  /** Remembers a row whose content may be replaced. @param {(import("./types.js").HostRow | import("./types.js").SaidRow) & Stamp} row @param {Place} place @param {HTMLElement} element */
  const keepRow = (row, place, element) => {
    place.root.append(element)
    content.set(row.id, { row, element })
    const edit = edits.get(row.id)
    if (edit) editRow(edit)
  }
  /** @param {import("./types.js").EditedRow} edit */
  const editRow = (edit) => {
    const known = content.get(edit.of)
    edits.set(edit.of, edit)
    if (!known) return
    const { blocks: _, buttons: __, ...row } = known.row
    const { text, blocks, buttons } = edit
    const now = { ...row, text, ...(blocks ? { blocks } : {}), ...(buttons ? { buttons } : {}) }
    const element = now.row === "host" ? hostView(now, actions) : saidView(now, actions)
    known.element.replaceWith(element)
    content.set(edit.of, { row: known.row, element })
  }

  /** @param {Row} row @param {Place} [place] */
  const apply = (row, place = here) => {
    switch (row.row) {
      case "message":
        return addMessage(row, place)
      case "state":
        return setState(row, place)
      case "run":
        return addTurn(row, place)
      case "event":
        return addEvent(row, place)
      case "stopping":
        return turnOf(row, place).stop()
      case "done":
        return turnOf(row, place).end(row.result)
      case "host":
        return addHost(row, place)
      case "said":
        return addSaid(row, place)
      case "edited":
        return editRow(row)
      default:
        return
    }
  }
  /** @param {Row[]} rows earlier ones */
  const prepend = (rows) => {
    const root = h("div.chunk")
    /** @type {Place} */
    const place = { root, turn: undefined, turns: new Map(), open: [] }
    for (const row of rows) apply(row, place)
    goOn(place)
    log.prepend(root)
    chunks.add(root)
    return root
  }

  /** Shows a message until its row comes. @param {Unsent} message */
  const addUnsent = (message) => {
    const { id, ...content } = message
    if (messages.has(id) || pending.has(id)) return
    const edit = () => {
      pending.get(id)?.element.remove()
      pending.delete(id)
      actions.edit(message)
    }
    const row = /** @type {const} */ ({ row: "message", at: Date.now(), by: actions.person(), state: "sending" })
    const view = messageView({ ...row, message: id, ...content }, { ...messageActions, edit })
    pending.set(id, view)
    unsent.append(view.element)
  }
  /** @param {string} id @param {string} problem */
  const failUnsent = (id, problem) => pending.get(id)?.setState("failed", { problem })
  /** The server is busy; sending is retried. @param {string} id @param {string} problem */
  const holdUnsent = (id, problem) => pending.get(id)?.setState("sending", { problem })
  /** The server has it, and its row follows. @param {string} id */
  const accepted = (id) => pending.get(id)?.setState("sent")

  const clear = () => {
    for (const root of [log, unsent, waiting]) root.replaceChildren()
    chunks.clear()
    for (const map of [messages, pending, early, here.turns, requests, changed, betweens, keys, content, edits])
      map.clear()
    Object.assign(here, { turn: undefined, open: [] })
  }
  const isEmpty = () =>
    messages.size === 0 && here.turns.size === 0 && pending.size === 0 && log.childElementCount === 0
  return {
    apply,
    prepend,
    clear,
    addUnsent,
    failUnsent,
    holdUnsent,
    accepted,
    requests,
    changed,
    isEmpty,
    turn: () => here.turn,
    /** The id of the last turn. */
    turnId: () => [...here.turns].find(([, turn]) => turn === here.turn)?.[0]
  }
}

/** @typedef {ReturnType<typeof makeConversation>} Conversation */
