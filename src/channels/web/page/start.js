/** The start page: directory, agents and suggestions, or the reason why the conversation cannot be shown. */
import { button, byId, copyButton, exact, h, icon } from "./elements.js"
import { words } from "./words.js"

/** @typedef {import("./types.js").AgentRow} AgentRow */

/** @param {AgentRow} agent */
export const isReady = ({ version, problem, install }) =>
  problem === undefined && (version !== undefined || install === undefined)

/** @param {AgentRow} agent */
const agentItem = (agent) => {
  const ready = isReady(agent)
  const facts = agent.problem ?? [agent.version, agent.signedIn].filter((each) => each).join(" · ")
  const about = (/** @type {string} */ text) => h("span.soft", { dir: "auto" }, ...exact(text))
  const sign = icon(ready ? "ok" : agent.problem ? "warn" : "other")
  const content = [sign, h("span.agent", {}, ...exact(agent.name))]
  const props = { "data-ready": ready ? "true" : undefined }
  if (agent.install === undefined || agent.version !== undefined) return h("li", props, ...content, about(facts))
  const command = [h("code", {}, ...exact(agent.install)), copyButton(agent.install, words.install(agent.name))]
  const problem = agent.problem === undefined ? undefined : about(agent.problem)
  return h("li", props, ...content, h("span.install", {}, ...command, problem))
}

/** @param {import("./types.js").State} state @param {import("./types.js").Choices} choices @param {(name: string) => void} choose */
const place = (state, choices, choose) => {
  const { directories } = state
  const directory = directories.find(({ name }) => name === choices.directory) ?? directories[0]
  if (!directory) return []
  const path = h("code", {}, ...exact(directory.path))
  const branch =
    directory.branch === undefined ? null : h("span.soft", {}, words.onBranch(directory.branch, directory.changed ?? 0))
  if (directories.length < 2) return [path, branch]
  const options = directories.map(({ name }) => h("option", { value: name, selected: name === directory.name }, name))
  const select = h("select", { "aria-label": words.directory, on: { change: () => choose(select.value) } }, ...options)
  return [h("label.pick.place", {}, select), " ", path, branch]
}

/**
 * @param {import("./types.js").State} state
 * @param {import("./types.js").Choices} choices
 * @param {{ suggest: (text: string) => void, chooseDirectory: (name: string) => void }} actions
 */
export const drawStart = (state, choices, { suggest, chooseDirectory }) => {
  const hasAgent = state.agents.some((agent) => isReady(agent) && agent.id !== "demo")
  const suggestions = hasAgent ? words.suggestions : words.demoSuggestions
  const agents = state.agents.filter(({ id }) => id !== "demo")
  const suggestion = (/** @type {string} */ text) => button(text, () => suggest(text))
  byId("start").replaceChildren(
    h("h2", {}, hasAgent ? words.startTitle : words.noAgentTitle),
    h("p.where", {}, hasAgent ? words.worksIn : words.demoIn, ...place(state, choices, chooseDirectory)),
    ...(agents.length > 0 ? [h("ul.agents", { "aria-label": words.agents }, ...agents.map(agentItem))] : []),
    h("ul.suggestions", { "aria-label": words.beginWith }, ...suggestions.map((text) => h("li", {}, suggestion(text))))
  )
}

export const drawExpired = () => {
  const [before, program, after] = words.expiredText
  byId("start").replaceChildren(
    h("h2", {}, words.expiredTitle),
    h("p", {}, before, h("code", {}, program), after),
    h("pre.whole", { tabIndex: 0 }, "npx reins serve")
  )
}

export const drawMissing = () => byId("start").replaceChildren(h("h2", {}, words.notFound))
