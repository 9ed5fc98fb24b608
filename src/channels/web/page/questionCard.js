/** Questions of the agent as a form, with options and a field for other answers; settled by the stream. */
import { button, exact, h, icon, sendingNote } from "./elements.js"
import { makeSubmission } from "./requestCard.js"
import { deciderOf } from "./requestParts.js"
import { words } from "./words.js"

let made = 0

/** @param {import("./types.js").QuestionAsked["questions"][number]} question @param {string} name */
const fieldOf = (question, name) => {
  const own = question.freeText
    ? h("textarea", { rows: 1, dir: "auto", "aria-label": words.somethingElse, placeholder: words.somethingElse })
    : undefined
  const options = question.options.map(({ label, description }) => {
    const more = description ? h("span.choice-more", {}, ...exact(description)) : null
    const input = h("input", { type: question.multiple ? "checkbox" : "radio", name, value: label })
    return h("label.choice", {}, input, h("span", { dir: "auto" }, h("span.choice-label", {}, ...exact(label)), more))
  })
  const legend = h(
    "legend",
    { dir: "auto" },
    question.header ? h("span.tag", {}, ...exact(question.header)) : null,
    ...exact(question.question),
    question.multiple ? h("span.many", {}, words.several) : null
  )
  const set = h("fieldset", {}, legend, ...options, own)
  const inputs = () => [...set.querySelectorAll("input")]
  own?.addEventListener("input", () => {
    if (own.value === "" || question.multiple) return
    for (const input of inputs()) input.checked = false
  })
  const chosen = () => {
    const text = own?.value.trim() ?? ""
    const labels = inputs()
      .filter(({ checked }) => checked)
      .map(({ value }) => value)
    return text === "" ? labels : question.multiple ? [...labels, text] : [text]
  }
  return { question: question.question, set, chosen }
}

/**
 * @param {import("./types.js").QuestionAsked} event
 * @param {{ agent: string, press: import("./requestCard.js").SendPress, next: () => void, settled: (id: string) => void }} context
 */
export const questionCard = (event, { agent, press, next, settled }) => {
  made += 1
  const left = h("span.left")
  const header = h("header", {}, icon("question"), h("h3", {}, words.questions(event.questions.length)), left)
  const element = h("form.card.request", { "aria-label": words.agentAsks, tabIndex: -1 }, header)
  const fields = event.questions.map((question, index) => fieldOf(question, `question-${made}-${index}`))
  const problem = h("p.problem", { role: "alert" })
  const buttons = h("div.buttons")
  const submission = makeSubmission({ press, next, problem, draw: () => draw() })

  /** @param {Record<string, string[]>} [answers] without them the agent chooses */
  const answer = (answers) => {
    if (submission.isReady())
      void submission.send({ do: "answer", requestId: event.requestId, ...(answers && { answers }) })
  }
  const draw = () => {
    for (const { set } of fields) set.disabled = submission.isSent
    const choices = [h("button.primary", { type: "submit" }, words.answer), button(words.letChoose, () => answer())]
    buttons.replaceChildren(...(submission.isSent ? sendingNote() : choices))
  }
  element.addEventListener("submit", (submitted) => {
    submitted.preventDefault()
    const open = fields.find(({ chosen }) => chosen().length === 0)
    if (open) {
      problem.textContent = words.notAnswered(open.question)
      const field = /** @type {HTMLElement | null} */ (open.set.querySelector("input, textarea"))
      field?.focus()
      return
    }
    answer(Object.fromEntries(fields.map(({ question, chosen }) => [question, chosen()])))
  })
  draw()
  element.append(...fields.map(({ set }) => set), problem, buttons)

  /** @param {{ answers?: Readonly<Record<string, readonly string[]>>, by: string, person?: string, where?: string }} raw */
  const settle = (raw) => {
    const facts = event.questions.flatMap(({ question }) => {
      const answered = raw.answers?.[question]?.join(", ") || words.leftToAgent
      return [h("dt", { dir: "auto" }, ...exact(question)), h("dd", { dir: "auto" }, ...exact(answered))]
    })
    const content = raw.answers === undefined ? words.leftBy : words.answeredBy
    submission.isSettled = true
    element.className = "card request decided"
    element.replaceChildren(h("dl.facts", {}, ...facts), h("p.told", {}, ...exact(content(deciderOf(raw)))))
    settled(event.requestId)
  }
  const title = event.questions[0]?.question ?? ""
  const { deadlineMs } = event
  return { element, left, settle, agent, title, deadlineMs, isQuestion: /** @type {const} */ (true) }
}
