/**
 * Deltas, nearly all lines of a live session, read from their text (0.169.0), which costs a third of parsing and checking
 * them. The pattern matches only the members that Codex prints, in its order; any other line is parsed. That both mean the
 * same is a property: `test/cli/codex/live/glance.test.ts`.
 */
import { plainContent, stringContent, stringOf } from "../../../contract/text/jsonPattern.ts"
import type { Glance } from "../../Decoder.ts"
import type { Delta } from "./wire.ts"

/** A class, so that no JSON can pass for one. */
export class GlancedDelta implements Delta {
  readonly kind: "text" | "thinking"
  readonly threadId: string
  readonly turnId: string
  readonly itemId: string
  readonly delta: string
  readonly summaryIndex: number

  constructor(match: ReadonlyArray<string | undefined>) {
    const [, method, threadId = "", turnId = "", itemId = "", delta = "", summaryIndex = "0"] = match
    this.kind = method === "agentMessage/delta" ? "text" : "thinking"
    this.threadId = threadId
    this.turnId = turnId
    this.itemId = stringOf(itemId)
    this.delta = stringOf(delta)
    this.summaryIndex = Number(summaryIndex)
  }
}

/** A piece of a command's output, which comes whole when the command is over. */
export class OutputDelta {}

const pattern = new RegExp(
  [
    String.raw`^\{"method":"item/(agentMessage/delta|reasoning/summaryTextDelta|commandExecution/outputDelta)",`,
    String.raw`"params":\{"threadId":"(${plainContent})","turnId":"(${plainContent})","itemId":"(${plainContent})",`,
    String.raw`"delta":"(${stringContent})"(?:,"summaryIndex":(0|[1-9]\d{0,5}))?\}`,
    String.raw`(?:,"emittedAtMs":(?:0|[1-9]\d{0,15}))?\}$`
  ].join("")
)

const outputDelta = { wire: new OutputDelta() }

export const glance = (line: string): Glance<GlancedDelta | OutputDelta> | undefined => {
  const match = pattern.exec(line)
  if (match === null) return undefined
  return match[1] === "commandExecution/outputDelta" ? outputDelta : { wire: new GlancedDelta(match) }
}
