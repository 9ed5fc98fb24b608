/**
 * A request of the agent: its complete effect, and the buttons. A part of more than 40 lines is folded, and allowing needs it
 * unfolded; a request that cannot be shown completely cannot be allowed. A decided card shrinks to one line.
 */
import { button, exact, fold, h, icon, isQuiet, sendingNote, tell } from "./elements.js"
import { deciderOf, isHidden, partsOf } from "./requestParts.js"
import { words } from "./words.js"

const mostLines = 40

/** @param {import("./requestParts.js").Request} event */
const factsOf = ({ kind, toolName, directory, paths = [], edits = [] }) => {
  const others = paths.filter((path) => !edits.some((edit) => edit.path === path))
  const facts = [
    [words.facts.tool, kind === "plan" ? undefined : toolName],
    [words.facts.directory, directory],
    [words.facts.files, others.length === 0 ? undefined : others.join("\n")]
  ]
  const known = facts.flatMap(([name, value]) =>
    value === undefined ? [] : [h("dt", {}, name), h("dd", { dir: "ltr" }, ...exact(value))]
  )
  return known.length === 0 ? [] : [h("dl.facts", {}, ...known)]
}

/**
 * @param {import("./requestParts.js").Request} event
 * @param {import("./types.js").Block[] | undefined} plan
 * @param {() => void} onOpened
 */
const requestBody = (event, plan, onOpened) => {
  /** @type {HTMLElement[]} */
  const elements = []
  let closed = 0
  for (const { count, view } of partsOf(event, plan)) {
    const visible = view(mostLines)
    elements.push(visible)
    if (count <= mostLines) continue
    closed += 1
    const open = (/** @type {MouseEvent} */ press) => {
      const all = view(count)
      visible.replaceWith(all)
      closed -= 1
      if (press.currentTarget instanceof Element) press.currentTarget.remove()
      onOpened()
      all.tabIndex = -1
      all.focus({ preventScroll: true })
    }
    elements.push(button(words.moreLines(count - mostLines), open, "plain.more"))
  }
  const isPlanless = event.kind === "plan" && event.plan === undefined
  const obstacle = isHidden(event) ? words.notWhole : isPlanless ? words.noPlan : undefined
  if (obstacle !== undefined) elements.push(h("p.problem", {}, obstacle))
  elements.push(...factsOf(event))
  return { elements, obstacle, mayAllow: () => closed === 0 && obstacle === undefined }
}

/** Id of the scope of a plan and its edits in this turn. */
const editsScope = "edits"

const signs = { allow: "ok", deny: "bad", withdrawn: "other" }

/**
 * Shrinks a decided request to one line, with the request folded behind it.
 *
 * @param {HTMLElement} element the card
 * @param {import("./types.js").PermissionRequest} event
 * @param {{ decision: "allow" | "deny" | "withdrawn", by: string, person?: string, where?: string, message?: string, remembered?: string }} decision
 */
const decidedLine = (element, event, decision) => {
  const isPlan = event.kind === "plan"
  const reply = isPlan && decision.decision === "allow" ? words.approved : (words.decisions[decision.decision] ?? "")
  const who = deciderOf(decision)
  const what = isPlan ? words.thePlan : ((event.command ?? event.title).split("\n")[0] ?? "")
  const body = [...element.children].filter(
    (child) => !child.matches("header, .buttons, .panel, .problem, .plain.more")
  )
  const label = h("span.label", {}, h("span.verb", {}, reply), " ", h("span.what", { dir: "ltr" }, ...exact(what)))
  const summary = [icon(signs[decision.decision]), label, h("span.side", {}, ...exact(words.byWhom(who)))]
  element.className = "card request decided"
  element.dataset["decision"] = decision.decision
  delete element.dataset["escalated"]
  element.removeAttribute("aria-labelledby")
  element.setAttribute("aria-label", `${reply} ${words.byWhom(who)}`)
  element.replaceChildren(fold(summary, [h("div.step-body", {}, ...body)]))
  const scope = event.scopes?.find(({ id }) => id === decision.remembered)
  if (scope)
    element.append(
      h("p.told", { dir: "auto" }, scope.id === editsScope ? scope.covers : words.notAskedFor(scope.covers))
    )
  if (decision.message) element.append(h("p.told", { dir: "auto" }, ...exact(words.told(decision.message))))
  tell(`${reply} ${words.byWhom(who)}`)
}

/** @typedef {(press: import("./types.js").Press) => Promise<{ error?: string, text?: string }>} SendPress */

const restMs = 600
/** Time until the stream reports the outcome of a press. */
const settleMs = 5000

/**
 * Sends the decision of a card, once. Presses within 600 ms of the card's appearance are ignored: they were meant for
 * something else.
 *
 * @param {{ press: SendPress, next: () => void, problem: HTMLElement, draw: () => void }} card
 */
export const makeSubmission = ({ press, next, problem, draw }) => {
  // Replayed requests were there before.
  const appeared = isQuiet() ? Number.NEGATIVE_INFINITY : performance.now()
  /** Accepts another press, if the stream reports no outcome. @param {string | undefined} why */
  const reopen = (why) => {
    if (self.isSettled) return
    self.isSent = false
    problem.textContent = why ?? ""
    draw()
  }
  const self = {
    isSent: false,
    isSettled: false,
    isReady: () => !self.isSent && performance.now() - appeared >= restMs,
    /** @param {import("./types.js").Press} decision */
    send: async (decision) => {
      self.isSent = true
      problem.textContent = ""
      draw()
      next()
      const { error, text } = await press(decision)
      if (error !== undefined) return reopen(error)
      setTimeout(() => reopen(text), settleMs)
    }
  }
  return self
}
let made = 0

/**
 * @param {import("./requestParts.js").Request} event
 * @param {{ agent: string, plan?: import("./types.js").Block[] | undefined, press: SendPress, next: () => void, settled: (id: string) => void }} context
 */
export const requestCard = (event, { agent, plan, press, next, settled }) => {
  const isPlan = event.kind === "plan"
  const scopes = event.scopes ?? []
  const edits = scopes.find(({ id }) => id === editsScope)
  made += 1
  const titleId = `request-${made}`
  const left = h("span.left")
  const buttons = h("div.buttons")
  const panel = h("div.panel", { hidden: true })
  const problem = h("p.problem", { role: "alert" })
  const heading = words.requestHeads[event.kind] ?? words.useTool(event.toolName)
  const header = h("header", {}, icon(isPlan ? "plan" : "ask"), h("h3", { id: titleId }, heading), left)
  const props = { "aria-labelledby": titleId, tabIndex: -1, "data-escalated": event.escalated ? "true" : undefined }
  const element = h("section.card.request", props, header)
  const submission = makeSubmission({ press, next, problem, draw: () => draw() })

  if (event.escalated) {
    const [strong, rest] = words.escalated
    element.append(h("p.escalated", {}, icon("warn"), h("span", {}, h("strong", {}, strong), rest)))
  }
  if (event.isCommandUncertain) element.append(h("p.escalated", {}, icon("warn"), h("span", {}, words.uncertain)))
  if (event.doubt) element.append(h("p.escalated", {}, icon("warn"), h("span", { dir: "auto" }, ...exact(event.doubt))))
  if (event.reason) element.append(h("p.reason", { dir: "auto" }, ...exact(event.reason)))
  const body = requestBody(event, plan, () => {
    problem.textContent = ""
    draw()
  })
  element.append(...body.elements)

  /** @param {"allow" | "deny" | "outline"} decision @param {Record<string, unknown>} [more] */
  const decide = async (decision, more = {}) => {
    if (!submission.isReady()) return
    if (decision === "allow" && !body.mayAllow()) {
      problem.textContent = body.obstacle ?? words.showFirst
      return
    }
    close()
    await submission.send({ do: "decide", requestId: event.requestId, decision, ...more })
  }
  /** The button whose panel is open. */
  const opener = () => /** @type {HTMLElement | null} */ (buttons.querySelector('[aria-expanded="true"]'))
  const close = () => {
    const from = opener()
    panel.hidden = true
    panel.replaceChildren()
    from?.setAttribute("aria-expanded", "false")
    return from
  }
  /** @param {HTMLElement} self @param {() => HTMLElement[]} content */
  const toggle = (self, content) => {
    const isOpen = self.getAttribute("aria-expanded") === "true"
    close()
    if (isOpen) return
    self.setAttribute("aria-expanded", "true")
    panel.replaceChildren(...content())
    panel.hidden = false
    const field = /** @type {HTMLElement | null} */ (panel.querySelector("input, textarea, button"))
    field?.focus()
  }
  panel.addEventListener("keydown", (key) => {
    if (key.key !== "Escape") return
    key.stopPropagation()
    close()?.focus()
  })
  const back = () => button(words.backTo, () => close()?.focus())

  const alwaysPanel = () => {
    const choices = scopes.map(({ id, covers }, index) => {
      const input = h("input", { type: "radio", name: titleId, value: id, checked: index === 0 })
      return h("label.choice", {}, input, h("span", { dir: "auto" }, ...exact(covers)))
    })
    const chosen = () => /** @type {HTMLInputElement | null} */ (panel.querySelector("input:checked"))?.value
    const allow = button(words.allowAlways, () => void decide("allow", { scope: chosen() }), "primary")
    return [h("fieldset", {}, h("legend", {}, words.notAgain), ...choices), h("div.buttons", {}, allow, back())]
  }
  const messagePanel = () => {
    const field = h("textarea", { rows: 2, dir: "auto", placeholder: words.instead })
    const message = () => (field.value.trim() === "" ? {} : { message: field.value.trim() })
    const deny = button(words.denyTell, () => void decide("deny", message()), "danger")
    return [h("label", {}, h("span.field", {}, words.tellWhy), field), h("div.buttons", {}, deny, back())]
  }
  const draw = () => {
    if (submission.isSent) return buttons.replaceChildren(...sendingNote())
    const allowText = isPlan ? words.approve : event.escalated ? words.allowOutside : words.allowOnce
    const allow = button(allowText, () => void decide("allow"), "primary", {
      "aria-disabled": body.mayAllow() ? undefined : "true"
    })
    const mayRemember = !isPlan && scopes.length > 0 && body.obstacle === undefined
    const folded = { "aria-expanded": "false" }
    const always = button(words.always, () => toggle(always, alwaysPanel), "plain", folded)
    const outline = button(words.outline, () => void decide("outline"))
    const message = button(words.denyMessage, () => toggle(message, messagePanel), "plain", folded)
    const deny = button(words.deny, () => void decide("deny"), "plain.deny")
    const withEdits = button(words.approveEdits, () => void decide("allow", { scope: editsScope }), "plain", {
      "aria-disabled": body.mayAllow() ? undefined : "true"
    })
    const mayEdit = edits !== undefined && body.obstacle === undefined
    const optional = [...(mayRemember ? [always] : []), ...(mayEdit ? [withEdits] : []), ...(isPlan ? [outline] : [])]
    buttons.replaceChildren(allow, ...optional, h("span.gap"), deny, message)
  }
  draw()
  if (edits) element.append(h("p.reason", { dir: "auto" }, `${words.approveEdits}: `, ...exact(edits.covers)))
  if (!isPlan && scopes.length === 0) element.append(h("p.reason", {}, words.noAlways))
  element.append(problem, buttons, panel)

  /** @param {import("./types.js").PermissionDecision | { decision: "withdrawn", by: "end" }} decision */
  const settle = (decision) => {
    submission.isSettled = true
    decidedLine(element, event, decision)
    settled(event.requestId)
  }
  const { title, deadlineMs } = event
  return { element, left, settle, agent, title, deadlineMs, isQuestion: /** @type {const} */ (false) }
}
