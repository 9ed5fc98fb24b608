/** The column beside the conversation: agent and place, the command to resume in a terminal, changed files, the budget. */

import { tally } from "./diff.js"
import { byId, copyButton, exact, h } from "./elements.js"
import { money } from "./format.js"
import { words } from "./words.js"

/** Spending and reservations of a budget as a bar. @param {import("./types.js").BudgetRow} budget @param {string} id */
export const meter = (budget, id) => {
  const share = budget.limit > 0 ? Math.min(1, (budget.spent + budget.reserved) / budget.limit) : 1
  const level = share >= 0.97 ? "bad" : share >= 0.8 ? "warn" : "ok"
  const label = h(
    "label",
    { htmlFor: id },
    h("span.num", {}, words.spentOf(money(budget.spent), money(budget.limit))),
    h("span.soft", {}, ` ${budget.name}`)
  )
  return h("div.meter", { "data-level": level }, label, h("progress", { id, max: 1, value: share }))
}

const mostFiles = 200
let drawn = ""

/**
 * @param {import("./types.js").State} state
 * @param {import("./types.js").Choices} choices of this conversation
 * @param {{ turn: import("./turn.js").Turn | undefined, changed: Map<string, { added: number, removed: number }> }} conversation
 */
export const drawRail = (state, choices, { turn, changed }) => {
  const now = JSON.stringify([state.agents, state.directories, state.budget, choices, turn?.sessionId, [...changed]])
  if (now === drawn) return
  drawn = now
  const agent = state.agents.find(({ id }) => id === choices.agent)
  const directory = state.directories.find(({ name }) => name === choices.directory)
  const branch = directory?.branch === undefined ? "" : words.changedOf(directory.branch, directory.changed ?? 0)
  /** @type {[string, string | undefined][]} */
  const facts = [
    [words.agent, agent ? [agent.name, agent.version].filter((each) => each).join(" ") : choices.agent],
    [words.model, choices.model],
    [words.directory, directory?.path ?? choices.directory],
    [words.branch, branch],
    [words.permissions, words.modes[choices.mode ?? "default"] ?? choices.mode]
  ]
  const known = facts.flatMap(([name, value]) =>
    value ? [h("dt", {}, name), h("dd", { dir: "auto" }, ...exact(value))] : []
  )
  const session = turn?.sessionId
  const command = session && turn ? `${turn.agent} --resume ${session}` : ""
  const code = h("code", { dir: "ltr", title: command }, ...exact(command))
  const resume = command === "" ? null : h("div.resume", {}, code, copyButton(command, words.things.resume))
  const files = [...changed]
    .slice(0, mostFiles)
    .map(([path, sum]) => h("li", {}, h("span.path", { dir: "ltr", title: path }, ...exact(path)), tally(sum)))
  const { budget } = state
  const isReserved = budget !== undefined && budget.reserved > 0
  byId("rail", "aside").replaceChildren(
    h("h2", {}, words.thisConversation),
    h("dl.facts", {}, ...known),
    ...(resume ? [resume] : []),
    ...(files.length > 0 ? [h("h2", {}, words.changedFiles), h("ul.changed", {}, ...files)] : []),
    ...(budget ? [h("h2", {}, words.budget), meter(budget, "rail-budget")] : []),
    ...(isReserved ? [h("p.soft.small-text", {}, words.reserved(money(budget.reserved), budget.again))] : [])
  )
}
