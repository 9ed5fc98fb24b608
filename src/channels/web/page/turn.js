/** One turn of the agent: its events become prose, groups of steps, cards and notes, each below the one before. */

import { makeAnswerText } from "./answerText.js"
import { prose } from "./blocks.js"
import { copyButton, exact, fold, h, icon, output, outputRegion, tell, unseen } from "./elements.js"
import { errorCard, noteLine, unknownEvent } from "./failureCards.js"
import { duration, inKeys, money, thousands, time } from "./format.js"
import { questionCard } from "./questionCard.js"
import { requestCard } from "./requestCard.js"
import { makeTurnSteps } from "./turnSteps.js"
import { words } from "./words.js"

const signs = { completed: "ok", in_progress: "chevron", cancelled: "bad", blocked: "warn", pending: "other" }

/** The agent's to-do list, or a plan in prose, which is replaced by later ones of the turn. */
const makeTodo = () => {
  const line = h("span.label", {})
  const body = h("div.step-body")
  const element = fold([icon("plan"), line], [body], { open: true }, ".todo")

  /**
   * @param {Extract<import("./types.js").AgentEvent, { type: "plan" }>} event
   * @param {import("./types.js").Block[] | undefined} blocks of a plan in prose
   * @returns {string} the progress
   */
  const set = ({ entries, text }, blocks) => {
    if (!entries) {
      line.textContent = words.verbs["plan"] ?? ""
      body.replaceChildren(prose(blocks, text ?? ""))
      return ""
    }
    const done = entries.filter(({ status }) => status === "completed").length
    const current = entries.find(({ status }) => status === "in_progress")?.text ?? ""
    line.textContent = `${words.todo} · ${words.planAt(done, entries.length, "")}`
    const items = entries.map(({ text: content, status = "pending" }) => {
      const sign = [icon(signs[status]), unseen(words.todoState[status] ?? "")]
      return h("li", { "data-status": status }, ...sign, h("span", { dir: "auto" }, ...exact(content)))
    })
    body.replaceChildren(h("ol.entries", {}, ...items))
    return words.planAt(done, entries.length, current)
  }
  return { element, set }
}

/** Shorter steps show no duration. */
const shortestMs = 500

/** @param {import("./types.js").Result} result @param {number} steps @returns {string[]} */
const turnFacts = ({ outcome, durationMs, totalCostUsd, usage }, steps) => {
  const tokens = (usage?.inputTokens ?? 0) + (usage?.outputTokens ?? 0)
  return [
    words.outcomes[outcome ?? ""] ?? "",
    durationMs === undefined || durationMs < shortestMs ? "" : duration(durationMs),
    steps > 0 ? words.steps(steps) : "",
    totalCostUsd === undefined ? "" : money(totalCostUsd),
    tokens > 0 ? words.tokens(thousands(tokens)) : ""
  ].filter((each) => each !== "")
}

/** @typedef {import("./types.js").EventRow & import("./types.js").Stamp} EventRow */
/** @typedef {ReturnType<typeof requestCard> | ReturnType<typeof questionCard>} Card */
/**
 * Callbacks of a turn to the conversation around it.
 *
 * @typedef {object} Surroundings
 * @property {import("./requestCard.js").SendPress} press
 * @property {(id: string, card: Card) => void} asks
 * @property {(id: string) => void} settled
 * @property {() => void} next moves to the next open request, or back to the box
 * @property {(draw: () => void) => void} soon draws at most once a frame
 * @property {(path: string, sum: { added: number, removed: number }) => void} changed
 * @property {(turn: { message?: string }) => (() => void) | undefined} again
 * @property {() => void} goOn
 * @property {() => void} chooseAgent
 * @property {() => void} chooseModel
 */

/** Members that an event needs: one that was too long to be kept has only its type. @type {Record<string, string>} */
const needed = {
  tool_use: "toolId",
  tool_result: "output",
  permission_request: "requestId",
  question: "questions",
  text: "text",
  thinking: "text"
}
const waits = new Set(["retry", "rate_limit", "queued", "stalled"])
const neutral = new Set(["info", "session_reset"])

/** @param {{ turn: string, at: number, agent: string, model?: string, mode?: string, message?: string }} row @param {Surroundings} around */
export const makeTurn = (row, around) => {
  const body = h("div.turn-body")
  const facts = [row.model, time(row.at)].filter((each) => each).join(" · ")
  const head = h("header.turn-head", {}, h("span.agent", {}, row.agent), h("span.soft", {}, facts))
  const name = words.by(row.agent, time(row.at))
  const element = h("article.turn", { "aria-label": name, "aria-busy": "true" }, head, body)
  /** @type {Map<string, Card>} */
  const cards = new Map()
  /** @type {ReturnType<typeof makeTodo> | undefined} */
  let todo
  /** @type {ReturnType<typeof errorCard> | undefined} */
  let failure
  const answer = makeAnswerText({ body, soon: around.soon, before: () => breakOff() })
  const { changed } = around
  const steps = makeTurnSteps({ body, before: () => answer.close(), changed, directory: () => turn.workingDirectory })
  const turn = {
    ...row,
    element,
    steps: 0,
    isOver: false,
    isStopping: false,
    last: words.starting,
    /** @type {number | undefined} */ cost: undefined,
    /** @type {string | undefined} */ sessionId: undefined,
    /** @type {string | undefined} */ workingDirectory: undefined
  }

  const breakOff = () => {
    answer.close()
    steps.close()
  }
  /** @param {Node} node */
  const put = (node) => {
    breakOff()
    body.append(node)
  }

  /** @param {Extract<import("./types.js").AgentEvent, { type: "notice" }>} event */
  const addNotice = ({ kind, message, data }) => {
    if (kind === "text_voided") answer.take(data?.characters ?? 0)
    if (kind === "progress") turn.last = message
    else put(noteLine(waits.has(kind) ? "clock" : neutral.has(kind) ? "other" : "warn", message))
  }
  /** @param {string} id @param {Card} card @param {string} title */
  const addCard = (id, card, title) => {
    cards.set(id, card)
    put(card.element)
    around.asks(id, card)
    tell(words.asksNow(row.agent, title, inKeys("Alt A")), true)
  }
  /** @param {string} id */
  const settled = (id) => {
    cards.delete(id)
    around.settled(id)
  }
  /** @param {Extract<import("./types.js").AgentEvent, { type: "plan" }>} event @param {EventRow["plan"]} plan */
  const addPlan = (event, plan) => {
    if (!todo) {
      todo = makeTodo()
      put(todo.element)
    }
    const content = todo.set(event, plan)
    if (content !== "") turn.last = content
  }
  /** @param {import("./types.js").ErrorEvent} event @param {number} at */
  const addFailure = (event, at) => {
    const { goOn, chooseAgent, chooseModel } = around
    failure = errorCard(event, { agent: row.agent, at, again: around.again(turn), goOn, chooseAgent, chooseModel })
    put(failure.element)
    tell(words.failedNow(row.agent, event.message), true)
  }

  /** @param {EventRow} at */
  const apply = ({ event, blocks, plan, offset, at }) => {
    const isMain = event.parentToolId === undefined
    const options = { agent: row.agent, press: around.press, next: around.next, settled }
    if (event.cut === true && !((needed[event.type] ?? "type") in event)) return put(noteLine("warn", words.cutOff))
    switch (event.type) {
      case "session":
        turn.sessionId = event.sessionId
        turn.workingDirectory = event.workingDirectory ?? turn.workingDirectory
        return
      case "text":
        if (event.parentToolId !== undefined) return steps.say(event.parentToolId, event.text, offset)
        turn.last = words.writing
        return answer.add(event.text, { offset, blocks })
      case "thinking":
        if (!isMain) return
        turn.last = words.thinking
        return steps.think(event.text, offset)
      case "tool_use": {
        const step = steps.add(event)
        turn.steps += 1
        turn.last = `${words.verbs[step.kind] ?? ""} ${step.title}`
        return
      }
      case "tool_result":
        return steps.settle(event)
      case "plan":
        return isMain ? addPlan(event, plan) : undefined
      case "notice":
        return addNotice(event)
      case "usage":
        turn.cost = event.totalCostUsd ?? turn.cost
        return
      case "permission_request":
        return addCard(event.requestId, requestCard(event, { ...options, plan }), event.title)
      case "question":
        return addCard(event.requestId, questionCard(event, options), event.questions[0]?.question ?? "")
      case "permission_decision":
      case "question_answer":
        return settle(event)
      case "error":
        return addFailure(event, at)
      case "turn_done":
      case "done":
        return end(event.result)
      default:
        put(unknownEvent(event))
    }
  }
  /** @param {import("./types.js").PermissionDecision | import("./types.js").QuestionAnswer} event */
  const settle = (event) => {
    const card = cards.get(event.requestId)
    if (card?.isQuestion === false && event.type === "permission_decision") card.settle(event)
    if (card?.isQuestion === true && event.type === "question_answer") card.settle(event)
  }

  /** @param {import("./types.js").Result | undefined} result undefined if the host was restarted */
  const end = (result) => {
    if (turn.isOver) return
    turn.isOver = true
    element.setAttribute("aria-busy", "false")
    const isText = answer.isOpen()
    answer.close()
    steps.end(isText || result === undefined)
    for (const card of cards.values()) {
      if (card.isQuestion) card.settle({ by: "end" })
      else card.settle({ decision: "withdrawn", by: "end" })
    }
    if (!result) return
    const content = turnFacts(result, turn.steps)
    const text = answer.source()
    const isBad = result.outcome === "failed" || result.outcome === "timed_out"
    const sign = result.outcome === "completed" ? "ok" : isBad ? "bad" : "stop"
    if (result.stderrTail) failure?.details.append(outputRegion(words.lastWords, output(result.stderrTail)))
    const foot = [icon(sign), h("span", {}, content.join(" · "))]
    if (text !== "") foot.push(copyButton(text, words.things.answer))
    element.append(h("footer.turn-foot", { "data-outcome": result.outcome }, ...foot))
    tell(words.ended(row.agent, content.slice(0, 2).join(", ")))
  }

  const stop = () => {
    turn.isStopping = true
  }

  return Object.assign(turn, { apply, stop, end, put, /** Called for later rows. */ over: () => failure?.over() })
}

/** @typedef {ReturnType<typeof makeTurn>} Turn */
