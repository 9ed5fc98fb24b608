/** The lines of a transcript for requests and questions of the agent, and their answers; pure. */
import type {
  PermissionDecisionEvent,
  PermissionRequestEvent,
  Question,
  QuestionAnswerEvent,
  QuestionEvent
} from "../contract/SessionEvent.ts"
import { exact } from "../contract/text/harmless.ts"
import { clip, oneLine } from "./format.ts"
import { marks, paint, roomOf, type Surface } from "./style.ts"
import { spokenLabel } from "./toolLines.ts"

const requestLabel = (surface: Surface, { toolName, title, kind }: PermissionRequestEvent, room: number) => {
  const facts = { kind, toolName: oneLine(toolName), title: oneLine(title) }
  const label = spokenLabel(facts, undefined)
  const text = label.title === "" ? label.name : `${label.name.padEnd(4)}  ${label.title}`
  return paint(surface, "bold", clip(text, room))
}

const indented = (text: string): ReadonlyArray<string> =>
  exact(text)
    .trimEnd()
    .split("\n")
    .map((line) => (line === "" ? "" : `  ${line.replaceAll("\t", "  ")}`))

/** The request as it was shown, for the record; empty without preview or plan, since the decision repeats its label. */
export const requestLines = (surface: Surface, request: PermissionRequestEvent): ReadonlyArray<string> => {
  const preview = request.preview ?? request.plan
  if (preview === undefined) return []
  return [
    `${paint(surface, "yellow", marks.ask)} ${requestLabel(surface, request, roomOf(surface) - 2)}`,
    ...indented(preview)
  ]
}

const deciders: { readonly [By in PermissionDecisionEvent["by"]]: string } = {
  rule: "by a rule",
  handler: "",
  memory: "as before",
  caller: "",
  deadline: "no answer in time",
  agent: "",
  end: ""
}

/** Undefined for a call that a rule allowed: the tool's own line is enough. */
export const decisionLine = (
  surface: Surface,
  request: PermissionRequestEvent | undefined,
  { decision, by, message, input }: PermissionDecisionEvent
): string | undefined => {
  if (decision === "allow" && by === "rule") return undefined
  const label = request === undefined ? "" : requestLabel(surface, request, Math.floor(roomOf(surface) / 2))
  const notes = [deciders[by], input === undefined ? "" : "with another input", oneLine(message ?? "")]
  const note = notes.filter((part) => part !== "").join(": ")
  const rest = note === "" ? "" : paint(surface, "dim", ` · ${clip(note, Math.floor(roomOf(surface) / 2) - 14)}`)
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
    const note = by === "agent" || by === "end" ? "no longer asked" : "not answered: the agent uses its defaults"
    return [paint(surface, "dim", `${marks.notice} ${note}`)]
  }
  return Object.values(answers).map(
    (chosen) => `${paint(surface, "green", marks.ok)} ${clip(chosen.map(oneLine).join(", "), roomOf(surface) - 2)}`
  )
}
