/** The events of one turn → its parts in order, for people: texts that are whole, and tool calls with their outcome. */
import { Predicate } from "effect"
import type { AgentEvent } from "../../contract/AgentEvent.ts"
import type { AgentRunResult } from "../../contract/AgentRunResult.ts"
import { makeGrowingText } from "../../contract/text/growingText.ts"

interface TextBlock {
  readonly type: "text"
  readonly text: () => string
  readonly dropLast: (characters: number) => void
  readonly add: (text: string) => void
  readonly parent: string | undefined
}

export interface ToolBlock {
  readonly type: "tool"
  readonly name: string
  readonly title: string
  readonly parent: string | undefined
  outcome: "unfinished" | "succeeded" | "failed"
  problem: string
}

interface FactBlock {
  readonly type: "fact"
  readonly label: string
  readonly text: string
  readonly parent: string | undefined
}

export type Block = TextBlock | ToolBlock | FactBlock

export interface TurnBlocks {
  readonly push: (event: AgentEvent) => void
  readonly fact: (label: string, text: string) => void
  readonly blocks: () => ReadonlyArray<Block>
  /** The title of the tool call by which a sub-agent was started. */
  readonly titleOf: (toolId: string) => string | undefined
}

/** Notices about the work itself. */
const shownNotices: ReadonlySet<string> = new Set([
  "model_fallback", "permission_denied", "mcp_failed", "rate_limit", "retry", "warning"
]) // biome-ignore format: one list

const makeText = (parent: string | undefined): TextBlock => ({ type: "text", parent, ...makeGrowingText() })

export const makeTurnBlocks = (): TurnBlocks => {
  const blocks: Array<Block> = []
  const tools = new Map<string, ToolBlock>()
  const requests = new Map<string, string>()
  const fact = (label: string, text: string, parent?: string) => {
    blocks.push({ type: "fact", label, text, parent })
  }
  const addText = (text: string, parent: string | undefined) => {
    const last = blocks.at(-1)
    if (last?.type === "text" && last.parent === parent) return last.add(text)
    const block = makeText(parent)
    block.add(text)
    blocks.push(block)
  }
  /** Text of the main agent that the CLI has taken back, from the end. */
  const dropText = (characters: number) => {
    let left = characters
    for (const block of blocks.toReversed()) {
      if (left <= 0) return
      if (block.type !== "text" || block.parent !== undefined) continue
      const { length } = block.text()
      block.dropLast(Math.min(left, length))
      left -= length
    }
  }
  const end = ({ text }: AgentRunResult) => {
    const hasText = blocks.some((block) => block.type === "text" && block.parent === undefined && block.text() !== "")
    if (!hasText && text !== "") addText(text, undefined)
  }

  const push = (event: AgentEvent) => {
    switch (event.type) {
      case "text":
        return addText(event.text, event.parentToolId)
      case "tool_use": {
        const { toolName, title = toolName, parentToolId } = event
        const block: ToolBlock = {
          type: "tool",
          name: toolName,
          title,
          parent: parentToolId,
          outcome: "unfinished",
          problem: ""
        }
        tools.set(event.toolId, block)
        blocks.push(block)
        return
      }
      case "tool_result": {
        const block = tools.get(event.toolId)
        if (block === undefined) return
        block.outcome = event.isError ? "failed" : "succeeded"
        if (event.isError) block.problem = event.output
        return
      }
      case "plan":
        if (event.text !== undefined) fact("Plan", event.text, event.parentToolId)
        return
      case "permission_request":
        requests.set(event.requestId, event.title)
        return
      case "permission_decision":
        if (event.decision === "deny") {
          fact("Denied", [requests.get(event.requestId), event.message].filter(Predicate.isNotUndefined).join(": "))
        }
        return
      case "question_answer":
        for (const [question, answers] of Object.entries(event.answers ?? {})) {
          fact("Asked", `${question} – ${answers.join(", ")}`)
        }
        return
      case "notice":
        if (event.kind === "text_voided") return dropText(event.data?.characters ?? 0)
        if (shownNotices.has(event.kind)) fact("Notice", event.message, event.parentToolId)
        return
      case "error":
        return fact("Failed", event.message, event.parentToolId)
      case "turn_done":
      case "done":
        return end(event.result)
    }
  }
  return { push, fact, blocks: () => blocks, titleOf: (toolId) => tools.get(toolId)?.title }
}
