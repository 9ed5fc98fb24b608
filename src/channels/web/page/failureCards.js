/** Failures, interruptions and refusals, each with its fix. */
import { button, exact, fold, h, icon, outputRegion, sendingNote, withCode } from "./elements.js"
import { dayTime } from "./format.js"
import { words } from "./words.js"

/**
 * @param {import("./types.js").ErrorEvent} event
 * @param {{ agent: string, at: number, again: (() => void) | undefined, goOn: () => void, chooseAgent: () => void, chooseModel: () => void }} context
 */
export const errorCard = (event, { agent, at, again, goOn, chooseAgent, chooseModel }) => {
  const advice = words.advice[event.category] ?? words.advice["other"]
  const [what, cure] = advice?.(agent) ?? ["", ""]
  const end = event.retryAt ? Date.parse(event.retryAt) : at + (event.retryAfterMs ?? Number.NaN)
  const free = Number.isNaN(end) ? undefined : dayTime(end)
  const facts = [
    ...[h("dt", {}, words.facts.category), h("dd", {}, event.category)],
    ...[h("dt", {}, words.facts.code), h("dd", { dir: "ltr" }, ...exact(event.code))]
  ]
  const summary = h("summary", {}, icon("chevron", "turn-icon"), words.details)
  const details = h("details.more", {}, summary, h("dl.facts", {}, ...facts))
  const isCrash = event.category === "crash"
  const isBudget = event.code === "budget_exceeded"
  const againText = isCrash ? words.againFromStart : words.again
  const againButton = again ? [button(againText, again, isCrash || isBudget ? "plain" : "primary")] : []
  const buttons = isBudget
    ? [button(words.cheaperModel, chooseModel, "primary"), ...againButton]
    : [
        ...(isCrash ? [button(words.goOn, goOn, "primary")] : []),
        ...againButton,
        button(words.anotherAgent, chooseAgent)
      ]
  // A spent budget is not a failure: the turn was not started.
  const tag = h("span.tag", {}, event.category.replaceAll("_", " "))
  const head = isBudget
    ? h("header", {}, icon("warn"), h("h3", {}, words.budgetSpent))
    : h("header", {}, icon("bad"), h("h3", {}, `${agent} ${what}`), tag)
  const row = h("div.buttons", {}, ...buttons)
  const element = h(
    isBudget ? "section.card.warn" : "section.card.error",
    { "aria-label": isBudget ? words.budgetSpent : words.runFailed },
    head,
    h("p", { dir: "auto" }, ...exact(event.message)),
    h("p.cure", { dir: "auto" }, free ? words.freeAt(free) : "", ...withCode(event.help ?? cure)),
    details,
    row
  )
  // Later events replace it.
  return { element, details, over: () => row.remove() }
}

/**
 * @param {import("./types.js").HostRow} row
 * @param {{ press: import("./requestCard.js").SendPress }} context
 */
export const interruptedCard = (row, { press }) => {
  const problem = h("p.problem", { role: "alert" })
  const buttons = h("div.buttons")
  const element = h("section.card.warn", { "aria-label": words.interrupted, tabIndex: -1 })
  const choices = row.choices ?? ["continue", "again", "forget"]
  /** @param {string} choice */
  const choose = async (choice) => {
    buttons.replaceChildren(...sendingNote())
    const { error } = await press({ do: "interrupted", turn: row.turn, choice })
    problem.textContent = error ?? ""
    if (error === undefined) over(words.interruptedChoices[choice]?.[0])
    else draw()
  }
  const draw = () =>
    buttons.replaceChildren(
      ...choices.map((choice, index) => {
        const [label, title] = words.interruptedChoices[choice] ?? [choice, ""]
        return button(label, () => void choose(choice), index === 0 ? "primary" : "plain", { title })
      })
    )
  /** @param {string} [label] of the choice */
  const over = (label) => {
    buttons.replaceChildren(...(label ? [h("span.soft", {}, label)] : []))
    element.classList.add("over")
  }
  draw()
  element.append(
    h("header", {}, icon("pause"), h("h3", {}, words.interrupted)),
    h("p", { dir: "auto" }, ...exact(row.text)),
    problem,
    buttons
  )
  return { element, over: () => over() }
}

/** @param {"clock" | "warn" | "other"} sign @param {string} text @param {Node} [more] */
export const noteLine = (sign, text, more) =>
  h(/** @type {"p.note"} */ (`p.note.n-${sign}`), {}, icon(sign), h("span", { dir: "auto" }, ...exact(text)), more)

/** A complete event of a later version. @param {unknown} event */
export const unknownEvent = (event) => {
  const content = outputRegion(words.unknownEvent, exact(JSON.stringify(event, null, 2)))
  return fold([words.unknownEvent], [content], {}, ".unknown")
}
