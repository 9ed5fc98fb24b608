/** The agent's to-do list, one in a turn: each new statement of it is drawn in its place. Or a plan in prose. */
import { prose } from "./blocks.js"
import { fold, h, icon, unseen } from "./elements.js"
import { exact } from "./exactText.js"
import { words } from "./words.js"

const signs = { completed: "ok", in_progress: "chevron", cancelled: "bad", blocked: "warn", pending: "other" }

export const makeTodo = () => {
  const line = h("span.label", {})
  const body = h("div.step-body")
  const element = fold([icon("plan"), line], [body], { open: true }, ".todo")

  /**
   * @param {Extract<import("./types.js").AgentEvent, { type: "plan" }>} event
   * @param {import("./types.js").Block[] | undefined} blocks of a plan in prose
   * @returns {string} how far it is
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
    const items = entries.map(({ text: said, status = "pending" }) =>
      h(
        "li",
        { "data-status": status },
        icon(signs[status]),
        unseen(words.todoState[status] ?? ""),
        h("span", { dir: "auto" }, ...exact(said))
      )
    )
    body.replaceChildren(h("ol.entries", {}, ...items))
    return words.planAt(done, entries.length, current)
  }
  return { element, set }
}
