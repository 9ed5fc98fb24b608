/**
 * The footer of an answer: agent, model, mode, time, cost, and the line that resumes its session; pure. A paragraph of
 * its own, so that no answer is cut inside it; not part of the answer when a person replies to it.
 */
import type { AgentEvent } from "../../contract/AgentEvent.ts"
import { formatCost } from "../../contract/text/amounts.ts"
import { shortLine } from "../../contract/text/harmless.ts"
import { code, literal } from "../../conversations/export/markdownText.ts"
import { type Block, lastBlock } from "../format/lexer.ts"
import { formatTime } from "../progress/render.ts"
import type { Outcome } from "./outcome.ts"

/** Model and mode of a turn, from its events. */
export interface TurnFacts {
  readonly model?: string
  readonly mode?: string
}

/** The latest `session` event wins. */
export const turnFacts = (before: TurnFacts, event: AgentEvent): TurnFacts => {
  if (event.type !== "session" || event.parentToolId !== undefined) return before
  const { model, permissionMode } = event
  return {
    ...before,
    ...(model === undefined ? {} : { model }),
    ...(permissionMode === undefined ? {} : { mode: permissionMode })
  }
}

const longest = 60
const word = (text: string) => literal(shortLine(text, longest))

export interface FooterFacts {
  readonly agent: string
  readonly facts: TurnFacts
  readonly outcome: Pick<Outcome, "result">
  /** Budgets that are nearly used up. */
  readonly budgets?: ReadonlyArray<string>
  /** Without back-ticks. */
  readonly resumeLine: string | undefined
}

/** A line for each budget. Below an answer without a footer, too. */
export const footerOfBudgets = (budgets: ReadonlyArray<string>): string | undefined =>
  budgets.length === 0 ? undefined : budgets.map(literal).join("\n")

export const footerOf = ({ agent, facts: { model, mode }, outcome, budgets = [], resumeLine }: FooterFacts): string => {
  const { durationMs, totalCostUsd } = outcome.result
  const line = [
    word(agent),
    ...(model === undefined ? [] : [word(model)]),
    ...(mode === undefined || mode === "default" ? [] : [word(mode)]),
    ...(durationMs > 0 ? [formatTime(durationMs)] : []),
    ...(totalCostUsd === undefined ? [] : [formatCost(totalCostUsd)])
  ].join(" · ")
  return [line, ...budgets.map(literal), ...(resumeLine === undefined ? [] : [code(resumeLine)])].join("\n")
}

/** `(2/3)` below one of several messages. */
const partMark = /\n\n\(\d+\/\d+\)$/
/** A line of a budget as the channel shows it. */
const budgetLine = String.raw`Budget "[^\n]+": [^\n]+ spent \(\d+ %\)[^\n]*`
/** A footer as the channel shows it: facts that end with the time or the cost, budgets, then the resume line. */
const footerPattern = new RegExp(
  String.raw`(?:^|\n\n)(?:[^\n]+ · (?:\d+ [smh](?: \d\d [sm])?|\$\d+(?:\.\d+)?)(?:\n${budgetLine})*(?:\n${"`"}?[^\n]+)?|${budgetLine}(?:\n${budgetLine})*)$`
)

/** The text of one of our messages as the channel shows it, without part mark and footer. */
export const withoutFooter = (text: string): string =>
  text.trimEnd().replace(partMark, "").trimEnd().replace(footerPattern, "")

/** Ends of HTML blocks, by their beginnings. */
const htmlEnds: ReadonlyArray<readonly [begin: RegExp, end: string]> = [
  [/^ {0,3}<!--/, "-->"],
  [/^ {0,3}<\?/, "?>"],
  [/^ {0,3}<!\[CDATA\[/, "]]>"],
  [/^ {0,3}<![A-Za-z]/, ">"],
  [/^ {0,3}<pre/i, "</pre>"],
  [/^ {0,3}<script/i, "</script>"],
  [/^ {0,3}<style/i, "</style>"],
  [/^ {0,3}<textarea/i, "</textarea>"]
]

/** Text that ends a block which otherwise extends to the end of the text. */
const endOf = ({ type, raw }: Block): string | undefined => {
  if (type === "code") return /^ {0,3}(`{3,}|~{3,})/.exec(raw)?.[1]
  return htmlEnds.find(([begin]) => begin.test(raw))?.[1]
}

/** Nested blocks may need an end each. */
const mostEnds = 3

/** Adds the footer as a paragraph. Open blocks are ended first: they would include it. */
export const withFooter = (text: string, footer: string): string => {
  let above = text
  for (let ends = 0; ends <= mostEnds; ends++) {
    const joined = `${above}\n\n${footer}`
    const last = lastBlock(joined)
    if (last?.raw.trim() === footer) return joined
    const end = last && endOf(last)
    if (end === undefined) return joined
    above = `${above.replace(/\n$/, "")}\n${end}`
  }
  return `${text}\n\n${footer}`
}
