/** The steps of one turn in groups, with thoughts among them and the steps of sub-agents below theirs. */
import { tell } from "./announce.js"
import { h } from "./elements.js"
import { makeStep, settleStep } from "./step.js"
import { makeGroup, makeThought } from "./stepGroup.js"
import { words } from "./words.js"

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
  /** @type {Map<string, string>} what sub-agents say */
  const said = new Map()
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
      step.said?.remove()
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

  /** A sub-agent speaks. @param {string} toolId @param {string} text @param {number | undefined} offset */
  const say = (toolId, text, offset) => {
    const parent = steps.get(toolId)
    if (!parent) return
    const before = said.get(toolId) ?? ""
    said.set(toolId, before.slice(0, offset ?? before.length) + text)
    parent.said ??= h("p.said", { dir: "auto" })
    parent.said.textContent = said.get(toolId) ?? ""
    parent.body.append(parent.said)
  }

  return {
    add,
    settle,
    think,
    say,
    /** What comes next stands below this group. */
    close: () => {
      group?.draw(true)
      group = undefined
      thought = undefined
    },
    /** The turn is over: nobody knows what became of a step that is still running. @param {boolean} isFolded */
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
