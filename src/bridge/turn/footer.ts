/**
 * What stands below an answer: agent, model, mode, time and cost, and the line by which its session goes on. A paragraph
 * of its own, so that no cut goes through it where an answer is longer than a message; and no part of it, where a person
 * replies to that. Pure.
 */
import type { AgentEvent } from "../../contract/AgentEvent.ts"
import { formatCost } from "../../contract/text/amounts.ts"
import { shortLine } from "../../contract/text/oneLine.ts"
import { code, literal } from "../../conversations/export/markdownText.ts"
import { type Block, lastBlock } from "../format/lastBlock.ts"
import { formatTime } from "../progress/words.ts"
import type { Outcome } from "./outcome.ts"

/** What a turn has said of itself. */
export interface SaidOfItself {
  readonly model?: string
  readonly mode?: string
}

/** The newest counts. */
export const saidOfItself = (before: SaidOfItself, event: AgentEvent): SaidOfItself => {
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
  readonly said: SaidOfItself
  readonly outcome: Pick<Outcome, "result">
  /** Without back-ticks. */
  readonly resumeLine: string | undefined
}

/** In Markdown. */
export const footerOf = ({ agent, said: { model, mode }, outcome, resumeLine }: FooterFacts): string => {
  const { durationMs, totalCostUsd } = outcome.result
  const facts = [
    word(agent),
    ...(model === undefined ? [] : [word(model)]),
    ...(mode === undefined || mode === "default" ? [] : [word(mode)]),
    ...(durationMs > 0 ? [formatTime(durationMs)] : []),
    ...(totalCostUsd === undefined ? [] : [formatCost(totalCostUsd)])
  ].join(" · ")
  return resumeLine === undefined ? facts : `${facts}\n${code(resumeLine)}`
}

/** `(2/3)` below one of several messages. */
const partMark = /\n\n\(\d+\/\d+\)$/
/** The facts of a footer, which end with the time or the cost; then its line. */
const shownFooter = /(?:^|\n\n)[^\n]+ · (?:\d+ [smh](?: \d\d [sm])?|\$\d+(?:\.\d+)?)(?:\n`?[^\n]+)?$/

/** A message of ours as it is shown, without what stands below the answer: all of one that is nothing else. */
export const withoutFooter = (shown: string): string =>
  shown.trimEnd().replace(partMark, "").trimEnd().replace(shownFooter, "")

/** What ends a block of HTML, by what it begins with. */
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

/** Of a block that goes on to the end of the text, as the reader of Markdown sees it. */
const endOf = ({ type, raw }: Block): string | undefined => {
  if (type === "code") return /^ {0,3}(`{3,}|~{3,})/.exec(raw)?.[1]
  return htmlEnds.find(([begin]) => begin.test(raw))?.[1]
}

/** A block inside another one can need an end of its own. */
const mostEnds = 3

/** Behind a block that nobody has closed it would be a part of that. */
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
