/** The steps of one turn in groups, with thoughts between them, and steps of sub-agents nested. */

import { tally } from "./diff.js"
import { button, fold, h, icon, tell } from "./elements.js"
import { makeStep, settleStep } from "./step.js"
import { words } from "./words.js"

/** @typedef {{ kind: string, state: string, item: HTMLElement, added?: number, removed?: number }} Grouped */

const newest = 6
/** Smaller groups have no line of their own. */
const few = 3

/** @param {readonly Grouped[]} steps */
const countsOf = (steps) => {
  /** @type {Map<string, number>} */
  const kinds = new Map()
  for (const { kind } of steps) kinds.set(kind, (kinds.get(kind) ?? 0) + 1)
  return [...kinds].map(([kind, n]) => words.counted(kind, n)).join(", ")
}

/** @param {HTMLElement} parent */
const makeGroup = (parent) => {
  const list = h("ol.steps")
  const line = h("span.line-text")
  const earlier = h("li.earlier", { hidden: true })
  const details = h("details.group", { open: true }, h("summary", {}, icon("chevron", "turn-icon"), line), list)
  /** @type {Grouped[]} */
  const steps = []
  let isTouched = false
  let isWhole = false
  details.firstElementChild?.addEventListener("click", () => {
    isTouched = true
  })
  list.append(earlier)
  parent.append(details)

  /** @param {boolean} isOver true if the group is complete */
  const draw = (isOver) => {
    const failed = steps.filter(({ state }) => state === "failed").length
    const added = steps.reduce((sum, step) => sum + (step.added ?? 0), 0)
    const removed = steps.reduce((sum, step) => sum + (step.removed ?? 0), 0)
    line.replaceChildren(
      countsOf(steps),
      ...(added + removed > 0 ? [" ", tally({ added, removed })] : []),
      ...(failed > 0 ? [h("span.failed", {}, words.failedSteps(failed))] : [])
    )
    details.classList.toggle("few", steps.length < few)
    const isFolded = isOver && steps.length >= few && !steps.some(({ state }) => state === "running")
    if (!isTouched) details.open = !isFolded
    const hide = isOver || isWhole ? 0 : Math.max(0, steps.length - newest)
    for (const [index, step] of steps.entries()) step.item.hidden = index < hide
    earlier.hidden = hide === 0
    if (hide === 0) return
    const all = () => {
      isWhole = true
      draw(false)
    }
    earlier.replaceChildren(button(words.earlierSteps(hide), all, "quiet.small"))
  }

  /** @param {Grouped} step */
  const add = (step) => {
    steps.push(step)
    list.append(step.item)
    draw(false)
  }
  return { add, draw, last: () => steps.at(-1) }
}

/** Reasoning of the model, folded into one line. */
const makeThought = () => {
  const text = h("div.thinking", { dir: "auto" })
  const label = h("span.label", {}, h("span.verb", {}, words.thought))
  const details = fold([label], [h("div.step-body", {}, text)])
  const item = h("li.step.k-thinking", { "data-state": "done" }, h("span.mark", {}, icon("think")), details)
  let source = ""
  /** @param {string} more @param {number | undefined} offset where it begins */
  const add = (more, offset) => {
    const isMore = offset === undefined || offset === source.length
    source = isMore ? source + more : source.slice(0, offset) + more
    if (isMore) text.append(more)
    else text.textContent = source
  }
  return { kind: "thinking", state: "done", item, add }
}

/** @typedef {import("./step.js").Step} Step */

/**
 * @param {object} around
 * @param {HTMLElement} around.body
 * @param {() => void} around.before a step begins
 * @param {(path: string, sum: { added: number, removed: number }) => void} around.changed
 * @param {() => string | undefined} around.directory where the agent works
 */
export const makeTurnSteps = ({ body, before, changed, directory }) => {
  /** @type {Map<string, Step>} */
  const steps = new Map()
  /** @type {Map<string, string>} texts of sub-agents */
  const texts = new Map()
  /** @type {ReturnType<typeof makeGroup> | undefined} */
  let group
  /** @type {ReturnType<typeof makeThought> | undefined} */
  let thought

  const groupOf = () => {
    before()
    group ??= makeGroup(body)
    return group
  }

  /** @param {import("./types.js").ToolUse} event @returns {Step} */
  const add = (event) => {
    const parent = event.parentToolId === undefined ? undefined : steps.get(event.parentToolId)
    const step = makeStep(event, directory())
    steps.set(event.toolId, step)
    if (!parent) {
      groupOf().add(step)
      return step
    }
    if (!parent.list) {
      parent.list = h("ol.steps.nested")
      parent.body.append(parent.list)
    }
    parent.list.append(step.item)
    parent.details.open = true
    return step
  }

  /** @param {import("./types.js").ToolResult} event */
  const settle = (event) => {
    const step = steps.get(event.toolId)
    if (!step) return
    settleStep(step, event, directory())
    if (!event.isError) for (const [path, sum] of step.sums()) changed(path, sum)
    if (step.kind === "subagent" && step.list) {
      step.side.prepend(h("span.soft", {}, words.steps(step.list.children.length)))
      step.text?.remove()
    }
    group?.draw(false)
    if (event.isError) tell(words.stepFailed(step.title))
  }

  /** @param {string} text @param {number | undefined} offset where it begins in the thought */
  const think = (text, offset) => {
    if (thought === undefined || group?.last() !== thought) {
      thought = makeThought()
      groupOf().add(thought)
    }
    thought.add(text, offset)
  }

  /** Text of a sub-agent. @param {string} toolId @param {string} text @param {number | undefined} offset */
  const say = (toolId, text, offset) => {
    const parent = steps.get(toolId)
    if (!parent) return
    const before = texts.get(toolId) ?? ""
    texts.set(toolId, before.slice(0, offset ?? before.length) + text)
    parent.text ??= h("p.said", { dir: "auto" })
    parent.text.textContent = texts.get(toolId) ?? ""
    parent.body.append(parent.text)
  }

  return {
    add,
    settle,
    think,
    say,
    /** Ends the group. */
    close: () => {
      group?.draw(true)
      group = undefined
      thought = undefined
    },
    /** Ends the turn: the outcome of a step that is still running is unknown. @param {boolean} isFolded */
    end: (isFolded) => {
      for (const step of steps.values()) {
        if (step.state !== "running") continue
        step.setState("unknown")
        step.side.append(h("span.soft", {}, words.stepStates["unknown"] ?? ""))
      }
      group?.draw(isFolded)
    }
  }
}
