/** How it is told that an agent asks, and what it was answered; pure. */

import type {
  PermissionDecisionEvent,
  PermissionRequestEvent,
  Question,
  QuestionAnswerEvent,
  QuestionEvent
} from "../contract/SessionEvent.ts"
import { exact } from "../text/harmless.ts"
import { clip, oneLine } from "./format.ts"
import { marks, paint, roomOf, type Surface } from "./style.ts"

/** `Bash  npm test`, in so many cells. */
export const requestLabel = (surface: Surface, { toolName, title, kind }: PermissionRequestEvent, room: number) => {
  const name = oneLine(toolName)
  const told = oneLine(title)
  // The title of an MCP tool says all that its name says.
  const words = told === "" || told === name ? name : kind === "mcp" ? told : `${name}  ${told}`
  return paint(surface, "bold", clip(words, room))
}

const indented = (text: string): ReadonlyArray<string> =>
  exact(text)
    .trimEnd()
    .split("\n")
    .map((line) => (line === "" ? "" : `  ${line.replaceAll("\t", "  ")}`))

/** What was asked, for the record; nothing where nobody was asked and there is no plan: the decision says what it was about. */
export const requestLines = (surface: Surface, request: PermissionRequestEvent): ReadonlyArray<string> => {
  const shown = request.preview ?? request.plan
  if (shown === undefined) return []
  return [
    `${paint(surface, "yellow", marks.ask)} ${requestLabel(surface, request, roomOf(surface) - 2)}`,
    ...indented(shown)
  ]
}

const deciders: { readonly [By in PermissionDecisionEvent["by"]]: string } = {
  rule: "by a rule",
  handler: "",
  memory: "as before",
  caller: "",
  deadline: "nobody answered in time",
  agent: "",
  end: ""
}

/** Undefined for what a rule allows: the tool's own line tells that. */
export const decisionLine = (
  surface: Surface,
  request: PermissionRequestEvent | undefined,
  { decision, by, message, input }: PermissionDecisionEvent
): string | undefined => {
  if (decision === "allow" && by === "rule") return undefined
  const label = request === undefined ? "" : requestLabel(surface, request, Math.floor(roomOf(surface) / 2))
  const notes = [deciders[by], input === undefined ? "" : "with another input", oneLine(message ?? "")]
  const told = notes.filter((note) => note !== "").join(": ")
  const rest = told === "" ? "" : paint(surface, "dim", ` · ${clip(told, Math.floor(roomOf(surface) / 2) - 14)}`)
  if (decision === "allow") return `${paint(surface, "green", `${marks.ok} allowed`)}  ${label}${rest}`
  if (decision === "deny") return `${paint(surface, "red", `${marks.denied} denied`)}  ${label}${rest}`
  return `${paint(surface, "dim", `${marks.notice} no longer asked`)}  ${label}`
}

const optionLines = ({ options }: Question): ReadonlyArray<string> =>
  options.map(({ label, description }, index) => {
    const rest = description === undefined ? "" : ` — ${oneLine(description)}`
    return `  ${index + 1}  ${oneLine(label)}${rest}`
  })

export const questionLines = (surface: Surface, { questions }: QuestionEvent): ReadonlyArray<string> =>
  questions.flatMap((question) => {
    const header = question.header === undefined ? "" : `${oneLine(question.header)}: `
    return [
      `${paint(surface, "yellow", marks.ask)} ${paint(surface, "bold", header + oneLine(question.question))}`,
      ...optionLines(question)
    ]
  })

export const answerLines = (surface: Surface, { answers, by }: QuestionAnswerEvent): ReadonlyArray<string> => {
  if (answers === undefined) {
    const told = by === "agent" || by === "end" ? "no longer asked" : "not answered: the agent uses its defaults"
    return [paint(surface, "dim", `${marks.notice} ${told}`)]
  }
  return Object.values(answers).map(
    (chosen) => `${paint(surface, "green", marks.ok)} ${clip(chosen.map(oneLine).join(", "), roomOf(surface) - 2)}`
  )
}
