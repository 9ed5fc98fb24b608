/** The last answer of the agent, and its blocks of code, for the clipboard; pure. */
import type { AgentEvent } from "../../contract/AgentEvent.ts"

export interface Answer {
  readonly text: string
  /** True after a turn: the next text begins another answer. */
  readonly isOver: boolean
}

export const noAnswer: Answer = { text: "", isOver: true }
const mostCharacters = 1024 * 1024

export const withPiece = (answer: Answer, event: AgentEvent): Answer => {
  if (event.type === "turn_done") return { ...answer, isOver: true }
  if (event.type !== "text" || event.parentToolId !== undefined) return answer
  const before = answer.isOver ? "" : answer.text
  return { text: (before + event.text).slice(-mostCharacters), isOver: false }
}

export const codeBlocks = (text: string): ReadonlyArray<string> => {
  const blocks: Array<string> = []
  let fence: string | undefined
  let lines: Array<string> = []
  for (const line of text.split("\n")) {
    const [, mark] = /^ {0,3}(`{3,}|~{3,})/.exec(line) ?? []
    if (fence === undefined) {
      if (mark !== undefined) fence = mark
    } else if (mark?.startsWith(fence) === true && line.trim() === mark) {
      blocks.push(lines.join("\n"))
      fence = undefined
      lines = []
    } else lines.push(line)
  }
  return fence === undefined || lines.length === 0 ? blocks : [...blocks, lines.join("\n")]
}

export const copied = (
  { text }: Answer,
  block: number | undefined
): { readonly text: string } | { readonly problem: string } => {
  if (text.trim() === "") return { problem: "no answer to copy yet" }
  if (block === undefined) return { text: text.trim() }
  const blocks = codeBlocks(text)
  const found = blocks[block - 1]
  if (found !== undefined) return { text: found }
  return {
    problem:
      blocks.length === 0
        ? "the last answer has no block of code"
        : `the last answer has ${blocks.length} blocks of code`
  }
}
