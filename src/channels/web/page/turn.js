/**
 * One turn of the agent: its events in order become prose, groups of steps, cards and notes. What comes next always stands
 * below what was there.
 */
import { tell } from "./announce.js"
import { copyButton } from "./copyButton.js"
import { h, icon } from "./elements.js"
import { output } from "./exactText.js"
import { errorCard, noteLine, unknownEvent } from "./failureCards.js"
import { time } from "./format.js"
import { questionCard } from "./questionCard.js"
import { requestCard } from "./requestCard.js"
import { makeSegment } from "./segment.js"
import { makeStep, settleStep } from "./step.js"
import { makeGroup, makeThought } from "./stepGroup.js"
import { makeTodo } from "./todo.js"
import { turnFacts } from "./turnFacts.js"
import { words } from "./words.js"

/** @typedef {import("./types.js").Row} Row */
/** @typedef {import("./types.js").EventRow & import("./types.js").Stamp} EventRow */
/** @typedef {ReturnType<typeof requestCard> | ReturnType<typeof questionCard>} Card */
/**
 * What a turn needs of the conversation around it.
 * @typedef {object} Surroundings
 * @property {import("./requestCard.js").SendPress} press
 * @property {(id: string, card: Card) => void} asks
 * @property {(id: string) => void} settled
 * @property {() => void} next moves to what waits, or back to the box
 * @property {(draw: () => void) => void} soon draws at most once a frame
 * @property {(path: string, sum: { added: number, removed: number }) => void} changed
 * @property {(turn: { message?: string }) => (() => void) | undefined} again
 * @property {() => void} goOn
 * @property {() => void} chooseAgent
 */

/** @param {{ turn: string, at: number, agent: string, model?: string, mode?: string, message?: string }} row @param {Surroundings} around */
export const makeTurn = (row, around) => {
  const body = h("div.turn-body")
  const facts = [row.model, time(row.at)].filter((each) => each).join(" · ")
  const head = h("header.turn-head", {}, h("span.agent", {}, row.agent), h("span.soft", {}, facts))
  const element = h(
    "article.turn",
    { "aria-label": words.by(row.agent, time(row.at)), "aria-busy": "true" },
    head,
    body
  )
  /** @type {Map<string, import("./step.js").Step>} */
  const steps = new Map()
  /** @type {Map<string, Card>} */
  const cards = new Map()
  /** @type {ReturnType<typeof makeSegment>[]} */
  const segments = []
  /** @type {ReturnType<typeof makeSegment> | undefined} */
  let segment
  /** @type {ReturnType<typeof makeGroup> | undefined} */
  let group
  /** @type {ReturnType<typeof makeThought> | undefined} */
  let thought
  /** @type {ReturnType<typeof makeTodo> | undefined} */
  let todo
  /** @type {ReturnType<typeof errorCard> | undefined} */
  let failure

  const turn = {
    ...row,
    element,
    steps: 0,
    isOver: false,
    last: words.starting,
    /** @type {number | undefined} */ cost: undefined,
    /** @type {string | undefined} */ sessionId: undefined,
    /** @type {string | undefined} */ workingDirectory: undefined
  }

  /** Ends the group of steps and the piece of prose. */
  const breakOff = () => {
    segment?.draw()
    group?.draw(true)
    segment = undefined
    group = undefined
    thought = undefined
  }
  /** @param {Node} node */
  const put = (node) => {
    breakOff()
    body.append(node)
  }
  const groupOf = () => {
    segment?.draw()
    segment = undefined
    group ??= makeGroup(body)
    return group
  }

  /** @param {string} text @param {EventRow["blocks"]} change */
  const addText = (text, change) => {
    if (!segment) {
      breakOff()
      segment = makeSegment()
      segments.push(segment)
      body.append(segment.element)
    }
    segment.add(text, change)
    turn.last = words.writing
    around.soon(segment.draw)
  }
  /** @param {number} characters @param {EventRow["blocks"]} change */
  const takeText = (characters, change) => {
    let left = characters
    for (const each of segments.toReversed()) {
      if (left <= 0) return
      left = each.take(left, each === segment ? change : undefined)
    }
  }
  /** @param {string} text */
  const addThought = (text) => {
    if (thought === undefined || group?.last() !== thought) {
      thought = makeThought()
      groupOf().add(thought)
    }
    thought.add(text)
    turn.last = words.thinking
  }

  /** @param {import("./types.js").ToolUse} event */
  const addStep = (event) => {
    const parent = event.parentToolId === undefined ? undefined : steps.get(event.parentToolId)
    const step = makeStep(event, turn.workingDirectory)
    turn.steps += 1
    turn.last = `${words.verbs[step.kind] ?? ""} ${step.title}`
    steps.set(event.toolId, step)
    if (!parent) {
      groupOf().add(step)
      thought = undefined
      return
    }
    if (!parent.list) {
      parent.list = h("ol.steps.nested")
      parent.body.append(parent.list)
    }
    parent.list.append(step.item)
    parent.details.open = true
  }
  /** @param {import("./types.js").ToolResult} event */
  const endStep = (event) => {
    const step = steps.get(event.toolId)
    if (!step) return
    settleStep(step, event, turn.workingDirectory)
    if (!event.isError) for (const [path, sum] of step.sums()) around.changed(path, sum)
    if (step.kind === "subagent" && step.list) {
      step.side.prepend(h("span.soft", {}, words.steps(step.list.children.length)))
      step.said?.remove()
    }
    group?.draw(false)
    if (event.isError) tell(words.stepFailed(step.title))
  }
  /** @param {string} toolId @param {string} text */
  const addSaid = (toolId, text) => {
    const parent = steps.get(toolId)
    if (!parent) return
    parent.said ??= h("p.said", { dir: "auto" })
    parent.said.append(text)
    parent.body.append(parent.said)
  }

  /** @param {Extract<import("./types.js").AgentEvent, { type: "notice" }>} event @param {EventRow["blocks"]} change */
  const addNotice = (event, change) => {
    if (event.kind === "text_voided") takeText(event.data?.characters ?? 0, change)
    if (event.kind === "progress") {
      turn.last = event.message
      return
    }
    const isWait = ["retry", "rate_limit", "queued", "stalled"].includes(event.kind)
    put(
      noteLine(
        isWait ? "clock" : event.kind === "info" || event.kind === "session_reset" ? "other" : "warn",
        event.message
      )
    )
  }
  /** @param {string} id @param {Card} card @param {string} title */
  const addCard = (id, card, title) => {
    cards.set(id, card)
    put(card.element)
    around.asks(id, card)
    tell(words.asksNow(row.agent, title), true)
  }
  /** @param {string} id */
  const settled = (id) => {
    cards.delete(id)
    around.settled(id)
  }
  /** @param {Extract<import("./types.js").AgentEvent, { type: "plan" }>} event @param {EventRow["blocks"]} change */
  const addPlan = (event, change) => {
    if (!todo) {
      todo = makeTodo()
      put(todo.element)
    }
    const said = todo.set(event, change?.list)
    if (said !== "") turn.last = said
  }

  /** @param {EventRow} at */
  const apply = (at) => {
    const { event, blocks } = at
    if (at.cut === true) Object.assign(event, { cut: true })
    const cardContext = { at: at.at, agent: row.agent, press: around.press, next: around.next, settled }
    switch (event.type) {
      case "session":
        Object.assign(turn, {
          sessionId: event.sessionId,
          workingDirectory: event.workingDirectory ?? turn.workingDirectory
        })
        return
      case "text":
        return event.parentToolId === undefined ? addText(event.text, blocks) : addSaid(event.parentToolId, event.text)
      case "thinking":
        return event.parentToolId === undefined ? addThought(event.text) : undefined
      case "tool_use":
        return addStep(event)
      case "tool_result":
        return endStep(event)
      case "plan":
        return event.parentToolId === undefined ? addPlan(event, blocks) : undefined
      case "notice":
        return addNotice(event, blocks)
      case "usage":
        turn.cost = event.totalCostUsd ?? turn.cost
        return
      case "permission_request":
        return addCard(event.requestId, requestCard(event, { ...cardContext, plan: blocks?.list }), event.title)
      case "question":
        return addCard(event.requestId, questionCard(event, cardContext), event.questions[0]?.question ?? "")
      case "permission_decision":
        return cards.get(event.requestId)?.settle(/** @type {never} */ (event))
      case "question_answer":
        return cards.get(event.requestId)?.settle(/** @type {never} */ (event))
      case "error":
        failure = errorCard(event, {
          agent: row.agent,
          at: at.at,
          again: around.again(turn),
          goOn: around.goOn,
          chooseAgent: around.chooseAgent
        })
        put(failure.element)
        tell(words.failedNow(row.agent, event.message), true)
        return
      case "turn_done":
      case "done":
        return end(event.result)
      default:
        put(unknownEvent(event))
    }
  }

  /** @param {import("./types.js").Result | undefined} result undefined: the host was restarted, and nobody knows */
  const end = (result) => {
    if (turn.isOver) return
    segment?.draw()
    turn.isOver = true
    element.setAttribute("aria-busy", "false")
    for (const step of steps.values()) {
      if (step.state !== "running") continue
      step.setState("unknown")
      step.side.append(h("span.soft", {}, words.stepStates["unknown"] ?? ""))
    }
    group?.draw(segment !== undefined || result === undefined)
    for (const card of cards.values()) card.settle({ decision: "withdrawn", by: "end" })
    if (!result) return
    const said = turnFacts(result, turn.steps)
    const text = segments
      .map((each) => each.source())
      .join("\n\n")
      .trim()
    const sign =
      result.outcome === "completed"
        ? "ok"
        : result.outcome === "failed" || result.outcome === "timed_out"
          ? "bad"
          : "stop"
    if (result.stderrTail && failure) {
      failure.details.append(
        h("pre.out", { tabIndex: 0, role: "region", "aria-label": words.lastWords }, ...output(result.stderrTail))
      )
    }
    element.append(
      h(
        "footer.turn-foot",
        { "data-outcome": result.outcome },
        icon(sign),
        h("span", {}, said.join(" · ")),
        text === "" ? null : copyButton(text, words.things.answer)
      )
    )
    tell(words.ended(row.agent, said.slice(0, 2).join(", ")))
  }

  return Object.assign(turn, { apply, end, put, /** Something came afterwards. */ over: () => failure?.over() })
}

/** @typedef {ReturnType<typeof makeTurn>} Turn */
