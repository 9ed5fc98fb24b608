/** Reads deltas, nearly all lines of a live session, from their text (0.169.0), at a third of the cost of parsing. */
import { plainContent, stringContent, stringOf } from "../../../contract/text/jsonLine.ts"
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

/** A piece of a command's output; the whole comes at its end. */
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
